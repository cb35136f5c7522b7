package org.apache.parquet.hadoop;

import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

public class Footer {
    public Footer(Path path, ParquetMetadata metadata) {}
}
