package org.apache.parquet.format.converter;

public class ParquetMetadataConverter {
    public static final ParquetMetadataConverter.MetadataFilter SKIP_ROW_GROUPS = null;

    public abstract static class MetadataFilter {}
}
