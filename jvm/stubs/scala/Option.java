package scala;

import java.io.Serializable;

public abstract class Option<A> implements Serializable {
    public static native <A> Option<A> apply(A argument);

    public static native <A> Option<A> empty();

    public abstract A get();

    public native boolean isDefined();

    public native boolean isEmpty();
}
