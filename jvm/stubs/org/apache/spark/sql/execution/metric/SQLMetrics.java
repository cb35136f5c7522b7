package org.apache.spark.sql.execution.metric;

import org.apache.spark.SparkContext;

public final class SQLMetrics {
    public static native SQLMetric createMetric(SparkContext context, String text);

    public static native SQLMetric createSizeMetric(SparkContext context, String text, long l);
}
