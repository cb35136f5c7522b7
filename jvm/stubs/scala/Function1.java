package scala;

public interface Function1<T1, R> {
    R apply(T1 argument);
}
