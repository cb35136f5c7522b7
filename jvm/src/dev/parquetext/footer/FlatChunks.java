package dev.parquetext.footer;

import java.io.IOException;
import java.util.Arrays;

/** Convert the FlatBuffers tables in a leaf's cells to chunks (docs/formats.md, 3.1, 3.2 and 3.7). */
final class FlatChunks {
    private static final int[] WIDTHS = LeafType.WIDTHS;
    private static final int LAST_TYPE = Wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, MOST_SHORT = 16;

    private final FlatReader reader;
    private final FlatHead head;
    private long spare; // bytes that long bounds of the part may still take

    FlatChunks(FlatReader reader, FlatHead head) {
        this.reader = reader;
        this.head = head;
    }

    /** Return the chunks of all row groups. */
    Chunk[] read() throws IOException, NotSliced {
        FlatTail tail = reader.tail;
        Chunk[] chunks = new Chunk[tail.rowGroups];
        for (int first = 0; first < chunks.length; first += Wire.FLAT_PART_ROW_GROUPS) {
            int part = first / Wire.FLAT_PART_ROW_GROUPS;
            int count = Math.min(Wire.FLAT_PART_ROW_GROUPS, chunks.length - first);
            FlatCell cell = head.cell;
            int[] offsets = head.chunks;
            if (part > 0) {
                cell = reader.cells.column(head.partOffset(part), head.number, part);
                offsets = FlatHead.readPart(cell, part, count);
            }
            spare = cell.size;
            for (int i = 0; i < count; i++) chunks[first + i] = chunk(cell, offsets[i], first + i);
        }
        return chunks;
    }

    private Chunk chunk(FlatCell cell, int at, int rowGroup) throws IOException, NotSliced {
        FlatCell.Table table = cell.table(at), metadata = table.child(Wire.SLOT_COLUMN_CHUNK_METADATA);
        FlatCell.Table own = table.child(Wire.SLOT_COLUMN_CHUNK_OWN);
        if (table.has(Wire.SLOT_COLUMN_CHUNK_CRYPTO_METADATA_TYPE, 1)
                || table.has(Wire.SLOT_COLUMN_CHUNK_ENCRYPTED_COLUMN_METADATA, 4))
            throw new NotSliced(NotSliced.Reason.ENCRYPTED, "an encrypted column chunk");
        Chunk chunk = new Chunk();
        if (metadata != null) readMetadata(cell, metadata, rowGroup, chunk);
        if (own != null) readOwn(own, chunk);
        return chunk;
    }

    private void readMetadata(FlatCell cell, FlatCell.Table table, int rowGroup, Chunk chunk)
            throws IOException, NotSliced {
        chunk.hasMetadata = true;
        chunk.type = head.type;
        chunk.codec = table.i8(Wire.SLOT_COLUMN_METADATA_CODEC, -1);
        chunk.totalUncompressedSize = table.i64(Wire.SLOT_COLUMN_METADATA_TOTAL_UNCOMPRESSED_SIZE, -1);
        chunk.totalCompressedSize = table.i64(Wire.SLOT_COLUMN_METADATA_TOTAL_COMPRESSED_SIZE, -1);
        chunk.dataPageOffset = table.i64(Wire.SLOT_COLUMN_METADATA_DATA_PAGE_OFFSET, -1);
        chunk.indexPageOffset = table.i64(Wire.SLOT_COLUMN_METADATA_INDEX_PAGE_OFFSET, -1);
        chunk.dictionaryPageOffset = table.i64(Wire.SLOT_COLUMN_METADATA_DICTIONARY_PAGE_OFFSET, -1);
        chunk.encodings = table.u16(Wire.SLOT_COLUMN_METADATA_ENCODINGS)
                | table.u16(Wire.SLOT_COLUMN_METADATA_MORE_ENCODINGS) << 16;
        chunk.numValues =
                table.has(Wire.SLOT_COLUMN_METADATA_NUM_VALUES, 8)
                        ? table.i64(Wire.SLOT_COLUMN_METADATA_NUM_VALUES, 0)
                        : reader.rowGroup(rowGroup).numRows;
        chunk.has = (head.type <= LAST_TYPE ? Chunk.TYPE : 0)
                | (table.has(Wire.SLOT_COLUMN_METADATA_CODEC, 1) ? Chunk.CODEC : 0)
                | (table.has(Wire.SLOT_COLUMN_METADATA_TOTAL_UNCOMPRESSED_SIZE, 8) ? Chunk.UNCOMPRESSED : 0)
                | (table.has(Wire.SLOT_COLUMN_METADATA_TOTAL_COMPRESSED_SIZE, 8) ? Chunk.COMPRESSED : 0)
                | (table.has(Wire.SLOT_COLUMN_METADATA_DATA_PAGE_OFFSET, 8) ? Chunk.DATA_PAGE : 0)
                | (table.has(Wire.SLOT_COLUMN_METADATA_INDEX_PAGE_OFFSET, 8) ? Chunk.INDEX_PAGE : 0)
                | (table.has(Wire.SLOT_COLUMN_METADATA_DICTIONARY_PAGE_OFFSET, 8) ? Chunk.DICTIONARY : 0)
                | (table.i8(Wire.SLOT_COLUMN_METADATA_IS_FULLY_DICT_ENCODED, 0) != 0 ? Chunk.ONLY_DICTIONARY : 0);
        FlatCell.Table statistics = table.child(Wire.SLOT_COLUMN_METADATA_STATISTICS);
        FlatCell.Table bloom = table.child(Wire.SLOT_COLUMN_METADATA_BLOOM_FILTER);
        if (statistics != null) readStatistics(cell, statistics, chunk);
        if (bloom != null) {
            chunk.bloomOffset = bloom.i64(Wire.SLOT_BLOOM_FILTER_INFO_OFFSET, -1);
            chunk.bloomLength = bloom.i32(Wire.SLOT_BLOOM_FILTER_INFO_LENGTH, -1);
            chunk.has |= bloom.has(Wire.SLOT_BLOOM_FILTER_INFO_OFFSET, 8) ? Chunk.BLOOM_OFFSET : 0;
            chunk.has |= bloom.has(Wire.SLOT_BLOOM_FILTER_INFO_LENGTH, 4) ? Chunk.BLOOM_LENGTH : 0;
        }
    }

