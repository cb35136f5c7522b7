package org.apache.parquet;

import org.apache.hadoop.conf.Configuration;

public class HadoopReadOptions extends ParquetReadOptions {
    public static native HadoopReadOptions.Builder builder(Configuration conf);

    public static class Builder extends ParquetReadOptions.Builder {}
}
