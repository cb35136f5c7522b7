package dev.parquetext.footer;

import java.io.IOException;
import java.util.zip.CRC32;

/** A leaf's chunks, read through a footer index: the Thrift bytes of each part share a checksum. */
final class IndexChunks {
    private final IndexFile file;
    private final IndexTail tail;
    private final IndexEntry leaf;

    IndexChunks(IndexFile file, IndexEntry leaf) {
        this.file = file;
        this.tail = file.tail;
        this.leaf = leaf;
    }

    /** Request the Thrift bytes of all row groups for the next round; the leaf's cells have been read. */
    void want() throws IOException, NotSliced {
        for (int part = 0; part * Wire.FLAT_PART_ROW_GROUPS < tail.rowGroups; part++)
            for (IndexFile.Range range : ranges(part)) file.want(range);
    }

    /** The chunks of all row groups. */
    Chunk[] read() throws IOException, NotSliced {
        Chunk[] chunks = new Chunk[tail.rowGroups];
        for (int part = 0; part * Wire.FLAT_PART_ROW_GROUPS < tail.rowGroups; part++) {
            IndexFile.Range[] ranges = ranges(part);
            CRC32 crc = new CRC32();
            for (int i = 0; i < ranges.length; i++) {
                Bytes bytes = file.thrift(ranges[i]);
                crc.update(bytes.data, bytes.begin, bytes.size);
                chunks[part * Wire.FLAT_PART_ROW_GROUPS + i] = new Chunk();
                chunks[part * Wire.FLAT_PART_ROW_GROUPS + i].thrift = bytes;
            }
            if ((int) crc.getValue() != cell(part).word(listsAt(part) - 4))
                throw cell(part).damaged("a wrong checksum of column chunks", listsAt(part) - 4);
        }
        for (Chunk chunk : chunks) readChunk(chunk);
        return chunks;
    }

    private Bytes cell(int part) throws IOException, NotSliced {
        return part == 0 ? leaf.cell : file.cell(tail.partAt(leaf.number, part), tail.partBytes(part));
    }

    private int listsAt(int part) {
        return part == 0 ? tail.schemaBytes + 4 : 8;
    }

    /** The ranges of a part's chunks, which ascend. */
    IndexFile.Range[] ranges(int part) throws IOException, NotSliced {
        Bytes cell = cell(part);
        int count = tail.groups(part), offsets = listsAt(part), lengths = offsets + count * tail.o;
        IndexFile.Range[] ranges = new IndexFile.Range[count];
        long end = 0;
        for (int i = 0; i < count; i++) {
            ranges[i] = file.range(cell, offsets + i * tail.o, lengths + i * tail.l, tail.l);
            if (ranges[i].offset < end) throw cell.damaged("column chunks that overlap", offsets + i * tail.o);
            end = ranges[i].offset + ranges[i].length;
        }
        return ranges;
    }

    // ---- facts of Thrift bytes

