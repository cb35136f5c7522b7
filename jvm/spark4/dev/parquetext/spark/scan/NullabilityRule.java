package dev.parquetext.spark.scan;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.UpdateAttributeNullability$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.rules.RuleId;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * Marks the parts of a plan that a rule of Spark, {@code UpdateAttributeNullability}, would not change.
 *
 * <p>Spark's rule groups all columns below each operator by their ids, although an operator refers to few of them. It
 * skips parts that have its mark for a rule without effect; otherwise it sets the mark itself.
 */
final class NullabilityRule extends Rule<LogicalPlan> {
    private final SparkSession session;

    NullabilityRule(SparkSession session) {
        this.session = session;
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        if (Switch.isOn(session)) mark(plan);
        return plan;
    }

    /** Marks a plan for the next time that Spark applies its rule. */
    static void mark(LogicalPlan plan) {
        try {
            isSettled(plan, UpdateAttributeNullability$.MODULE$.ruleId());
        } catch (RuntimeException | LinkageError error) {
            LoggerFactory.getLogger(NullabilityRule.class).debug("the plan is not marked", error);
        }
    }

    /** Return true if Spark's rule changes nothing in a plan, which then has the mark unless it is skipped anyway. */
    private static boolean isSettled(LogicalPlan plan, RuleId rule) {
        if (plan.analyzed() || plan.isRuleIneffective(rule) || plan.children().size() == 0) return true;
        boolean settled = true;
        for (Iterator<LogicalPlan> each = plan.children().iterator(); each.hasNext(); )
            settled &= isSettled(each.next(), rule);
        if (!settled || !plan.resolved() || !agrees(plan)) return false;
        plan.markRuleAsIneffective(rule);
        return true;
    }

    /** Return true if each column in a plan's expressions may be null exactly if one of its sources may be. */
    private static boolean agrees(LogicalPlan plan) {
        Map<ExprId, Boolean> used = new HashMap<>();
        for (Iterator<Expression> each = plan.expressions().iterator(); each.hasNext(); )
            for (Iterator<Expression> leaves = each.next().collectLeaves().iterator(); leaves.hasNext(); ) {
                Expression leaf = leaves.next();
                if (!(leaf instanceof Attribute)) continue;
                Boolean other = used.put(((Attribute) leaf).exprId(), leaf.nullable());
                if (other != null && other != leaf.nullable()) return false;
            }
        if (used.isEmpty()) return true;
        Map<ExprId, Boolean> sources = new HashMap<>();
        for (Iterator<LogicalPlan> each = plan.children().iterator(); each.hasNext(); )
            addSources(sources, used, each.next().output());
        for (Map.Entry<ExprId, Boolean> each : sources.entrySet())
            if (!each.getValue().equals(used.get(each.getKey()))) return false;
        return true;
    }

    private static void addSources(Map<ExprId, Boolean> sources, Map<ExprId, Boolean> used, Seq<Attribute> columns) {
        for (Iterator<Attribute> each = columns.iterator(); each.hasNext(); ) {
            Attribute column = each.next();
            if (used.containsKey(column.exprId())) sources.merge(column.exprId(), column.nullable(), Boolean::logicalOr);
        }
    }
}
