package org.apache.spark.sql.catalyst.expressions;

import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataType;

public abstract class Expression extends TreeNode<Expression> {
    public abstract DataType dataType();

    public abstract boolean nullable();
}
