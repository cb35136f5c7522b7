package org.apache.spark.sql.execution;

import org.apache.spark.sql.catalyst.planning.GenericStrategy;

public abstract class SparkStrategy extends GenericStrategy<SparkPlan> {
    public SparkStrategy() {}
}
