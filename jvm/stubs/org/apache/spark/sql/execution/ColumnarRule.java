package org.apache.spark.sql.execution;

import org.apache.spark.sql.catalyst.rules.Rule;

public class ColumnarRule {
    public ColumnarRule() {}

    public native Rule<SparkPlan> postColumnarTransitions();
}
