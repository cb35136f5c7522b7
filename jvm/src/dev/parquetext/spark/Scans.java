package dev.parquetext.spark;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;

/** Extends sessions of one version of Spark and of Scala, for which it is compiled. */
public interface Scans {
    /** Adds rules to the extensions of sessions. */
    void extend(SparkSessionExtensions extensions);

    /** Adds them to a session that was started without the extension, unless it has them. */
    void addTo(SparkSession session);
}
