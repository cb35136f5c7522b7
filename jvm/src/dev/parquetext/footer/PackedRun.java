package dev.parquetext.footer;

import java.io.IOException;

/** Structs that follow each other in one cell: elements or row groups (docs/formats.md, 15.4). */
final class PackedRun implements PackedTile.Parts {
    private static final byte[] NO_PATH = {};

    private final PackedContent content;
    private final PackedTile tile;
    private final long limit;
    /** Numbers about the structs, in front of them: by number and struct. */
    final long[][] facts;

    /** Read the content of a cell, with {@code facts} numbers about each of {@code count} structs. */
    PackedRun(PackedContent content, int facts, int count, PackedBook book, Allowance allowance, long limit)
            throws IOException, NotSliced {
        this.content = content;
        this.limit = limit;
        this.facts = new long[facts][count];
        allowance.take((long) facts * count);
        for (long[] fact : this.facts) new PackedTable(content, 1, count).column(0, fact);
        tile = new PackedTile(book, 1, count, this, allowance, limit);
        tile.readBounds();
        tile.readWords();
        content.end();
        tile.decode(0);
    }

    @Override
    public PackedContent open(int part) {
        return content;
    }

    @Override
    public void close(PackedContent part) {}

    private Bytes made(ThriftOut out) {
        byte[] bytes = out.toBytes();
        return new Bytes(bytes, 0, bytes.length, content.bytes.origin);
    }

    /** Return a struct. */
    Bytes struct(int number) throws NotSliced {
        ThriftOut out = new ThriftOut(limit);
        tile.put(number, NO_PATH, out);
        return made(out);
    }

    /** The facts of a row group. */
    RowGroup rowGroup(int number) throws NotSliced {
        ThriftOut out = new ThriftOut(limit);
        int columnsAt = tile.put(number, NO_PATH, out);
        return IndexRowGroups.decoded(made(out), columnsAt);
    }
}
