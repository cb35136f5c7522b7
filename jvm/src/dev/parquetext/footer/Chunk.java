package dev.parquetext.footer;

/** The metadata of a column chunk, independent of the form of the footer. */
final class Chunk {
    // The fields that a chunk has; numbers without their bit are undefined.
    static final int TYPE = 1, CODEC = 1 << 1, UNCOMPRESSED = 1 << 2, COMPRESSED = 1 << 3, DATA_PAGE = 1 << 4;
    static final int INDEX_PAGE = 1 << 5, DICTIONARY = 1 << 6, BLOOM_OFFSET = 1 << 7, BLOOM_LENGTH = 1 << 8;
    static final int OFFSET_INDEX = 1 << 9, COLUMN_INDEX = 1 << 10, STATISTICS = 1 << 11, NULL_COUNT = 1 << 12;
    static final int DISTINCT_COUNT = 1 << 13, MIN_EXACT_PRESENT = 1 << 14, MIN_EXACT = 1 << 15;
    static final int MAX_EXACT_PRESENT = 1 << 16, MAX_EXACT = 1 << 17, ONLY_DICTIONARY = 1 << 18;

    /** The ColumnChunk of the Thrift footer; null if the chunk consists of the fields below. */
    Bytes thrift;

    /** The offset in {@link #thrift} of the ColumnMetaData if it lacks path_in_schema; else -1. */
    int withoutPath = -1;

    int has;
    boolean hasMetadata;

    /** -1 if they are absent. */
    long totalUncompressedSize = -1, totalCompressedSize = -1;

    long dataPageOffset, dictionaryPageOffset, indexPageOffset;
    int type, codec, encodings;
    long numValues;
    long bloomOffset;
    int bloomLength;
    long offsetIndexOffset, columnIndexOffset;
    int offsetIndexLength, columnIndexLength;
    long nullCount, distinctCount;

    /** Bounds; null if there is none. The deprecated ones come from Thrift bytes alone. */
    byte[] min, max, deprecatedMin, deprecatedMax;

    boolean has(int field) {
        return (has & field) != 0;
    }
}
