package org.apache.spark.sql.execution;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.metric.SQLMetric;
import scala.collection.immutable.Map;

public abstract class SparkPlan extends TreeNode<SparkPlan> implements Serializable {
    public native SparkPlan makeCopy(Object[] argument);

    public native Map<String, SQLMetric> metrics();
}
