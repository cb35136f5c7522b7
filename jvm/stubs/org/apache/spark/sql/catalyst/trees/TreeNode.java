package org.apache.spark.sql.catalyst.trees;

import scala.PartialFunction;
import scala.Product;

public abstract class TreeNode<BaseType extends TreeNode<BaseType>> implements Product {
    public native BaseType makeCopy(Object[] argument);

    public native BaseType transformUp(PartialFunction<BaseType, BaseType> rule);
}
