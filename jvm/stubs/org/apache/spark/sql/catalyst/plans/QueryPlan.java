package org.apache.spark.sql.catalyst.plans;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.PartialFunction;
import scala.collection.immutable.Seq;

public abstract class QueryPlan<PlanType extends QueryPlan<PlanType>> extends TreeNode<PlanType> {
    public final native Seq<Expression> expressions();

    public abstract Seq<Attribute> output();

    public native PlanType transformDownWithSubqueries(PartialFunction<PlanType, PlanType> rule);
}
