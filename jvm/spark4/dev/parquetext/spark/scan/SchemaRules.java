package dev.parquetext.spark.scan;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedDataSource;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import scala.collection.immutable.Map;

/**
 * Lets {@link SchemaFormat} infer the schema of {@code spark.read.parquet(...)}, and nothing else: before Spark looks
 * for the source its name becomes ours, and as soon as there is a relation its format is Spark's own again.
 */
final class SchemaRules {
    private static final String V1_SOURCES = "spark.sql.sources.useV1SourceList";

    /** An option of the relation while its format is ours: all Parquet formats are equal for Spark. */
    private static final String MARK = "parquetext.schema";

    private SchemaRules() {}

    static void addTo(SparkSessionExtensions extensions) {
        extensions.injectHintResolutionRule(Before::new);
        extensions.injectPostHocResolutionRule(session -> new After());
    }

    private static final class Before extends Rule<LogicalPlan> {
        private final SparkSession session;

        Before(SparkSession session) {
            this.session = session;
        }

        @Override
        public LogicalPlan apply(LogicalPlan plan) {
            return plan.resolveOperatorsUp(Replacing.of(UnresolvedDataSource.class, this::isOurs, Before::renamed));
        }

        private boolean isOurs(UnresolvedDataSource source) {
            return source.format().equalsIgnoreCase("parquet")
                    && source.userSpecifiedSchema().isEmpty()
                    && !source.isStreaming()
                    && ("," + SQLConf.get().getConfString(V1_SOURCES) + ",").contains(",parquet,")
                    && Switch.isOn(session);
        }

        private static LogicalPlan renamed(UnresolvedDataSource source) {
            return source.copy(
                    SchemaFormat.class.getName(),
                    source.userSpecifiedSchema(),
                    (CaseInsensitiveMap<String>) ScalaMaps.<String, String>with(source.options(), MARK, "ours"),
                    source.isStreaming(),
                    source.paths());
        }
    }

    private static final class After extends Rule<LogicalPlan> {
        @Override
        public LogicalPlan apply(LogicalPlan plan) {
            return plan.resolveOperatorsUp(Replacing.of(LogicalRelation.class, After::isOurs, After::restored));
        }

        private static boolean isOurs(LogicalRelation plan) {
            return plan.relation() instanceof HadoopFsRelation
                    && ((HadoopFsRelation) plan.relation()).fileFormat() instanceof SchemaFormat;
        }

        private static LogicalPlan restored(LogicalRelation plan) {
            HadoopFsRelation relation = (HadoopFsRelation) plan.relation();
            HadoopFsRelation own = Relations.with(
                    relation, new ParquetFileFormat(), unmarked(relation.options()));
            return plan.makeCopy(Relations.arguments(plan, relation, own));
        }

        @SuppressWarnings("unchecked")
        private static Map<String, String> unmarked(Map<String, String> options) {
            Object smaller = options.removed(MARK);
            return (Map<String, String>) smaller;
        }
    }
}
