package org.apache.spark.sql.catalyst.expressions;

import java.io.Serializable;

public class ExprId implements Serializable {}
