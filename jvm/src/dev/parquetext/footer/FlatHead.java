package dev.parquetext.footer;

/** The fields of a COLUMN or NODE cell about one of its elements (docs/formats.md, 3.3). */
final class FlatHead {
    private static final int HEADS = 16, TABLES = 20, PART_LIST = 20, PART_TABLES = 24, NAME = 3;

    final FlatCell cell;
    final boolean isNode;
    /** Leaf or node. */
    final int number;
    final int columnOrder, maxDefinition, type;
    /** The offset in the cell of the first part's ColumnChunk tables. */
    final int[] chunks;
    /** In preorder. */
    final int index;
    /** Node; 0 for the root too. */
    final int parent;
    /** The leaves of a node. */
    final int firstLeaf, leafCount;
    private final Bytes prefix, suffix, above;
    private final int element, end, last;
    private Bytes name;

    /** The head of the {@code which}-th element of a cell. */
    static FlatHead read(FlatCell cell, FlatTail tail, int which) throws NotSliced {
        boolean isNode = cell.kind == Wire.KIND_NODE;
        int first = isNode ? cell.number : cell.number * tail.cellLeaves;
        int here = isNode ? 1 : Math.min(tail.cellLeaves, tail.leaves - first);
        if (which >= here) throw cell.damaged("a cell without element " + which, 12);
        long tables = TABLES + (isNode || tail.rowGroupCells == 0 ? 0 : 4L * (tail.rowGroupCells - 1));
        cell.require(tables);
        int at = cell.count(HEADS);
        FlatHead head = new FlatHead(cell, tail, isNode, first, at, (int) tables);
        for (int i = 1; i <= which; i++) head = new FlatHead(cell, tail, isNode, first + i, head.end, head.last);
        Bytes name = cell.table(head.element).bytes(NAME);
        head.name = name == null ? cell.part(0, 0) : name;
        return head;
    }

    private FlatHead(FlatCell cell, FlatTail tail, boolean isNode, int number, int at, int before) throws NotSliced {
        this.cell = cell;
        this.isNode = isNode;
        this.number = number;
        ThriftIn in = new ThriftIn(cell, at + 4);
        columnOrder = cell.u8(at);
        maxDefinition = cell.u8(at + 1);
        type = cell.u8(at + 3);
        element = step(in, before);
        chunks = new int[isNode ? 0 : Math.min(tail.rowGroups, Wire.FLAT_PART_ROW_GROUPS)];
        int table = element;
        for (int i = 0; i < chunks.length; i++) chunks[i] = table = step(in, table);
        last = table;
        index = number(in, (long) tail.leaves + tail.nodes - number) + number;
        parent = number(in, isNode ? Math.max(number, 1) : tail.nodes);
        number(in, 1L << 32); // position, or the Arrow field's place
        int aboveLength = parent == 0 ? 0 : number(in, cell.size);
        firstLeaf = isNode ? number(in, tail.leaves + 1L) : number;
        leafCount = isNode ? number(in, tail.leaves - firstLeaf + 1L) : 1;
        int prefixLength = number(in, cell.size), suffixLength = number(in, cell.size);
        prefix = cell.part(in.at, prefixLength);
        suffix = cell.part(in.at + prefixLength, suffixLength);
        above = cell.part(in.at + prefixLength + suffixLength, aboveLength);
        end = in.at + prefixLength + suffixLength + aboveLength;
    }

    /** The next place of a table, a distance after the one before it. */
    private static int step(ThriftIn in, int before) throws NotSliced {
        long place = before + 4 * (in.varint32() & 0xFFFFFFFFL);
        if (place > in.bytes.size - 4) throw in.bytes.damaged("a table out of its cell", in.at);
        return (int) place;
    }

    private static int number(ThriftIn in, long limit) throws NotSliced {
        int value = in.varint32();
        if ((value & 0xFFFFFFFFL) >= limit) throw in.bytes.damaged("a number of " + value, in.at);
        return value;
    }

    /** The places of the chunks in a part above 0, {@code count} of them. */
    static int[] readPart(FlatCell cell, int part, int count) throws NotSliced {
        cell.require(PART_TABLES);
        if (cell.word(16) != part) throw cell.damaged("another part", 16);
        ThriftIn in = new ThriftIn(cell, cell.count(PART_LIST));
        int[] chunks = new int[count];
        int table = PART_TABLES;
        for (int i = 0; i < count; i++) chunks[i] = table = step(in, table);
        return chunks;
    }

    /** Return the offset in the payload of part {@code part} of a leaf, above 0. */
    int partOffset(int part) throws NotSliced {
        return cell.count(TABLES + 4 * (part - 1));
    }

    boolean isRoot() {
        return isNode && number == 0;
    }

    /** Return true if this is a top-level element of that name. */
    boolean isTopLevel(byte[] name) {
        return parent == 0 && !isRoot() && this.name.holds(name);
    }

    /** The SchemaElement's Thrift bytes. */
    byte[] thrift() {
        byte[] bytes = new byte[prefix.size + name.size + suffix.size];
        copy(suffix, bytes, copy(name, bytes, copy(prefix, bytes, 0)));
        return bytes;
    }

    /** Names from below the root, NUL between them; empty for the root. */
    byte[] path() {
        if (isRoot()) return new byte[0];
        byte[] bytes = new byte[(parent == 0 ? 0 : above.size + 1) + name.size];
        int at = parent == 0 ? 0 : copy(above, bytes, 0) + 1;
        copy(name, bytes, at);
        return bytes;
    }

    private static int copy(Bytes from, byte[] to, int at) {
        System.arraycopy(from.data, from.begin, to, at, from.size);
        return at + from.size;
    }
}
