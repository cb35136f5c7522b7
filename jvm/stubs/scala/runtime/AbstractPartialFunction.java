package scala.runtime;

import scala.Function1;
import scala.PartialFunction;

public abstract class AbstractPartialFunction<T1, R> implements PartialFunction<T1, R> {
    public AbstractPartialFunction() {}

    public native R apply(T1 argument);

    public native <A1 extends T1, B1> B1 applyOrElse(A1 argument, Function1<A1, B1> function);
}
