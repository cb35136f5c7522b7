package dev.parquetext.footer;

import java.io.IOException;
import java.util.Arrays;

/** A leaf's chunks: tables of its cells into facts (docs/formats.md, 3.1, 3.2 and 3.7). */
final class FlatChunks {
    private static final int[] WIDTHS = {1, 4, 8, 12, 4, 8}; // of BOOLEAN to DOUBLE
    private static final int INT96 = 3, DOUBLE = 5, LAST_TYPE = 7, MOST_SHORT = 16;
    private static final int MIN = 2, MAX = 6, MIN_VALUE = 27, MAX_VALUE = 28, EXACTNESS = 26;
    private static final int NUM_VALUES = 1, STATISTICS = 8, DICTIONARY_ALONE = 9, BLOOM = 10;

    private final FlatReader reader;
    private final FlatHead head;
    private long spare; // bytes that long bounds of the part may still take

    FlatChunks(FlatReader reader, FlatHead head) {
        this.reader = reader;
        this.head = head;
    }

    /** The chunks of all row groups. */
    Chunk[] read() throws IOException, NotSliced {
        FlatTail tail = reader.tail;
        Chunk[] chunks = new Chunk[tail.rowGroups];
        for (int first = 0; first < chunks.length; first += FlatTail.PART) {
            int part = first / FlatTail.PART, count = Math.min(FlatTail.PART, chunks.length - first);
            FlatCell cell = head.cell;
            int[] places = head.chunks;
            if (part > 0) {
                cell = reader.cells.column(head.partPlace(part), head.number, part);
                places = FlatHead.readPart(cell, part, count);
            }
            spare = cell.size;
            for (int i = 0; i < count; i++) chunks[first + i] = chunk(cell, places[i], first + i);
        }
        return chunks;
    }

    private Chunk chunk(FlatCell cell, int at, int rowGroup) throws IOException, NotSliced {
        FlatCell.Table table = cell.table(at), metadata = table.child(0), own = table.child(19);
        if (table.has(1, 1) || table.has(3, 4))
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
        chunk.codec = table.i8(0, -1);
        chunk.totalUncompressedSize = table.i64(2, -1);
        chunk.totalCompressedSize = table.i64(3, -1);
        chunk.dataPageOffset = table.i64(5, -1);
        chunk.indexPageOffset = table.i64(6, -1);
        chunk.dictionaryPageOffset = table.i64(7, -1);
        chunk.encodings = table.u16(27) | table.u16(28) << 16;
        chunk.numValues =
                table.has(NUM_VALUES, 8) ? table.i64(NUM_VALUES, 0) : reader.rowGroup(rowGroup).numRows();
        chunk.has =
                (head.type <= LAST_TYPE ? Chunk.TYPE : 0)
                        | (table.has(0, 1) ? Chunk.CODEC : 0)
                        | (table.has(2, 8) ? Chunk.UNCOMPRESSED : 0)
                        | (table.has(3, 8) ? Chunk.COMPRESSED : 0)
                        | (table.has(5, 8) ? Chunk.DATA_PAGE : 0)
                        | (table.has(6, 8) ? Chunk.INDEX_PAGE : 0)
                        | (table.has(7, 8) ? Chunk.DICTIONARY : 0)
                        | (table.i8(DICTIONARY_ALONE, 0) != 0 ? Chunk.DICTIONARY_ALONE : 0);
        FlatCell.Table statistics = table.child(STATISTICS), bloom = table.child(BLOOM);
        if (statistics != null) readStatistics(cell, statistics, chunk);
        if (bloom != null) {
            chunk.bloomOffset = bloom.i64(0, -1);
            chunk.bloomLength = bloom.i32(1, -1);
            chunk.has |= (bloom.has(0, 8) ? Chunk.BLOOM_OFFSET : 0) | (bloom.has(1, 4) ? Chunk.BLOOM_LENGTH : 0);
        }
    }

    private static void readOwn(FlatCell.Table own, Chunk chunk) throws NotSliced {
        if (own.has(4, 4)) throw new NotSliced(NotSliced.Reason.UNSUPPORTED, "a column chunk in another file");
        chunk.columnIndexOffset = own.i64(0, -1);
        chunk.offsetIndexOffset = own.i64(1, -1);
        chunk.columnIndexLength = own.i32(2, -1);
        chunk.offsetIndexLength = own.i32(3, -1);
        chunk.has |= (own.has(0, 8) ? Chunk.COLUMN_INDEX : 0) | (own.has(1, 8) ? Chunk.OFFSET_INDEX : 0);
    }

    private void readStatistics(FlatCell cell, FlatCell.Table table, Chunk chunk) throws NotSliced {
        int exactness = table.i8(EXACTNESS, 0);
        chunk.nullCount = table.i64(0, -1);
        chunk.distinctCount = table.i64(1, -1);
        chunk.min = bound(cell, table, MIN, MIN_VALUE);
        chunk.max = bound(cell, table, MAX, MAX_VALUE);
        chunk.has |=
                Chunk.STATISTICS
                        | (table.has(0, 8) ? Chunk.NULL_COUNT : 0)
                        | (table.has(1, 8) ? Chunk.DISTINCT_COUNT : 0)
                        | ((exactness & 3) != 0 ? Chunk.MIN_EXACT_SAID : 0)
                        | ((exactness & 2) != 0 ? Chunk.MIN_EXACT : 0)
                        | ((exactness & 12) != 0 ? Chunk.MAX_EXACT_SAID : 0)
                        | ((exactness & 8) != 0 ? Chunk.MAX_EXACT : 0);
    }

    /** The bound in slots {@code first} and on, or whole in slot {@code whole}; null where there is none. */
    private byte[] bound(FlatCell cell, FlatCell.Table table, int first, int whole) throws NotSliced {
        if (head.type > LAST_TYPE) return null;
        Bytes value = head.type > DOUBLE ? table.bytes(whole) : null;
        if (value != null) {
            spare -= value.size;
            if (spare < 0) throw value.damaged("bounds longer than their cell", 0);
            return value.copy(0, value.size);
        }
        if (!table.has(first + 3, 1)) return null;
        int length = Math.abs(table.i8(first + 3, 0));
        if (head.type > DOUBLE ? length > MOST_SHORT : length != WIDTHS[head.type])
            throw cell.damaged("a bound of " + length + " bytes", table.find(first + 3, 1));
        return Arrays.copyOf(unpacked(table, first), length);
    }

    private byte[] unpacked(FlatCell.Table table, int first) throws NotSliced {
        int lo4 = table.i32(first, 0);
        long lo8 = table.i64(first + 1, 0), hi8 = table.i64(first + 2, 0);
        byte[] bytes = new byte[MOST_SHORT];
        if (head.type > DOUBLE) {
            for (int i = 0; i < 8; i++) {
                bytes[i] = (byte) (hi8 >> 56 - 8 * i);
                bytes[8 + i] = (byte) (lo8 >> 56 - 8 * i);
            }
        } else {
            boolean isLong = WIDTHS[head.type] == 8;
            for (int i = 0; i < 8; i++) {
                if (!isLong && i < 4) bytes[i] = (byte) (lo4 >> 8 * i);
                if (isLong || head.type == INT96) bytes[isLong ? i : 4 + i] = (byte) (lo8 >> 8 * i);
            }
        }
        return bytes;
    }
}
