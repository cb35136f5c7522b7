package scala.runtime;

import scala.Function1;

public abstract class AbstractFunction1<T1, R> implements Function1<T1, R> {
    public AbstractFunction1() {}
}
