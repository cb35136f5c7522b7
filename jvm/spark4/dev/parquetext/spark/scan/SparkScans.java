package dev.parquetext.spark.scan;

import dev.parquetext.spark.Scans;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;

/** Adds scans by slices, and inference by slices, to sessions of Spark 4. */
public final class SparkScans implements Scans {
    @Override
    public void extend(SparkSessionExtensions extensions) {
        extensions.injectColumnar(ScanRule::new);
        SchemaRules.addTo(extensions);
        extensions.injectPostHocResolutionRule(NullabilityRule::new);
        FlatRules.addTo(extensions);
    }

    @Override
    public void addTo(SparkSession session) {
        ScanStrategy.addTo(session);
    }
}
