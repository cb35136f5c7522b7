package org.apache.parquet;

import org.apache.parquet.format.converter.ParquetMetadataConverter;

public class ParquetReadOptions {
    public static class Builder {
        public native ParquetReadOptions build();

        public native ParquetReadOptions.Builder withMetadataFilter(ParquetMetadataConverter.MetadataFilter filter);
    }
}
