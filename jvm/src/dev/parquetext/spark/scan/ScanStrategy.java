package dev.parquetext.spark.scan;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.datasources.FileSourceStrategy;
import scala.collection.Iterator;
import scala.collection.JavaConverters;
import scala.collection.immutable.Seq;

/** Sliced scans for a session that was started without the extension: Spark's own strategy, and {@link ScanRule}. */
final class ScanStrategy extends SparkStrategy {
    private static final long serialVersionUID = 1;

    private final transient ScanRule rule;

    private ScanStrategy(SparkSession session) {
        rule = new ScanRule(session);
    }

    /** Adds it to a session that has neither it nor the extension. */
    static void addTo(SparkSession session) {
        List<SparkStrategy> strategies = new ArrayList<>();
        for (Iterator<SparkStrategy> each = session.experimental().extraStrategies().iterator(); each.hasNext(); ) {
            SparkStrategy strategy = each.next();
            if (strategy instanceof ScanStrategy) return;
            strategies.add(strategy);
        }
        strategies.add(new ScanStrategy(session));
        session.experimental().extraStrategies_$eq(JavaConverters.asScalaBuffer(strategies).toSeq());
    }

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        List<SparkPlan> plans = new ArrayList<>();
        for (Iterator<SparkPlan> each = FileSourceStrategy.apply(plan).iterator(); each.hasNext(); ) {
            plans.add(rule.postColumnarTransitions().apply(each.next()));
        }
        return JavaConverters.asScalaBuffer(plans).toSeq();
    }
}
