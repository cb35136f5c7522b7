package scala.collection;

public interface Seq<A> {
    A apply(int index);

    Iterator<A> iterator();

    int size();
}
