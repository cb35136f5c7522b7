package org.apache.parquet.hadoop;

public class ParquetFileWriter implements AutoCloseable {
    public static final String PARQUET_COMMON_METADATA_FILE = "_common_metadata";

    public static final String PARQUET_METADATA_FILE = "_metadata";
}
