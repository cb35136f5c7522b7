package dev.parquetext.footer;

import java.io.IOException;

/** The fields of a COLUMN or NODE cell of a footer index about its element (docs/formats.md, 7). */
final class IndexEntry {
    final boolean isNode;
    final int number;
    final Bytes cell;
    final IndexFile.Range thrift;
    final int index, parent, columnOrder, maxDefinition, firstLeaf, leafCount;
    private final int crc;
    private Bytes element, name;

    /** The cell of a leaf or node; its element is read by {@link #read}. */
    static IndexEntry of(IndexFile file, boolean isNode, int number) throws IOException, NotSliced {
        IndexTail tail = file.tail;
        int place = isNode ? tail.nodesAt + number * tail.nodeBytes : tail.partAt(number, 0);
        return new IndexEntry(file, isNode, number, file.cell(place, isNode ? tail.nodeBytes : tail.partBytes(0)));
    }

    private IndexEntry(IndexFile file, boolean isNode, int number, Bytes cell) throws NotSliced {
        IndexTail tail = file.tail;
        this.isNode = isNode;
        this.number = number;
        this.cell = cell;
        crc = cell.word(4);
        thrift = file.range(cell, 8, 8 + tail.o, tail.l);
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
        if (element != null) return this;
        Bytes bytes = file.thrift(thrift, crc);
        ThriftIn in = new ThriftIn(bytes, 0);
        name = bytes.part(0, 0);
        for (int last = 0; in.field(last); last = in.id) {
            if (in.id == Wire.THRIFT_SCHEMA_ELEMENT_NAME && in.type == Wire.TYPE_BINARY) name = in.binary();
            else in.skip();
        }
        if (in.at != bytes.size) throw bytes.damaged("a schema element that is no whole struct", in.at);
        element = bytes;
        return this;
    }

    boolean isRoot() {
        return isNode && number == 0;
    }

    byte[] thriftBytes() throws NotSliced {
        return element.copy(0, element.size);
    }

    byte[] name() throws NotSliced {
        return name.copy(0, name.size);
    }

    boolean isTopLevel(byte[] wanted) {
        return parent == 0 && !isRoot() && name.holds(wanted);
    }
}
