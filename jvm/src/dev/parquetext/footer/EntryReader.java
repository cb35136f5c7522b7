package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A footer whose names lead to numbers of leaves and nodes, and whose parts are structs of the Thrift footer. */
abstract class EntryReader implements FooterReader {
    final FileBytes bytes;
    final Located located;
    /** The hashes of names, which lead to numbers. */
    NameBuckets buckets;
    private long pathBytes;

    EntryReader(FileBytes bytes, Located located) {
        this.bytes = bytes;
        this.located = located;
    }

    /** The leaf of a number, or the node of a number with {@link SchemaEntry#NODE_BIT}, with its SchemaElement. */
    abstract SchemaEntry entry(int id) throws IOException, NotSliced;

    /** Request the bytes of these elements for the next round, and in later rounds the bytes to which they lead. */
    abstract void wantFound(List<List<Integer>> ids) throws IOException, NotSliced;

    @Override
    public List<List<Element>> fetchColumns(List<byte[]> names) throws IOException, NotSliced {
        List<List<Integer>> candidates = new ArrayList<>();
        for (byte[] name : names) candidates.add(buckets.find(name));
        for (List<Integer> ids : candidates) for (int id : ids) check(id);
        wantFound(candidates);
        bytes.fetch();
        List<List<Element>> found = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            List<Element> ofName = new ArrayList<>();
            for (int id : candidates.get(i)) if (entry(id).isTopLevel(names.get(i))) ofName.add(element(id));
            found.add(ofName);
        }
        return found;
    }

    private void check(int id) throws NotSliced {
        int number = id & ~SchemaEntry.NODE_BIT, count = number == id ? tail().leaves : tail().nodes;
        if (number >= count) throw NotSliced.damaged("a name of element " + number, located.payload);
    }

    @Override
    public Element leaf(int number) throws IOException, NotSliced {
        return element(number);
    }

    @Override
    public Element node(int number) throws IOException, NotSliced {
        return element(SchemaEntry.NODE_BIT | number);
    }

    private Element element(int id) throws IOException, NotSliced {
        SchemaEntry entry = entry(id);
        return new Element(
                entry.isNode,
                entry.number,
                entry.index,
                entry.parent,
                entry.firstLeaf,
                entry.leafCount,
                entry.columnOrder,
                entry.maxDefinition,
                entry.thrift.copy(0, entry.thrift.size),
                entry.isNode ? new byte[0] : path(entry),
                entry);
    }

    /** Names from below the root, NUL between them. */
    private byte[] path(SchemaEntry leaf) throws IOException, NotSliced {
        List<Bytes> names = new ArrayList<>();
        int size = -1;
        for (SchemaEntry entry = leaf; !entry.isRoot(); entry = entry(SchemaEntry.NODE_BIT | entry.parent)) {
            names.add(entry.name);
            size += entry.name.size + 1;
        }
        pathBytes += size;
        if (pathBytes > located.proportion()) throw NotSliced.damaged("paths of many names", located.payload);
        byte[] path = new byte[size];
        int at = 0;
        for (int i = names.size(); i-- > 0; ) {
            Bytes name = names.get(i);
            System.arraycopy(name.data, name.begin, path, at, name.size);
            at += name.size + 1;
        }
        return path;
    }

    /** Return a page of names, whose bytes have been checked, if it is that of a bucket. */
    static Bytes checkedBucket(Bytes page, int number) throws NotSliced {
        if (page.word(4) != Wire.FLAT_PAGE_BYTES
                || page.u16(8) != Wire.KIND_BUCKET
                || page.word(12) != number
                || page.u16(10) > NameBuckets.ENTRIES) throw page.damaged("a broken page of names", 4);
        return page;
    }

    /** Return true if the key of a KeyValue is wanted. */
    static boolean isWanted(Bytes pair, KeyValueChoice wanted) throws NotSliced {
        ThriftIn in = new ThriftIn(pair, 0);
        boolean isWanted = false;
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (in.id == Wire.THRIFT_KEY_VALUE_KEY && in.type == Wire.TYPE_BINARY) isWanted = wanted.has(in.binary());
            else in.skip();
        }
        if (in.at != pair.size) throw pair.damaged("a key-value that is not exactly one struct", in.at);
        return isWanted;
    }
}
