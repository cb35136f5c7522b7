package org.apache.spark.sql.execution.datasources.parquet;

import org.apache.spark.sql.internal.SQLConf;
import scala.collection.immutable.Map;

public class ParquetOptions {
    public ParquetOptions(Map<String, String> map, SQLConf conf) {}

    public native boolean mergeSchema();
}
