package org.apache.spark.sql.catalyst.plans.logical;

import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.PartialFunction;

public abstract class LogicalPlan extends TreeNode<LogicalPlan> {
    public native LogicalPlan resolveOperatorsUp(PartialFunction<LogicalPlan, LogicalPlan> rule);
}
