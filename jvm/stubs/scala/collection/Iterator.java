package scala.collection;

public interface Iterator<A> {
    boolean hasNext();

    A next();
}