    static void readChunk(Chunk chunk) throws NotSliced {
        Bytes bytes = chunk.thrift;
        chunk.has = 0;
        ThriftIn in = new ThriftIn(bytes, 0);
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (in.id == Wire.THRIFT_COLUMN_CHUNK_CRYPTO_METADATA && in.type == Wire.TYPE_STRUCT
                    || in.id == Wire.THRIFT_COLUMN_CHUNK_ENCRYPTED_COLUMN_METADATA && in.type == Wire.TYPE_BINARY)
                throw new NotSliced(NotSliced.Reason.ENCRYPTED, "an encrypted column chunk");
            if (in.id == Wire.THRIFT_COLUMN_CHUNK_META_DATA && in.type == Wire.TYPE_STRUCT) readMetadata(in, chunk);
            else if (in.type == Wire.TYPE_I64 || in.type == Wire.TYPE_I32) readPlace(in, chunk);
            else in.skip();
        }
        if (in.at != bytes.size) throw bytes.damaged("a column chunk that is not exactly one struct", in.at);
    }

    private static void readPlace(ThriftIn in, Chunk chunk) throws NotSliced {
        if (in.type == Wire.TYPE_I32) {
            int length = in.i32();
            if (in.id == Wire.THRIFT_COLUMN_CHUNK_OFFSET_INDEX_LENGTH) chunk.offsetIndexLength = length;
            if (in.id == Wire.THRIFT_COLUMN_CHUNK_COLUMN_INDEX_LENGTH) chunk.columnIndexLength = length;
            return;
        }
        long offset = in.i64();
        if (in.id == Wire.THRIFT_COLUMN_CHUNK_OFFSET_INDEX_OFFSET) {
            chunk.offsetIndexOffset = offset;
            chunk.has |= Chunk.OFFSET_INDEX;
        } else if (in.id == Wire.THRIFT_COLUMN_CHUNK_COLUMN_INDEX_OFFSET) {
            chunk.columnIndexOffset = offset;
            chunk.has |= Chunk.COLUMN_INDEX;
        }
    }

    private static void readMetadata(ThriftIn in, Chunk chunk) throws NotSliced {
        chunk.hasMetadata = true;
        chunk.totalUncompressedSize = chunk.totalCompressedSize = -1;
        chunk.min = chunk.max = chunk.deprecatedMin = chunk.deprecatedMax = null;
        chunk.withoutPath = in.at;
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (in.id == Wire.THRIFT_COLUMN_META_DATA_PATH_IN_SCHEMA && in.type == Wire.TYPE_LIST)
                chunk.withoutPath = -1;
            if (in.type == Wire.TYPE_I64) readNumber(in, chunk);
            else if (in.id == Wire.THRIFT_COLUMN_META_DATA_STATISTICS && in.type == Wire.TYPE_STRUCT)
                readStatistics(in, chunk);
            else in.skip();
        }
    }

    private static void readStatistics(ThriftIn in, Chunk chunk) throws NotSliced {
        chunk.has |= Chunk.STATISTICS;
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (in.id == Wire.THRIFT_STATISTICS_NULL_COUNT && in.type == Wire.TYPE_I64) {
                chunk.nullCount = in.i64();
                chunk.has |= Chunk.NULL_COUNT;
            } else if (in.type == Wire.TYPE_BINARY) {
                readBound(in, chunk);
            } else if (in.type == Wire.TYPE_TRUE || in.type == Wire.TYPE_FALSE) {
                boolean isExact = in.type == Wire.TYPE_TRUE;
                if (in.id == Wire.THRIFT_STATISTICS_IS_MIN_VALUE_EXACT)
                    chunk.has |= Chunk.MIN_EXACT_PRESENT | (isExact ? Chunk.MIN_EXACT : 0);
                if (in.id == Wire.THRIFT_STATISTICS_IS_MAX_VALUE_EXACT)
                    chunk.has |= Chunk.MAX_EXACT_PRESENT | (isExact ? Chunk.MAX_EXACT : 0);
            } else {
                in.skip();
            }
        }
    }

    private static void readBound(ThriftIn in, Chunk chunk) throws NotSliced {
        Bytes value = in.binary();
        switch (in.id) {
            case Wire.THRIFT_STATISTICS_MAX:
                chunk.deprecatedMax = value.copy(0, value.size);
                break;
            case Wire.THRIFT_STATISTICS_MIN:
                chunk.deprecatedMin = value.copy(0, value.size);
                break;
            case Wire.THRIFT_STATISTICS_MAX_VALUE:
                chunk.max = value.copy(0, value.size);
                break;
            case Wire.THRIFT_STATISTICS_MIN_VALUE:
                chunk.min = value.copy(0, value.size);
                break;
            default:
                break;
        }
    }

    private static void readNumber(ThriftIn in, Chunk chunk) throws NotSliced {
        long value = in.i64();
        switch (in.id) {
            case Wire.THRIFT_COLUMN_META_DATA_NUM_VALUES:
                chunk.numValues = value;
                break;
            case Wire.THRIFT_COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE:
                chunk.totalUncompressedSize = value;
                break;
            case Wire.THRIFT_COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE:
                chunk.totalCompressedSize = value;
                break;
            case Wire.THRIFT_COLUMN_META_DATA_DATA_PAGE_OFFSET:
                chunk.dataPageOffset = value;
                chunk.has |= Chunk.DATA_PAGE;
                break;
            case Wire.THRIFT_COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET:
                chunk.dictionaryPageOffset = value;
                chunk.has |= Chunk.DICTIONARY;
                break;
            default:
                break;
        }
    }
}
