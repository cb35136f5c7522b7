package org.apache.spark.sql.catalyst.rules;

import org.apache.spark.sql.catalyst.trees.TreeNode;

public abstract class Rule<TreeType extends TreeNode<?>> {
    public Rule() {}

    public abstract TreeType apply(TreeType plan);

    public native RuleId ruleId();
}
