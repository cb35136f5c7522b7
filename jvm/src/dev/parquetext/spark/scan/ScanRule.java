package dev.parquetext.spark.scan;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Replaces the format of Spark's own Parquet scans by the format that slices footers.
 *
 * <p>It runs after all rules by which other engines replace scans, and changes only the remaining scans. Formats that
 * extend Spark's, such as Delta Lake's, are not changed.
 */
final class ScanRule extends ColumnarRule {
    /** Spark considers all Parquet formats equal and keeps the old one of two equal plans, so an option must differ. */
    private static final String MARK = "parquetext.scan";

    private static final String SHOWN = "(footers sliced by parquetext)";

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

    /** Return the plan unchanged if this version of Spark is not supported: a query never fails without a slice. */
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
        Object[] arguments = Relations.arguments(scan, relation, sliced);
        for (int i = arguments.length; i-- > 0; ) {
            if (!(arguments[i] instanceof Option) || !arguments[i].equals(scan.tableIdentifier())) continue;
            arguments[i] = Option.apply(named(scan.tableIdentifier()));
            break; // the last one: absent arguments are all equal
        }
        SparkPlan copy = scan.makeCopy(arguments);
        metrics.show(copy);
        return copy;
    }

    /** The table's name in plans. The format's name stays, because Spark decides by it which filters to push. */
    private static TableIdentifier named(Option<TableIdentifier> table) {
        if (table.isEmpty()) return new TableIdentifier(SHOWN, Option.empty(), Option.empty());
        TableIdentifier own = table.get();
        return new TableIdentifier(own.table() + " " + SHOWN, own.database(), own.catalog());
    }
}
