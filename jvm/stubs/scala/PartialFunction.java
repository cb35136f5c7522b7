package scala;

public interface PartialFunction<A, B> extends Function1<A, B> {
    <A1 extends A, B1> B1 applyOrElse(A1 argument, Function1<A1, B1> function);

    boolean isDefinedAt(A argument);
}
