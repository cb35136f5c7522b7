package org.apache.spark.sql.catalyst.analysis;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

public abstract class UpdateAttributeNullability$ extends Rule<LogicalPlan> {
    public static final UpdateAttributeNullability$ MODULE$ = null;
}
