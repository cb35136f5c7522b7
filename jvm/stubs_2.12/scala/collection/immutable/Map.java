package scala.collection.immutable;

public interface Map<K, V> {
    <W> Map<K, W> updated(K key, W value);
}
