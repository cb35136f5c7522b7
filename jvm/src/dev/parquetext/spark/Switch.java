package dev.parquetext.spark;

import org.apache.spark.sql.SparkSession;

/** Whether a session's scans are to be sliced, asked anew for each query. */
final class Switch {
    private static final String NAME = "spark.parquetext.scan.enabled";

    private Switch() {}

    static boolean isOn(SparkSession session) {
        return Boolean.parseBoolean(session.conf().get(NAME, "true"));
    }
}
