package dev.parquetext.spark.scan;

import org.apache.spark.sql.SparkSession;

/** Decides for each query whether a session's scans are sliced. */
final class Switch {
    private static final String NAME = "spark.parquetext.scan.enabled";

    private Switch() {}

    static boolean isOn(SparkSession session) {
        return Boolean.parseBoolean(session.conf().get(NAME, "true"));
    }
}