    private static void readOwn(FlatCell.Table own, Chunk chunk) throws NotSliced {
        if (own.has(Wire.SLOT_OWN_CHUNK_FILE_PATH, 4))
            throw new NotSliced(NotSliced.Reason.UNSUPPORTED, "a column chunk in another file");
        chunk.columnIndexOffset = own.i64(Wire.SLOT_OWN_CHUNK_COLUMN_INDEX_OFFSET, -1);
        chunk.offsetIndexOffset = own.i64(Wire.SLOT_OWN_CHUNK_OFFSET_INDEX_OFFSET, -1);
        chunk.columnIndexLength = own.i32(Wire.SLOT_OWN_CHUNK_COLUMN_INDEX_LENGTH, -1);
        chunk.offsetIndexLength = own.i32(Wire.SLOT_OWN_CHUNK_OFFSET_INDEX_LENGTH, -1);
        chunk.has |= own.has(Wire.SLOT_OWN_CHUNK_COLUMN_INDEX_OFFSET, 8) ? Chunk.COLUMN_INDEX : 0;
        chunk.has |= own.has(Wire.SLOT_OWN_CHUNK_OFFSET_INDEX_OFFSET, 8) ? Chunk.OFFSET_INDEX : 0;
    }

    private void readStatistics(FlatCell cell, FlatCell.Table table, Chunk chunk) throws NotSliced {
        int exactness = table.i8(Wire.SLOT_STATISTICS_EXACTNESS, 0);
        chunk.nullCount = table.i64(Wire.SLOT_STATISTICS_NULL_COUNT, -1);
        chunk.distinctCount = table.i64(Wire.SLOT_STATISTICS_DISTINCT_COUNT, -1);
        chunk.min = bound(cell, table, Wire.SLOT_STATISTICS_MIN_LO4, Wire.SLOT_STATISTICS_MIN_VALUE);
        chunk.max = bound(cell, table, Wire.SLOT_STATISTICS_MAX_LO4, Wire.SLOT_STATISTICS_MAX_VALUE);
        chunk.has |=
                Chunk.STATISTICS
                        | (table.has(Wire.SLOT_STATISTICS_NULL_COUNT, 8) ? Chunk.NULL_COUNT : 0)
                        | (table.has(Wire.SLOT_STATISTICS_DISTINCT_COUNT, 8) ? Chunk.DISTINCT_COUNT : 0)
                        | ((exactness & 3) != 0 ? Chunk.MIN_EXACT_PRESENT : 0)
                        | ((exactness & 2) != 0 ? Chunk.MIN_EXACT : 0)
                        | ((exactness & 12) != 0 ? Chunk.MAX_EXACT_PRESENT : 0)
                        | ((exactness & 8) != 0 ? Chunk.MAX_EXACT : 0);
    }

    /** Return the bound in the slots from {@code first} on, or in slot {@code whole}; null if there is none. */
    private byte[] bound(FlatCell cell, FlatCell.Table table, int first, int whole) throws NotSliced {
        if (head.type > LAST_TYPE) return null;
        Bytes value = head.type > Wire.PHYSICAL_DOUBLE ? table.bytes(whole) : null;
        if (value != null) {
            spare -= value.size;
            if (spare < 0) throw value.damaged("bounds longer than their cell", 0);
            return value.copy(0, value.size);
        }
        if (!table.has(first + 3, 1)) return null;
        int length = Math.abs(table.i8(first + 3, 0));
        if (head.type > Wire.PHYSICAL_DOUBLE ? length > MOST_SHORT : length != WIDTHS[head.type])
            throw cell.damaged("a bound of " + length + " bytes", table.find(first + 3, 1));
        return Arrays.copyOf(unpacked(table, first), length);
    }

    private byte[] unpacked(FlatCell.Table table, int first) throws NotSliced {
        int lo4 = table.i32(first, 0);
        long lo8 = table.i64(first + 1, 0), hi8 = table.i64(first + 2, 0);
        byte[] bytes = new byte[MOST_SHORT];
        if (head.type > Wire.PHYSICAL_DOUBLE) {
            for (int i = 0; i < 8; i++) {
                bytes[i] = (byte) (hi8 >> 56 - 8 * i);
                bytes[8 + i] = (byte) (lo8 >> 56 - 8 * i);
            }
        } else {
            boolean isLong = WIDTHS[head.type] == 8;
            for (int i = 0; i < 8; i++) {
                if (!isLong && i < 4) bytes[i] = (byte) (lo4 >> 8 * i);
                if (isLong || head.type == Wire.PHYSICAL_INT96) bytes[isLong ? i : 4 + i] = (byte) (lo8 >> 8 * i);
            }
        }
        return bytes;
    }
}
