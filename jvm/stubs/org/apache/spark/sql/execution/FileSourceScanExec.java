package org.apache.spark.sql.execution;

import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import scala.Option;

public class FileSourceScanExec extends SparkPlan {
    public native HadoopFsRelation relation();

    public native Option<TableIdentifier> tableIdentifier();
}
