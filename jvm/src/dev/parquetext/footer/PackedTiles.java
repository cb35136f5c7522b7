package dev.parquetext.footer;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The tiles of a packed footer, and the chunks in them (docs/formats.md, 15.4). */
final class PackedTiles {
    private static final int[] KINDS = {
        Wire.CELLS_PLACED, Wire.CELLS_BOUNDS, Wire.CELLS_TEXTS, Wire.CELLS_LONG_TEXTS
    }; // by part

    private final PackedFile file;
    private final PackedTail tail;
    private final Allowance allowance;
    private final long limit;
    private final Map<Integer, PackedTile> tiles = new HashMap<>(); // of one block of leaves
    private int block = -1;

    PackedTiles(PackedFile file, PackedTail tail, Allowance allowance, long limit) {
        this.file = file;
        this.tail = tail;
        this.allowance = allowance;
        this.limit = limit;
    }

    /** Request the tiles of neighboring leaves for the next round. */
    void want(int first, int count) throws IOException, NotSliced {
        int from = first / tail.tileColumns, to = (first + count - 1) / tail.tileColumns;
        for (int number = from * tail.tilesBelow; number < (to + 1) * tail.tilesBelow; number++)
            for (int kind : KINDS) file.want(kind, number);
    }

    private PackedTile tile(PackedBook book, int ofLeaves, int below) throws IOException, NotSliced {
        if (ofLeaves != block) tiles.clear();
        block = ofLeaves;
        PackedTile tile = tiles.get(below);
        if (tile == null) {
            int columns = Math.min(tail.tileColumns, tail.leaves - ofLeaves * tail.tileColumns);
            int rows = Math.min(tail.tileRows, tail.rowGroups - below * tail.tileRows);
            int number = ofLeaves * tail.tilesBelow + below;
            tile = new PackedTile(book, columns, rows, new Cells(number), allowance, limit);
            tiles.put(below, tile);
        }
        return tile;
    }

    /** The cells with the parts of a tile. */
    private final class Cells implements PackedTile.Parts {
        private final int number;

        Cells(int number) {
            this.number = number;
        }

        @Override
        public PackedContent open(int part) throws IOException, NotSliced {
            return file.cell(KINDS[part], number);
        }

        @Override
        public void close(PackedContent content) throws NotSliced {
            content.end();
        }
    }

    /** A leaf's chunks in all row groups. */
    Chunk[] chunks(Element leaf, PackedBook book) throws IOException, NotSliced {
        Chunk[] chunks = new Chunk[tail.rowGroups];
        int[] ends = new int[tail.rowGroups];
        ThriftOut path = new ThriftOut(Integer.MAX_VALUE), out = new ThriftOut(limit);
        path.path(leaf.path);
        byte[] list = path.toBytes();
        for (int below = 0, done = 0; below < tail.tilesBelow; below++) {
            PackedTile tile = tile(book, leaf.number / tail.tileColumns, below);
            tile.decode(leaf.number % tail.tileColumns);
            for (int row = 0; row < tile.rows; row++) {
                tile.put(row, list, out);
                ends[done++] = out.size();
            }
        }
        byte[] made = out.toBytes();
        for (int i = 0, begin = 0; i < chunks.length; begin = ends[i++]) {
            chunks[i] = new Chunk();
            chunks[i].thrift = new Bytes(made, begin, ends[i] - begin, tail.payload);
            IndexChunks.readChunk(chunks[i]);
        }
        return chunks;
    }
}
