package dev.parquetext.spark.scan;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.slf4j.LoggerFactory;

/**
 * Gives Spark's own scans of Parquet files the format that slices footers.
 *
 * <p>It runs after all rules that replace scans by engines of their own, and takes the remaining ones. Formats that
 * extend Spark's, such as Delta Lake's, stay as they are.
 */
final class ScanRule extends ColumnarRule {
    /** All Parquet formats are equal for Spark, which keeps the old one of two equal plans: so an option differs. */
    private static final String MARK = "parquetext.scan";

    private final SparkSession session;

    ScanRule(SparkSession session) {
        this.session = session;
    }

    @Override
    public Rule<SparkPlan> postColumnarTransitions() {
        return new Rule<SparkPlan>() {
            @Override
            public SparkPlan apply(SparkPlan plan) {
                return Switch.isOn(session) ? sliced(plan) : plan;
            }
        };
    }

    /** Return the plan unchanged if this Spark is unknown: a query never fails for want of a slice. */
    private SparkPlan sliced(SparkPlan plan) {
        try {
            return plan.transformUp(Replacing.of(FileSourceScanExec.class, ScanRule::isOurs, this::slicedScan));
        } catch (RuntimeException | LinkageError error) {
            LoggerFactory.getLogger(ScanRule.class)
                    .warn("scans parse whole footers in this version of Spark ({})", error.toString());
            return plan;
        }
    }

    private static boolean isOurs(FileSourceScanExec scan) {
        return scan.relation().fileFormat().getClass() == ParquetFileFormat.class;
    }

    /** The same scan by our format, with metrics of its own. */
    private SparkPlan slicedScan(FileSourceScanExec scan) {
        ScanMetrics metrics = new ScanMetrics(session.sparkContext());
        HadoopFsRelation relation = scan.relation();
        HadoopFsRelation sliced = Relations.with(
                relation, new SlicingFormat(metrics), ScalaMaps.with(relation.options(), MARK, "sliced"));
        SparkPlan copy = scan.makeCopy(Relations.arguments(scan, relation, sliced));
        metrics.show(copy);
        return copy;
    }
}
