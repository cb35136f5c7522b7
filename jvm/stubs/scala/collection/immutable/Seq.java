package scala.collection.immutable;

import scala.collection.Iterator;

public interface Seq<A> {
    A apply(int index);

    Iterator<A> iterator();

    int size();
}
