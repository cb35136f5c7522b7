package dev.parquetext.spark.scan;

import java.io.Serializable;
import java.lang.reflect.Field;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Map;

/** The metrics of a scan's footers in Spark's UI. */
final class ScanMetrics implements Serializable {
    private static final long serialVersionUID = 1;

    /** Splits whose footer was a slice. */
    final SQLMetric sliced;

    /** Splits whose footer was that of the file. */
    final SQLMetric whole;

    /** Bytes that were read to make slices, and of whole footers. */
    final SQLMetric bytes;

    /** Upgraded files that had to be read as they are, each counted by its first split. */
    final SQLMetric fellBack;

    ScanMetrics(SparkContext context) {
        sliced = SQLMetrics.createMetric(context, "footers sliced");
        whole = SQLMetrics.createMetric(context, "footers whole");
        bytes = SQLMetrics.createSizeMetric(context, "bytes of footers read", -1);
        fellBack = SQLMetrics.createMetric(context, "files that fell back");
    }

    /**
     * Adds these metrics to those of a scan.
     *
     * <p>Spark has no way in for it: the field that holds the scan's metrics, found by its value, gets a larger map.
     * If there is no such field, the scan shows only its own metrics.
     */
    void show(SparkPlan scan) {
        Map<String, SQLMetric> own = scan.metrics();
        Map<String, SQLMetric> all = ScalaMaps.with(own, "footersSliced", sliced);
        all = ScalaMaps.with(all, "footersWhole", whole);
        all = ScalaMaps.with(all, "footerBytes", bytes);
        all = ScalaMaps.with(all, "footersFellBack", fellBack);
        try {
            for (Field field : scan.getClass().getDeclaredFields()) {
                if (!Map.class.isAssignableFrom(field.getType())) continue;
                field.setAccessible(true);
                if (field.get(scan) == own) field.set(scan, all);
            }
        } catch (ReflectiveOperationException | RuntimeException error) {
            LoggerFactory.getLogger(ScanMetrics.class).info("the metrics of footers are not shown", error);
        }
    }
}
