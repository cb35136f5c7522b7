package org.apache.spark.sql.execution.datasources;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;

public final class FileSourceStrategy {
    public static native Seq<SparkPlan> apply(LogicalPlan plan);
}
