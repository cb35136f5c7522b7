package dev.parquetext.spark.scan;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.AtomicType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.VariantType;
import scala.collection.Iterator;
import scala.collection.JavaConverters;
import scala.collection.immutable.Seq;

/**
 * Hides wide relations of flat columns from the optimizer's rules that prune nested columns and variants.
 *
 * <p>These rules have no effect on such a relation, but they find this out by all of its columns, several times. The
 * relation has another type while they run; the optimized plan has the original one again. Rules for partitions need
 * the original type, so a relation with partition columns keeps it. So does each relation of a query with subqueries:
 * they are optimized separately, and Spark merges them with equal parts of the query.
 */
final class FlatRules {
    private static final int WIDE = 500;
    private static final String EXCLUDED = "spark.sql.optimizer.excludedRules";

    private FlatRules() {}

    static void addTo(SparkSessionExtensions extensions) {
        extensions.injectPreCBORule(FlatRules::before);
    }

    /** Return the first rule. Spark requests it for each query, before it looks for the user's own optimizations. */
    private static Rule<LogicalPlan> before(SparkSession session) {
        Seq<Rule<LogicalPlan>> optimizations = session.experimental().extraOptimizations();
        List<Rule<LogicalPlan>> all = new ArrayList<>();
        all.add(new After());
        for (Iterator<Rule<LogicalPlan>> each = optimizations.iterator(); each.hasNext(); ) {
            Rule<LogicalPlan> rule = each.next();
            if (rule instanceof After) return new Before(session);
            all.add(rule);
        }
        session.experimental().extraOptimizations_$eq(JavaConverters.asScalaBuffer(all).toSeq());
        return new Before(session);
    }

    private static final class Before extends Rule<LogicalPlan> {
        private final SparkSession session;

        Before(SparkSession session) {
            this.session = session;
        }

        @Override
        public LogicalPlan apply(LogicalPlan plan) {
            if (!Switch.isOn(session)) return plan;
            LogicalPlan hidden = plan;
            if (willBeShown() && !(plan instanceof Subquery) && !plan.containsPattern(TreePattern.PLAN_EXPRESSION()))
                hidden = plan.transformDown(Replacing.of(LogicalRelation.class, Before::isFlat, Before::hidden));
            NullabilityRule.mark(hidden);
            return hidden;
        }

        /** Return false if the user excludes the rule that gives relations their type again. */
        private boolean willBeShown() {
            return !session.conf().get(EXCLUDED, "").contains(After.class.getName());
        }

        private static boolean isFlat(LogicalRelation plan) {
            if (!(plan.relation() instanceof HadoopFsRelation)) return false;
            HadoopFsRelation relation = (HadoopFsRelation) plan.relation();
            return relation.fileFormat().getClass() == ParquetFileFormat.class
                    && relation.partitionSchema().fields().length == 0
                    && areFlat(((LogicalPlan) plan).output());
        }

        /** Metadata columns are structs. */
        private static boolean areFlat(Seq<Attribute> columns) {
            if (columns.size() < WIDE) return false;
            for (Iterator<Attribute> each = columns.iterator(); each.hasNext(); ) {
                DataType type = each.next().dataType();
                if (!(type instanceof AtomicType) || type instanceof VariantType) return false;
            }
            return true;
        }

        private static LogicalPlan hidden(LogicalRelation plan) {
            return plan.makeCopy(Relations.arguments(plan, plan.relation(), new FlatRelation(plan)));
        }
    }

    private static final class After extends Rule<LogicalPlan> {
        /** Rules that run in between may add subqueries, such as those that prune partitions of another relation. */
        @Override
        public LogicalPlan apply(LogicalPlan plan) {
            Replacing<LogicalPlan, LogicalRelation> shown =
                    Replacing.of(LogicalRelation.class, After::isHidden, After::shown);
            return plan.containsPattern(TreePattern.PLAN_EXPRESSION())
                    ? plan.transformDownWithSubqueries(shown)
                    : plan.transformDown(shown);
        }

        private static boolean isHidden(LogicalRelation plan) {
            return plan.relation() instanceof FlatRelation;
        }

        private static LogicalPlan shown(LogicalRelation plan) {
            LogicalRelation original = ((FlatRelation) plan.relation()).plan;
            Object[] arguments = Relations.arguments(plan, plan.relation(), original.relation());
            for (int i = 0; i < arguments.length; i++)
                if (arguments[i] != original.productElement(i)) return plan.makeCopy(arguments);
            return original;
        }
    }
}
