package org.apache.parquet.hadoop.metadata;

public class ParquetMetadata {}
