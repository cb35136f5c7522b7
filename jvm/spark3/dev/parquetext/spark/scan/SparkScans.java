package dev.parquetext.spark.scan;

import dev.parquetext.spark.Scans;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;

/** Adds scans by slices to sessions of Spark 3.5. It has no rule that comes before the inference of a schema. */
public final class SparkScans implements Scans {
    @Override
    public void extend(SparkSessionExtensions extensions) {
        extensions.injectColumnar(ScanRule::new);
    }

    @Override
    public void addTo(SparkSession session) {
        ScanStrategy.addTo(session);
    }
}
