package scala.runtime;

import java.io.Serializable;

public final class BoxedUnit implements Serializable {
    public static final BoxedUnit UNIT = null;
}
