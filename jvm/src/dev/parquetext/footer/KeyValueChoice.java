package dev.parquetext.footer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Which key-values of a footer stay in a slice. */
enum KeyValueChoice {
    /** The key-values that Spark's scan needs: the calendar of old dates. All others may take megabytes. */
    SCAN(
            "org.apache.spark.version",
            "org.apache.spark.legacyDateTime",
            "org.apache.spark.legacyINT96",
            "org.apache.spark.timeZone"),
    /** The same, and the schema as Spark wrote it. */
    INFERENCE(
            "org.apache.spark.version",
            "org.apache.spark.legacyDateTime",
            "org.apache.spark.legacyINT96",
            "org.apache.spark.timeZone",
            "org.apache.spark.sql.parquet.row.metadata"),
    NONE;

    private static final int MOST_IN_SCAN = 4096;
    private final Set<String> keys;

    KeyValueChoice(String... keys) {
        this.keys = new HashSet<>(Arrays.asList(keys));
    }

    /** Bytes that a wanted pair has at most: longer ones are not looked at. */
    int most() {
        return this == INFERENCE ? Integer.MAX_VALUE : MOST_IN_SCAN;
    }

    boolean has(Bytes key) {
        return keys.contains(new String(key.data, key.begin, key.size, StandardCharsets.UTF_8));
    }
}
