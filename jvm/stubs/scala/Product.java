package scala;

public interface Product {
    int productArity();

    Object productElement(int i);
}
