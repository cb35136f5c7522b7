package org.apache.spark.sql.catalyst.trees;

import org.apache.spark.sql.catalyst.rules.RuleId;
import scala.Enumeration;
import scala.PartialFunction;
import scala.Product;
import scala.collection.immutable.Seq;

public abstract class TreeNode<BaseType extends TreeNode<BaseType>> implements Product {
    public abstract Seq<BaseType> children();

    public native Seq<BaseType> collectLeaves();

    public final native boolean containsPattern(Enumeration.Value pattern);

    public native boolean isRuleIneffective(RuleId rule);

    public native BaseType makeCopy(Object[] argument);

    public native void markRuleAsIneffective(RuleId rule);

    public native BaseType transformDown(PartialFunction<BaseType, BaseType> rule);

    public native BaseType transformUp(PartialFunction<BaseType, BaseType> rule);
}
