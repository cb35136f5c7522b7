package dev.parquetext.footer;

/** A column chunk's facts, whichever form they come from. */
final class Chunk {
    // What a chunk has; numbers without their bit mean nothing.
    static final int TYPE = 1, CODEC = 1 << 1, UNCOMPRESSED = 1 << 2, COMPRESSED = 1 << 3, DATA_PAGE = 1 << 4;
    static final int INDEX_PAGE = 1 << 5, DICTIONARY = 1 << 6, BLOOM_OFFSET = 1 << 7, BLOOM_LENGTH = 1 << 8;
    static final int OFFSET_INDEX = 1 << 9, COLUMN_INDEX = 1 << 10, STATISTICS = 1 << 11, NULL_COUNT = 1 << 12;
    static final int DISTINCT_COUNT = 1 << 13, MIN_EXACT_SAID = 1 << 14, MIN_EXACT = 1 << 15;
    static final int MAX_EXACT_SAID = 1 << 16, MAX_EXACT = 1 << 17, DICTIONARY_ALONE = 1 << 18;

    /** The ColumnChunk as it is in the Thrift footer; null where it is made of the facts below. */
    Bytes thrift;

    /** Where in {@link #thrift} the ColumnMetaData begins that has to get a path_in_schema; -1 where none has to. */
    int withoutPath = -1;

    int has;
    boolean hasMetadata;

    /** -1 where they are absent. */
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
