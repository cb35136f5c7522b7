package org.apache.spark.sql.catalyst.plans.logical;

import org.apache.spark.sql.catalyst.plans.QueryPlan;
import scala.PartialFunction;

public abstract class LogicalPlan extends QueryPlan<LogicalPlan> {
    public native boolean analyzed();

    public native LogicalPlan resolveOperatorsUp(PartialFunction<LogicalPlan, LogicalPlan> rule);

    public native boolean resolved();
}
