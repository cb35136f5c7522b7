package dev.parquetext.footer;

/** A column chunk's facts, whichever form they come from. */
final class Chunk {
    // The fields that a chunk has; numbers without their bit are undefined.
    static final int TYPE = 1, CODEC = 1 << 1, UNCOMPRESSED = 1 << 2, COMPRESSED = 1 << 3, DATA_PAGE = 1 << 4;
    static final int INDEX_PAGE = 1 << 5, DICTIONARY = 1 << 6, BLOOM_OFFSET = 1 << 7, BLOOM_LENGTH = 1 << 8;
    static final int OFFSET_INDEX = 1 << 9, COLUMN_INDEX = 1 << 10, STATISTICS = 1 << 11, NULL_COUNT = 1 << 12;
    static final int DISTINCT_COUNT = 1 << 13, MIN_EXACT_SAID = 1 << 14, MIN_EXACT = 1 << 15;
    static final int MAX_EXACT_SAID = 1 << 16, MAX_EXACT = 1 << 17, DICTIONARY_ALONE = 1 << 18;

    /** The ColumnChunk of the Thrift footer; null if the chunk consists of the fields below. */
    Bytes thrift;

    /** The offset in {@link #thrift} of a ColumnMetaData that needs a path_in_schema; -1 if none needs it. */
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

    boolean has(int fact) {
        return (has & fact) != 0;
    }
}
