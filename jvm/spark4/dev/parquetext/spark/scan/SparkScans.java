package dev.parquetext.spark.scan;

import dev.parquetext.spark.Scans;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;

/** What sessions of Spark 4 get: scans by slices, and inference by slices. */
public final class SparkScans implements Scans {
    @Override
    public void extend(SparkSessionExtensions extensions) {
        extensions.injectColumnar(ScanRule::new);
        SchemaRules.addTo(extensions);
    }

    @Override
    public void addTo(SparkSession session) {
        ScanStrategy.addTo(session);
    }
}
