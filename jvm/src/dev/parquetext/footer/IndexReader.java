package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the parts of the Thrift footer that a projection uses, through the index (docs/formats.md, 7.1). */
final class IndexReader extends EntryReader {
    private static final int NODE_BIT = SchemaEntry.NODE_BIT;

    private final IndexTail tail;
    private final IndexFile file;
    private final IndexRowGroups rowGroups;
    private final Map<Integer, IndexEntry> entries = new HashMap<>(); // by leaf, or node with NODE_BIT

    IndexReader(FileBytes bytes, Located located) throws IOException, NotSliced {
        super(bytes, located);
        tail = IndexTail.open(bytes, located);
        file = new IndexFile(bytes, located, tail);
        buckets = new NameBuckets(tail.buckets, tail.listed, this::bucket);
        rowGroups = new IndexRowGroups(file);
    }

    @Override
    public FormTail tail() {
        return tail;
    }

    // ---- names

    private Bytes bucket(int number) throws IOException, NotSliced {
        return checkedBucket(
                file.cell(tail.bucketsAt + Wire.FLAT_PAGE_BYTES * number, Wire.FLAT_PAGE_BYTES), number);
    }

    /** Read a small index as a whole, and of a large one the bytes after its columns, or parts of them. */
    @Override
    public void fetchNames(List<byte[]> names) throws IOException, NotSliced {
        int length = located.length;
        if (length <= Math.max(bytes.gap(), bytes.wholeAtMost())) {
            file.want(0, length);
        } else {
            for (byte[] name : names)
                if (tail.buckets > 0)
                    file.want(tail.bucketsAt + Wire.FLAT_PAGE_BYTES * buckets.home(name), Wire.FLAT_PAGE_BYTES);
            file.want(tail.nodesAt, tail.nodeBytes);
            file.want(tail.rowGroupsAt, tail.bucketsAt - tail.rowGroupsAt);
            file.want(0, tail.leafBytes);
        }
        bytes.fetch();
    }

    @Override
    void wantFound(List<List<Integer>> candidates) throws IOException, NotSliced {
        for (List<Integer> ids : candidates) for (int id : ids) wantCells(id);
        wantCells(0);
        bytes.fetch();
        wantThrift(0);
        for (List<Integer> ids : candidates) {
            for (int id : ids) {
                if ((id & NODE_BIT) == 0) wantThrift(id);
                else wantBelow(cellsOf(id));
            }
        }
        wantRest();
    }

    private void wantCells(int id) {
        int number = id & ~NODE_BIT;
        if ((id & NODE_BIT) == 0) file.want(tail.partAt(number, 0), tail.leafBytes);
        else file.want(tail.nodesAt + number * tail.nodeBytes, tail.nodeBytes);
    }

    private boolean isHere(int leaf) {
        return bytes.has(tail.payload + tail.partAt(leaf, 0), (int) tail.leafBytes);
    }

    /** Request the Thrift bytes of a leaf and of the nodes above it for the next round; its cells have been read. */
    private void wantThrift(int leaf) throws IOException, NotSliced {
        IndexEntry entry = cellsOf(leaf);
        file.want(entry.range);
        new IndexChunks(file, entry).want();
        for (int node = entry.parent; node > 0; node = entry.parent) {
            entry = cellsOf(NODE_BIT | node);
            file.want(entry.range);
        }
    }

    private void wantBelow(IndexEntry node) throws IOException, NotSliced {
        file.want(node.range);
        if (node.parent > 0) return;
        for (int leaf = node.firstLeaf; leaf < node.firstLeaf + node.leafCount; leaf++)
            if (isHere(leaf)) wantThrift(leaf);
    }

    @Override
    public void fetchLeaves(int[] leaves) throws IOException, NotSliced {
        for (int leaf : leaves) wantCells(leaf);
        bytes.fetch();
        for (int leaf : leaves) wantThrift(leaf);
        wantRest();
        bytes.fetch();
    }

    // ---- elements

    /** The entry of a leaf or node, whose SchemaElement may not have been read. */
    private IndexEntry cellsOf(int id) throws IOException, NotSliced {
        IndexEntry entry = entries.get(id);
        if (entry == null) {
            entry = IndexEntry.of(file, id);
            entries.put(id, entry);
        }
        return entry;
    }

    @Override
    SchemaEntry entry(int id) throws IOException, NotSliced {
        return cellsOf(id).read(file);
    }

    @Override
    public Chunk[] chunks(Element leaf) throws IOException, NotSliced {
        return new IndexChunks(file, (IndexEntry) leaf.source).read();
    }

    // ---- row groups, key-values and the rest

    private void wantRest() throws IOException, NotSliced {
        file.want(cellsOf(NODE_BIT).range);
        rowGroups.want();
        wantTexts(KeyValueChoice.SCAN);
    }

    private void wantTexts(KeyValueChoice wanted) throws IOException, NotSliced {
        if (tail.hasCreatedBy) file.want(createdByRange());
        for (int i = 0; i < tail.keyValues; i++) {
            IndexFile.Range range = keyValueRange(i);
            if (i != tail.arrowSchema && range.length <= wanted.most()) file.want(range);
        }
    }

    @Override
    public void fetchTexts(KeyValueChoice wanted) throws IOException, NotSliced {
        wantTexts(wanted);
        bytes.fetch();
    }

    @Override
    public RowGroup rowGroup(int index) throws IOException, NotSliced {
        return rowGroups.read(index);
    }

    private IndexFile.Range keyValueRange(int index) throws IOException, NotSliced {
        Bytes cell = file.cell(tail.keyValueAt(index), tail.keyValueBytes());
        return file.range(cell, 8, 8 + tail.o, tail.o);
    }

    @Override
    public List<byte[]> keyValues(KeyValueChoice wanted) throws IOException, NotSliced {
        List<byte[]> pairs = new ArrayList<>();
        for (int i = 0; i < tail.keyValues && wanted != KeyValueChoice.NONE; i++) {
            IndexFile.Range range = keyValueRange(i);
            if (i == tail.arrowSchema || range.length > wanted.most()) continue;
            Bytes cell = file.cell(tail.keyValueAt(i), tail.keyValueBytes());
            Bytes pair = file.thrift(range, cell.word(4));
            if (isWanted(pair, wanted)) pairs.add(pair.copy(0, pair.size));
        }
        return pairs;
    }

    private IndexFile.Range createdByRange() throws NotSliced {
        return file.range(tail.listed, 0, tail.createdBy, tail.createdByLength);
    }

    @Override
    public Bytes createdBy() throws IOException, NotSliced {
        return tail.hasCreatedBy ? file.thrift(createdByRange(), tail.createdByCrc) : null;
    }
}
