package org.apache.spark.sql.catalyst.expressions;

public abstract class Attribute extends Expression {
    public abstract ExprId exprId();
}
