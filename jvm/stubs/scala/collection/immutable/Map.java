package scala.collection.immutable;

public interface Map<K, V> extends MapOps {
    MapOps removed(K key);

    <W> MapOps updated(K key, W value);
}
