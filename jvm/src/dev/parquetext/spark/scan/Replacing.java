package dev.parquetext.spark.scan;

import java.util.function.Function;
import java.util.function.Predicate;
import scala.Function1;
import scala.runtime.AbstractPartialFunction;

/** A change of some nodes of a plan. */
final class Replacing<P, N extends P> extends AbstractPartialFunction<P, P> {
    private static final long serialVersionUID = 1;

    private final transient Class<N> kind;
    private final transient Predicate<N> which;
    private final transient Function<N, ? extends P> change;

    private Replacing(Class<N> kind, Predicate<N> which, Function<N, ? extends P> change) {
        this.kind = kind;
        this.which = which;
        this.change = change;
    }

    static <P, N extends P> Replacing<P, N> of(Class<N> kind, Predicate<N> which, Function<N, ? extends P> change) {
        return new Replacing<>(kind, which, change);
    }

    @Override
    public boolean isDefinedAt(P plan) {
        return kind.isInstance(plan) && which.test(kind.cast(plan));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A extends P, B> B applyOrElse(A plan, Function1<A, B> other) {
        return isDefinedAt(plan) ? (B) change.apply(kind.cast(plan)) : other.apply(plan);
    }
}
