package dev.parquetext.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** The entry for {@code spark.sql.extensions}: scans of Parquet files then read slices of their footers. */
public final class Extensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        extensions.injectColumnar(ScanRule::new);
        SchemaRules.addTo(extensions);
        return BoxedUnit.UNIT;
    }
}
