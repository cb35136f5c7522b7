package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The Thrift footer, read by its index: only the parts that a projection uses (docs/formats.md, 7.1). */
final class IndexReader implements FooterReader {
    private static final int NODE_BIT = 0x80000000, BUCKET_KIND = Wire.KIND_BUCKET;

    private final IndexTail tail;
    private final IndexFile file;
    private final Located located;
    private final NameBuckets buckets;
    private final IndexRowGroups rowGroups;
    private final Map<Integer, IndexEntry> entries = new HashMap<>(); // by leaf, or node with NODE_BIT
    private long pathBytes;

    IndexReader(FileBytes bytes, Located located) throws IOException, NotSliced {
        this.located = located;
        long end = located.payload + located.length;
        if (!bytes.has(end - 12, 12)) {
            int size = Math.min(located.length, bytes.wholeAtMost());
            bytes.want(end - size, size);
            bytes.fetch();
        }
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
        Bytes page = file.cell(tail.bucketsAt + Wire.FLAT_PAGE_BYTES * number, Wire.FLAT_PAGE_BYTES);
        if (page.word(4) != Wire.FLAT_PAGE_BYTES
                || page.u16(8) != BUCKET_KIND
                || page.word(12) != number
                || page.u16(10) > NameBuckets.ENTRIES) throw page.damaged("a broken page of names", 4);
        return page;
    }

    /** Read a small index as a whole, and of a large one the bytes after its columns, or parts of them. */
    @Override
    public void fetchNames(List<byte[]> names) throws IOException, NotSliced {
        int length = located.length;
        if (length <= Math.max(file.file.gap(), file.file.wholeAtMost())) {
            file.want(0, length);
        } else {
            for (byte[] name : names)
                if (tail.buckets > 0)
                    file.want(tail.bucketsAt + Wire.FLAT_PAGE_BYTES * buckets.home(name), Wire.FLAT_PAGE_BYTES);
            file.want(tail.nodesAt, tail.nodeBytes);
            file.want(tail.rowGroupsAt, tail.bucketsAt - tail.rowGroupsAt);
            file.want(0, tail.leafBytes);
        }
        file.file.fetch();
    }

    @Override
    public List<List<Element>> fetchColumns(List<byte[]> names) throws IOException, NotSliced {
        List<List<Integer>> candidates = new ArrayList<>();
        for (byte[] name : names) candidates.add(buckets.find(name));
        for (List<Integer> ids : candidates) for (int id : ids) wantCells(checked(id));
        wantCells(0);
        file.file.fetch();
        wantThrift(0);
        for (List<Integer> ids : candidates) {
            for (int id : ids) {
                if ((id & NODE_BIT) == 0) wantThrift(id);
                else wantBelow(entry(id));
            }
        }
        wantRest();
        file.file.fetch();
        List<List<Element>> found = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            List<Element> ofName = new ArrayList<>();
            for (int id : candidates.get(i)) {
                IndexEntry entry = entry(id).read(file);
                if (entry.isTopLevel(names.get(i))) ofName.add(element(id));
            }
            found.add(ofName);
        }
        return found;
    }

    private int checked(int id) throws NotSliced {
        if ((id & ~NODE_BIT) >= ((id & NODE_BIT) == 0 ? tail.leaves : tail.nodes))
            throw NotSliced.damaged("a name of element " + (id & ~NODE_BIT), located.payload);
        return id;
    }

    private void wantCells(int id) {
        int number = id & ~NODE_BIT;
        if ((id & NODE_BIT) == 0) file.want(tail.partAt(number, 0), tail.leafBytes);
        else file.want(tail.nodesAt + number * tail.nodeBytes, tail.nodeBytes);
    }

    private boolean isHere(int leaf) {
        return file.file.has(tail.payload + tail.partAt(leaf, 0), (int) tail.leafBytes);
    }

    /** Has the Thrift bytes of a leaf and of the nodes above it read in the next round; the leaf's cells are here. */
    private void wantThrift(int leaf) throws IOException, NotSliced {
        IndexEntry entry = entry(leaf);
        file.want(entry.thrift);
        new IndexChunks(file, entry).want();
        for (int node = entry.parent; node > 0; node = entry.parent) {
            entry = entry(NODE_BIT | node);
            file.want(entry.thrift);
        }
    }

    private void wantBelow(IndexEntry node) throws IOException, NotSliced {
        file.want(node.thrift);
        if (node.parent > 0) return;
        for (int leaf = node.firstLeaf; leaf < node.firstLeaf + node.leafCount; leaf++)
            if (isHere(leaf)) wantThrift(leaf);
    }

    @Override
    public void fetchLeaves(int[] leaves) throws IOException, NotSliced {
        for (int leaf : leaves) wantCells(leaf);
        file.file.fetch();
        for (int leaf : leaves) wantThrift(leaf);
        wantRest();
        file.file.fetch();
    }

    // ---- elements

    private IndexEntry entry(int id) throws IOException, NotSliced {
        IndexEntry entry = entries.get(id);
        if (entry == null) {
            entry = IndexEntry.of(file, (id & NODE_BIT) != 0, id & ~NODE_BIT);
            entries.put(id, entry);
        }
        return entry;
    }

    @Override
    public Element leaf(int number) throws IOException, NotSliced {
        return element(number);
    }

    @Override
    public Element node(int number) throws IOException, NotSliced {
        return element(NODE_BIT | number);
    }

    private Element element(int id) throws IOException, NotSliced {
        IndexEntry entry = entry(id).read(file);
        return new Element(
                entry.isNode,
                entry.number,
                entry.index,
                entry.parent,
                entry.firstLeaf,
                entry.leafCount,
                entry.columnOrder,
                entry.maxDefinition,
                entry.thriftBytes(),
                entry.isNode ? new byte[0] : path(entry),
                entry);
    }

    /** Names from below the root, NUL between them. */
    private byte[] path(IndexEntry leaf) throws IOException, NotSliced {
        List<byte[]> names = new ArrayList<>();
        int size = -1;
        for (IndexEntry entry = leaf; !entry.isRoot(); entry = entry(NODE_BIT | entry.parent).read(file)) {
            names.add(entry.name());
            size += names.get(names.size() - 1).length + 1;
        }
        pathBytes += size;
        if (pathBytes > located.proportion()) throw NotSliced.damaged("paths of many names", located.payload);
        byte[] path = new byte[size];
        int at = 0;
        for (int i = names.size(); i-- > 0; at += names.get(i).length + 1)
            System.arraycopy(names.get(i), 0, path, at, names.get(i).length);
        return path;
    }

    @Override
    public Chunk[] chunks(Element leaf) throws IOException, NotSliced {
        return new IndexChunks(file, (IndexEntry) leaf.source).read();
    }

    // ---- row groups, key-values and the rest

    private void wantRest() throws IOException, NotSliced {
        file.want(entry(NODE_BIT).thrift);
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
        file.file.fetch();
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
            ThriftIn in = new ThriftIn(pair, 0);
            boolean isWanted = false;
            for (int last = 0; in.field(last); ) {
                last = in.id;
                if (in.id == Wire.THRIFT_KEY_VALUE_KEY && in.type == Wire.TYPE_BINARY) isWanted = wanted.has(in.binary());
                else in.skip();
            }
            if (in.at != pair.size) throw pair.damaged("a key-value that is no whole struct", in.at);
            if (isWanted) pairs.add(pair.copy(0, pair.size));
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
