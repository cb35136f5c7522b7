package dev.parquetext.footer;

import java.io.IOException;

/** The fields of a COLUMN or NODE cell of a footer index about its element (docs/formats.md, 7). */
final class IndexEntry extends SchemaEntry {
    final Bytes cell;
    final IndexFile.Range range;
    private final int crc;

    /** The cell of a leaf or node; its element is read by {@link #read}. */
    static IndexEntry of(IndexFile file, int id) throws IOException, NotSliced {
        IndexTail tail = file.tail;
        boolean isNode = (id & NODE_BIT) != 0;
        int number = id & ~NODE_BIT;
        int place = isNode ? tail.nodesAt + number * tail.nodeBytes : tail.partAt(number, 0);
        return new IndexEntry(file, id, file.cell(place, isNode ? tail.nodeBytes : tail.partBytes(0)));
    }

    private IndexEntry(IndexFile file, int id, Bytes cell) throws NotSliced {
        super(id);
        IndexTail tail = file.tail;
        this.cell = cell;
        crc = cell.word(4);
        range = file.range(cell, 8, 8 + tail.o, tail.l);
        int at = 8 + tail.o + tail.l;
        long elements = (long) tail.leaves + tail.nodes;
        parent = below(at, tail.n, isNode ? Math.max(number, 1) : tail.nodes);
        index = below(at + tail.n, tail.n, elements);
        below(at + 2 * tail.n, tail.n, elements);
        columnOrder = cell.u8(at + 3 * tail.n);
        maxDefinition = cell.u8(at + 3 * tail.n + 1);
        int leaves = at + 3 * tail.n + 3;
        firstLeaf = isNode ? below(leaves, tail.n, tail.leaves + 1L) : number;
        leafCount = isNode ? below(leaves + tail.n, tail.n, tail.leaves - firstLeaf + 1L) : 1;
    }

    private int below(int at, int width, long limit) throws NotSliced {
        long value = IndexFile.number(cell, at, width);
        if (value >= limit) throw cell.damaged("a number of " + value, at);
        return (int) value;
    }

    /** Reads the SchemaElement. */
    IndexEntry read(IndexFile file) throws IOException, NotSliced {
        if (thrift != null) return this;
        readElement(file.thrift(range, crc));
        return this;
    }
}
