package dev.parquetext.footer;

import java.io.IOException;

/** A flat footer's tail block: counts and places, the first row groups, vtables (docs/formats.md, 3.4). */
final class FlatTail extends FormTail {
    private static final int RECORD = Wire.FLAT_RECORD_BYTES, FIXED = Wire.FLAT_TAIL_BYTES, SMALLEST_CHUNK = 8;
    private static final int MOST_HINT = 4096, VERBATIM = 8, ALL_FLAGS = 31;

    /** The offset of the payload in the file, its bytes, and those before the tail block. */
    final long payload;
    final int length, end;
    final int poolPages, rowGroupCells;
    final int directory, buckets, bucketCount, columnHint;
    /** Leaves of a COLUMN cell, such cells, entries of the directory. */
    final int cellLeaves, columnCells, entries;
    /** The offset of the vtables in the payload. */
    final int vtablesAt;
    final Bytes vtables, listed;
    private final Bytes block;
    private final int counted; // row groups that the tail block has

    static FlatTail open(FileBytes file, Located located) throws IOException, NotSliced {
        int length = located.length;
        if (length < 8 + FIXED + RECORD)
            throw NotSliced.damaged("a flat footer of " + length + " bytes", located.payload);
        Bytes record = file.get(located.payload + length - RECORD, RECORD);
        int size = record.count(24);
        if (record.word(20) != length) throw record.damaged("another length of the flat footer", 20);
        if (size % 8 != 0 || size < FIXED + RECORD || size > length - 8)
            throw record.damaged("a tail block of " + size + " bytes", 24);
        Bytes block = file.get(located.payload + length - size, size);
        if (block.crc(0, size - 4) != record.word(28)) throw record.damaged("a wrong checksum of the tail block", 28);
        if (!record.startsWith(Form.FLAT.uuid, 0) || record.word(16) != Wire.FLAT_LAYOUT_VERSION)
            throw new NotSliced(NotSliced.Reason.UNKNOWN_LAYOUT, "a flat footer of another layout");
        return new FlatTail(located.payload, length, block);
    }

    private FlatTail(long payload, int length, Bytes block) throws NotSliced {
        super(block, block.word(28), block.word(24));
        this.payload = payload;
        this.length = length;
        this.block = block;
        end = length - block.size;
        poolPages = block.count(16);
        rowGroupCells = block.count(20);
        checkCounts(block.word(24));
        directory = block.count(40);
        buckets = block.count(44);
        bucketCount = block.count(48);
        columnHint = (int) Math.min(block.u32(52), MOST_HINT);
        cellLeaves = Math.max(1, Wire.FLAT_CELL_LEAVES / Math.max(1, rowGroups));
        columnCells = (int) (((long) leaves + cellLeaves - 1) / cellLeaves);
        long all = (long) columnCells + nodes + rowGroupCells + keyValues + 1 + poolPages;
        if (all > Integer.MAX_VALUE) throw block.damaged(all + " cells", 0);
        entries = (int) all;
        checkPages(directory, (all + Wire.FLAT_DIRECTORY_ENTRIES - 1) / Wire.FLAT_DIRECTORY_ENTRIES, 40);
        if (bucketCount > 0 || buckets > 0) checkPages(buckets, bucketCount == 0 ? Integer.MAX_VALUE : bucketCount, 44);
        counted = Math.min(rowGroups, Wire.FLAT_PART_ROW_GROUPS);
        int listedCount = block.count(64);
        long vtableBytes = block.u32(60), fixed = FIXED + (long) Wire.FLAT_TAIL_GROUP_BYTES * counted;
        long lists = fixed + vtableBytes + 3 & ~3L;
        if (listedCount > Wire.FLAT_LIST_ENTRIES) throw block.damaged(listedCount + " names", 64);
        if (vtableBytes % 2 != 0 || (lists + 8L * listedCount + 7 & ~7L) + RECORD != block.size)
            throw block.damaged("a tail block of another size than its contents", 60);
        vtablesAt = end + (int) fixed;
        vtables = block.part((int) fixed, (int) vtableBytes);
        listed = block.part((int) lists, 8 * listedCount);
    }

    private void checkCounts(int flags) throws NotSliced {
        if ((flags & ~ALL_FLAGS) != 0) throw block.damaged("flags " + flags, 24);
        if ((flags & VERBATIM) != 0)
            throw new NotSliced(NotSliced.Reason.UNSUPPORTED, "a flat footer that only carries a Thrift footer");
        if (nodes == 0) throw block.damaged("a schema without a root", 4);
        if (rowGroupCells != ((long) rowGroups + Wire.FLAT_PART_ROW_GROUPS - 1) / Wire.FLAT_PART_ROW_GROUPS)
            throw block.damaged(rowGroupCells + " cells", 20);
        if ((long) rowGroups * Math.max(leaves, 1) > length / SMALLEST_CHUNK)
            throw block.damaged("more column chunks than bytes for them", 8);
    }

    private void checkPages(int place, long count, int field) throws NotSliced {
        if (place % 8 != 0 || place > end || count > (end - place) / Wire.FLAT_PAGE_BYTES)
            throw block.damaged("cells at " + place, field);
    }

    // ---- row groups that the tail block has; the others are in ROW_GROUPS cells

    boolean hasRowGroup(int index) {
        return index < counted;
    }

    RowGroup rowGroup(int index) throws NotSliced {
        int at = FIXED + 8 * index;
        return new RowGroup(
                block.i64(at),
                block.i64(at + 16 * counted),
                block.i64(at + 24 * counted),
                (short) block.u16(FIXED + 32 * counted + 2 * index));
    }
}
