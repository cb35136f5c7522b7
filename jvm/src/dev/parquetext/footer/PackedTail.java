package dev.parquetext.footer;

import java.io.IOException;

/** A packed footer's tail block: counts, and the places of its areas (docs/formats.md, 15.1). */
final class PackedTail extends FormTail {
    private static final int RECORD = Wire.PACKED_RECORD_BYTES, FIXED = Wire.PACKED_TAIL_BYTES;
    static final int KINDS = Wire.CELLS_SLOTS + 1;
    private static final int MOST_FLAGS = 7;
    private static final Area NONE = new Area(0, 0, 0);

    /** The cells of one kind: their number, the place of the first one, and that of the list of their ends. */
    static final class Area {
        final int cells, begin, directory;

        Area(int cells, int begin, int directory) {
            this.cells = cells;
            this.begin = begin;
            this.directory = directory;
        }
    }

    /** The payload's offset in the file; its bytes in front of the tail block. */
    final long payload;
    final int end;
    /** Bytes of the Thrift footer without its extension. */
    final long thriftBytes;
    /** The number of the pair ARROW:schema, -1 if there is none. */
    final int arrowSchema;
    final int tileColumns, tileRows;
    /** Tiles of the same leaves. */
    final int tilesBelow;
    final int buckets;
    final Bytes listed;
    private final Area[] areas = new Area[KINDS];

    static PackedTail open(FileBytes file, Located located) throws IOException, NotSliced {
        Bytes block = TailBlock.read(file, located, FIXED + RECORD, Wire.PACKED_LAYOUT_VERSION);
        return new PackedTail(located, block);
    }

    private PackedTail(Located located, Bytes block) throws NotSliced {
        super(block, block.word(24), block.u8(48));
        payload = located.payload;
        end = located.length - block.size;
        long names = block.u32(16);
        arrowSchema = block.count(20) - 1;
        thriftBytes = block.u32(36);
        tileColumns = block.u16(44);
        tileRows = block.u16(46);
        checkCounts(block, (long) Wire.PACKED_LIMIT_TIMES * located.length + Wire.PACKED_LIMIT_BESIDE);
        tilesBelow = (int) parts(rowGroups, tileRows);
        int listedCount = names <= Wire.FLAT_LIST_ENTRIES ? (int) names : 0;
        buckets = names <= Wire.FLAT_LIST_ENTRIES ? 0 : (int) parts(names, Wire.FLAT_BUCKET_FILL);
        int listedAt = FIXED + block.u8(49) * Wire.PACKED_AREA_BYTES;
        if (listedAt + 8 * listedCount + RECORD != block.size) throw block.damaged("another number of names", 16);
        listed = block.part(listedAt, 8 * listedCount);
        for (int at = FIXED; at < listedAt; at += Wire.PACKED_AREA_BYTES) addArea(block, at);
        for (int kind = Wire.CELLS_BOOKS; kind <= Wire.CELLS_FRAME; kind++)
            if (area(kind).cells != cellsOf(kind)) throw block.damaged("cells of kind " + kind, 49);
    }

    private static long parts(long count, int most) {
        return (count + most - 1) / most;
    }

    private void checkCounts(Bytes block, long mostThrift) throws NotSliced {
        int chunks = tileColumns * tileRows;
        if (nodes == 0 || arrowSchema >= keyValues) throw block.damaged("a schema without a root, or no such pair", 4);
        if (thriftBytes > mostThrift) throw block.damaged("a Thrift footer of " + thriftBytes + " bytes", 36);
        long least = Wire.PACKED_LEAST_ROW_GROUP + Wire.PACKED_LEAST_CHUNK * (long) leaves;
        if (rowGroups > thriftBytes / least) throw block.damaged(rowGroups + " row groups", 8);
        if (chunks < 1 || chunks > Wire.PACKED_TILE_CHUNKS) throw block.damaged("tiles of " + chunks + " chunks", 44);
        if (block.u8(48) > MOST_FLAGS) throw block.damaged("flags " + block.u8(48), 48);
    }

    private void addArea(Bytes block, int at) throws NotSliced {
        long kind = block.u32(at), cells = block.u32(at + 4), begin = block.u32(at + 8), directory = block.u32(at + 12);
        if (directory > end || cells > (end - directory) / 4) throw block.damaged("a directory at " + directory, at + 12);
        if (begin > directory) throw block.damaged("cells at " + begin, at + 8);
        if (kind == Wire.CELLS_NAMES && cells > (directory - begin) / Wire.FLAT_PAGE_BYTES)
            throw block.damaged(cells + " pages of names", at + 4);
        if (kind < KINDS) areas[(int) kind] = new Area((int) cells, (int) begin, (int) directory);
    }

    /** The area of a kind; without cells if there is none. */
    Area area(int kind) {
        return areas[kind] == null ? NONE : areas[kind];
    }

    /** Return how many cells of a kind there must be. */
    private long cellsOf(int kind) {
        switch (kind) {
            case Wire.CELLS_BOOKS:
            case Wire.CELLS_FRAME:
                return 1;
            case Wire.CELLS_LEAVES:
                return parts(leaves, Wire.PACKED_ELEMENTS_PER_CELL);
            case Wire.CELLS_NODES:
                return parts(nodes, Wire.PACKED_ELEMENTS_PER_CELL);
            case Wire.CELLS_ROW_GROUPS:
                return parts(rowGroups, Wire.PACKED_ROW_GROUPS_PER_CELL);
            case Wire.CELLS_PAIRS:
                return keyValues;
            case Wire.CELLS_NAMES:
                return buckets;
            default:
                return parts(leaves, tileColumns) * tilesBelow;
        }
    }

    /** Return the first byte of the areas' directories. */
    int directories() {
        int first = end;
        for (Area area : areas) if (area != null) first = Math.min(first, area.directory);
        return first;
    }
}
