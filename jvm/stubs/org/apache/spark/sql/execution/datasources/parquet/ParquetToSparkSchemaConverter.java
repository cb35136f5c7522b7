package org.apache.spark.sql.execution.datasources.parquet;

import org.apache.spark.sql.internal.SQLConf;

public class ParquetToSparkSchemaConverter {
    public ParquetToSparkSchemaConverter(SQLConf conf) {}
}
