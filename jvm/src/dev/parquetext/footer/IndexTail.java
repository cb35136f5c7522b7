package dev.parquetext.footer;

import java.io.IOException;

/**
 * A footer index's tail block: counts and widths, from which the places of all cells follow (docs/formats.md, 7).
 * Places count from the payload's first byte.
 */
final class IndexTail extends FormTail {
    private static final int RECORD = Wire.INDEX_RECORD_BYTES, FIXED = Wire.INDEX_TAIL_BYTES;
    private static final int MOST_LISTED = Wire.FLAT_LIST_ENTRIES, BUCKET_FILL = Wire.FLAT_BUCKET_FILL;
    private static final int MOST_FLAGS = 7, MOST_WIDTH = 4;

    final long payload;
    /** Bytes of an offset, of a length, of a number. */
    final int o, l, n;
    final int createdByCrc;
    final long createdBy, createdByLength;
    /** The number of the pair ARROW:schema, -1 if there is none. */
    final int arrowSchema;
    final int buckets;
    /** Bytes of a schema part, of a NODE cell, of all cells of a leaf. */
    final int schemaBytes, nodeBytes;
    final long leafBytes;
    final int nodesAt, rowGroupsAt, keyValuesAt, bucketsAt;
    final Bytes listed;

    static IndexTail open(FileBytes file, Located located) throws IOException, NotSliced {
        Bytes block = TailBlock.read(file, located, FIXED + RECORD, Wire.INDEX_LAYOUT_VERSION);
        return new IndexTail(located.payload, located.length, block);
    }

    private IndexTail(long payload, int length, Bytes block) throws NotSliced {
        super(block, block.word(24), block.u8(51));
        this.payload = payload;
        int names = block.count(16);
        arrowSchema = block.count(20) - 1;
        createdBy = block.u32(36);
        createdByLength = block.u32(40);
        createdByCrc = block.word(44);
        o = block.u8(48);
        l = block.u8(49);
        n = block.u8(50);
        int flags = block.u8(51);
        if (Math.min(o, Math.min(l, n)) < 1 || Math.max(o, Math.max(l, n)) > MOST_WIDTH)
            throw block.damaged("numbers of " + o + ", " + l + " and " + n + " bytes", 48);
        if (flags > MOST_FLAGS || nodes == 0 || arrowSchema >= keyValues) throw block.damaged("flags or counts", 0);
        schemaBytes = 8 + o + l + 3 * n + 3;
        nodeBytes = schemaBytes + 2 * n;
        int listedCount = names <= MOST_LISTED ? names : 0;
        buckets = names <= MOST_LISTED ? 0 : (int) (((long) names + BUCKET_FILL - 1) / BUCKET_FILL);
        long parts = ((long) rowGroups + Wire.FLAT_PART_ROW_GROUPS - 1) / Wire.FLAT_PART_ROW_GROUPS;
        leafBytes = schemaBytes + 4 + (long) rowGroups * (o + l) + 8 * Math.max(parts - 1, 0);
        long most = length; // the sums stay small: each of them is checked before the next one
        if (leaves > most / leafBytes) throw block.damaged("more columns than bytes for them", 0);
        nodesAt = place(block, leaves * leafBytes, most);
        rowGroupsAt = place(block, nodesAt + (long) nodes * nodeBytes, most);
        keyValuesAt = place(block, rowGroupsAt + 4 * parts + rowGroups * (4 + 4L * o), most);
        bucketsAt = place(block, keyValuesAt + keyValues * (8 + 2L * o), most);
        if (bucketsAt + (long) Wire.FLAT_PAGE_BYTES * buckets != length - block.size)
            throw block.damaged("cells of another size", 0);
        if (FIXED + 8 * listedCount + RECORD != block.size) throw block.damaged("another number of names", 16);
        listed = block.part(FIXED, 8 * listedCount);
    }

    private static int place(Bytes block, long place, long most) throws NotSliced {
        if (place < 0 || place > most) throw block.damaged("more cells than bytes for them", 0);
        return (int) place;
    }

    /** Row groups of a part. */
    int groups(int part) {
        return Math.min(Wire.FLAT_PART_ROW_GROUPS, rowGroups - part * Wire.FLAT_PART_ROW_GROUPS);
    }

    /** Bytes of the cell of a leaf's part. */
    int partBytes(int part) {
        return (part == 0 ? schemaBytes + 4 : 8) + (rowGroups == 0 ? 0 : groups(part)) * (o + l);
    }

    int partAt(int leaf, int part) {
        long before = part == 0 ? 0 : partBytes(0) + (part - 1) * (8 + Wire.FLAT_PART_ROW_GROUPS * (long) (o + l));
        return (int) (leaf * leafBytes + before);
    }

    int rowGroupBytes() {
        return 4 + 4 * o;
    }

    int rowGroupsCellAt(int part) {
        return rowGroupsAt + part * (4 + Wire.FLAT_PART_ROW_GROUPS * rowGroupBytes());
    }

    int keyValueBytes() {
        return 8 + 2 * o;
    }

    int keyValueAt(int index) {
        return keyValuesAt + index * keyValueBytes();
    }
}
