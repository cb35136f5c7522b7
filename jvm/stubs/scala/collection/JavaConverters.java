package scala.collection;

import java.util.List;
import scala.collection.mutable.Buffer;

public final class JavaConverters {
    public static native <A> Buffer<A> asScalaBuffer(List<A> list);
}
