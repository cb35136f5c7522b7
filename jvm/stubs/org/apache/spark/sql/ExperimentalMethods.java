package org.apache.spark.sql;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.collection.immutable.Seq;

public class ExperimentalMethods {
    public native Seq<Rule<LogicalPlan>> extraOptimizations();

    public native void extraOptimizations_$eq(Seq<Rule<LogicalPlan>> values);

    public native Seq<SparkStrategy> extraStrategies();

    public native void extraStrategies_$eq(Seq<SparkStrategy> values);
}
