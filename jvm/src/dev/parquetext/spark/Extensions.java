package dev.parquetext.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** What {@code spark.sql.extensions} names: scans of Parquet files read slices of their footers from here on. */
public final class Extensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        extensions.injectColumnar(ScanRule::new);
        SchemaRules.addTo(extensions);
        return BoxedUnit.UNIT;
    }
}
