package org.apache.parquet.hadoop;

import java.io.Closeable;
import java.io.IOException;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.InputFile;

public class ParquetFileReader implements Closeable {
    public native void close() throws IOException;

    public native ParquetMetadata getFooter();

    public static native ParquetFileReader open(InputFile inputFile, ParquetReadOptions options) throws IOException;
}
