package org.apache.spark.sql.catalyst.trees;

import scala.Enumeration;

public final class TreePattern {
    public static native Enumeration.Value PLAN_EXPRESSION();
}
