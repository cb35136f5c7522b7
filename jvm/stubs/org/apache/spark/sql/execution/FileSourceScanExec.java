package org.apache.spark.sql.execution;

import org.apache.spark.sql.execution.datasources.HadoopFsRelation;

public class FileSourceScanExec extends SparkPlan {
    public native HadoopFsRelation relation();
}
