package dev.parquetext.spark.scan;

import scala.collection.immutable.Map;

/** Scala's maps, whose types javac does not see through. */
final class ScalaMaps {
    private ScalaMaps() {}

    /** The map with one entry more, or another value of it. */
    @SuppressWarnings("unchecked")
    static <K, V> Map<K, V> with(Map<K, V> map, K key, V value) {
        Object larger = map.updated(key, value);
        return (Map<K, V>) larger;
    }
}
