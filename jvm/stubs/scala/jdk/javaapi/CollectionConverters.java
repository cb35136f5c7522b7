package scala.jdk.javaapi;

import java.util.List;
import scala.collection.mutable.Buffer;

public final class CollectionConverters {
    public static native <A> Buffer<A> asScala(List<A> values);
}
