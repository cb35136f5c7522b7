package org.apache.spark.sql;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import scala.Function1;

public class SparkSessionExtensions {
    public native void injectColumnar(Function1<SparkSession, ColumnarRule> function);

    public native void injectHintResolutionRule(Function1<SparkSession, Rule<LogicalPlan>> function);

    public native void injectPostHocResolutionRule(Function1<SparkSession, Rule<LogicalPlan>> function);

    public native void injectPreCBORule(Function1<SparkSession, Rule<LogicalPlan>> function);
}
