package scala.collection.mutable;

import scala.collection.immutable.Seq;

public interface Buffer<A> {
    Seq<A> toSeq();
}
