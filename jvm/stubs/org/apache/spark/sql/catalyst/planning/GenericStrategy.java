package org.apache.spark.sql.catalyst.planning;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.collection.immutable.Seq;

public abstract class GenericStrategy<PhysicalPlan extends TreeNode<PhysicalPlan>> {
    public abstract Seq<PhysicalPlan> apply(LogicalPlan plan);
}
