package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A packed footer: only the cells that a projection uses are read and decoded (docs/formats.md, 15). */
final class PackedReader extends EntryReader {
    private static final int MOST_BYTES = 1 << 29;
    private static final int CHUNK_BOOK = 0, ROW_GROUP_BOOK = 1, ELEMENT_BOOK = 2, BOOKS = 3;
    private static final int LEAF_FACTS = 6, NODE_FACTS = 8;
    private static final int PAIR_HEAD = 11; // bytes in front of a pair, at most
    private static final int PLACE = 8; // bytes of created_by's place

    private final PackedTail tail;
    private final PackedFile file;
    private final Allowance allowance;
    private final long limit; // of the bytes that are made at once
    private final PackedBook[] books = new PackedBook[BOOKS];
    private final Map<Long, PackedRun> runs = new HashMap<>(); // by cell
    private final Map<Integer, PackedEntry> entries = new HashMap<>(); // by leaf, or node with NODE_BIT
    private final PackedTiles tiles;

    PackedReader(FileBytes bytes, Located located) throws IOException, NotSliced {
        super(bytes, located);
        tail = PackedTail.open(bytes, located);
        allowance = new Allowance(located);
        limit = Math.min(Math.min(tail.thriftBytes, located.proportion()), MOST_BYTES);
        file = new PackedFile(bytes, tail, allowance);
        tiles = new PackedTiles(file, tail, allowance, limit);
        buckets = new NameBuckets(
                tail.buckets, tail.listed, number -> checkedBucket(file.bucket(number), number));
    }

    @Override
    public FormTail tail() {
        return tail;
    }

    // ---- names

    /** Read a small payload as a whole, and of a large one the books, the directories, and pages of names. */
    @Override
    public void fetchNames(List<byte[]> names) throws IOException, NotSliced {
        int length = located.length, directories = tail.directories();
        if (length <= Math.max(bytes.gap(), bytes.wholeAtMost())) {
            file.wantBytes(0, length);
        } else {
            int books = tail.area(Wire.CELLS_BOOKS).begin;
            boolean isNear = books <= directories && directories - books <= bytes.wholeAtMost();
            int first = isNear ? books : directories;
            file.wantBytes(first, length - first);
            for (byte[] name : names) {
                if (tail.buckets == 0) break;
                long place = tail.area(Wire.CELLS_NAMES).begin + (long) Wire.FLAT_PAGE_BYTES * buckets.home(name);
                file.wantBytes((int) place, Wire.FLAT_PAGE_BYTES);
            }
        }
        bytes.fetch();
    }

    @Override
    void wantFound(List<List<Integer>> candidates) throws IOException, NotSliced {
        wantLeaves(0, 1);
        for (List<Integer> ids : candidates) {
            for (int id : ids) {
                int number = id & ~SchemaEntry.NODE_BIT;
                if (number == id) wantLeaves(id, 1);
                else wantBelow(number);
            }
        }
        wantRest();
    }

    /** Request a node for the next round, or the leaves below it if it has been read and is at the top level. */
    private void wantBelow(int node) throws IOException, NotSliced {
        int cell = node / Wire.PACKED_ELEMENTS_PER_CELL;
        if (!file.has(Wire.CELLS_NODES, cell)) {
            file.want(Wire.CELLS_NODES, cell);
            return;
        }
        SchemaEntry entry = entry(SchemaEntry.NODE_BIT | node);
        if (entry.parent == 0) wantLeaves(entry.firstLeaf, entry.leafCount);
    }

    private void wantLeaves(int first, int count) throws IOException, NotSliced {
        if (count == 0) return;
        int per = Wire.PACKED_ELEMENTS_PER_CELL;
        for (int cell = first / per; cell <= (first + count - 1) / per; cell++) file.want(Wire.CELLS_LEAVES, cell);
        tiles.want(first, count);
    }

    @Override
    public void fetchLeaves(int[] leaves) throws IOException, NotSliced {
        for (int i = 0; i < leaves.length; ) {
            int first = i++;
            while (i < leaves.length && leaves[i] == leaves[i - 1] + 1) i++;
            wantLeaves(leaves[first], i - first);
        }
        wantRest();
        bytes.fetch();
    }

    /** Request the parts that every slice needs: nodes, row groups, and texts. */
    private void wantRest() throws IOException, NotSliced {
        PackedTail.Area nodes = tail.area(Wire.CELLS_NODES), groups = tail.area(Wire.CELLS_ROW_GROUPS);
        int few = bytes.wholeAtMost(); // nodes are read as a whole unless they are many
        long size = 0;
        for (int cell = 0; cell < nodes.cells && size <= few; cell++) {
            file.want(Wire.CELLS_NODES, cell);
            size += file.contentBytes(Wire.CELLS_NODES, cell);
        }
        for (int cell = 0; cell < groups.cells; cell++) file.want(Wire.CELLS_ROW_GROUPS, cell);
        wantTexts(KeyValueChoice.SCAN);
    }

    // ---- elements

    private PackedBook book(int which) throws IOException, NotSliced {
        if (books[which] == null) {
            PackedContent content = file.cell(Wire.CELLS_BOOKS, 0);
            for (int i = 0; i < BOOKS; i++) books[i] = new PackedBook(content);
            content.end();
        }
        return books[which];
    }

    private PackedRun run(int kind, int cell, int facts, int book, int count) throws IOException, NotSliced {
        long key = (long) kind << 32 | cell;
        PackedRun run = runs.get(key);
        if (run == null) {
            PackedBook used = book(book);
            run = new PackedRun(file.cell(kind, cell), facts, count, used, allowance, limit);
            runs.put(key, run);
        }
        return run;
    }

    @Override
    SchemaEntry entry(int id) throws IOException, NotSliced {
        PackedEntry entry = entries.get(id);
        if (entry == null) {
            boolean isNode = (id & SchemaEntry.NODE_BIT) != 0;
            int per = Wire.PACKED_ELEMENTS_PER_CELL, cell = (id & ~SchemaEntry.NODE_BIT) / per;
            int count = Math.min(per, (isNode ? tail.nodes : tail.leaves) - cell * per);
            PackedRun run = isNode
                    ? run(Wire.CELLS_NODES, cell, NODE_FACTS, ELEMENT_BOOK, count)
                    : run(Wire.CELLS_LEAVES, cell, LEAF_FACTS, ELEMENT_BOOK, count);
            entry = new PackedEntry(id, run, tail);
            entries.put(id, entry);
        }
        return entry;
    }

    @Override
    public Chunk[] chunks(Element leaf) throws IOException, NotSliced {
        return tiles.chunks(leaf, book(CHUNK_BOOK));
    }

    @Override
    public RowGroup rowGroup(int index) throws IOException, NotSliced {
        int per = Wire.PACKED_ROW_GROUPS_PER_CELL, cell = index / per, at = index % per;
        int count = Math.min(per, tail.rowGroups - cell * per);
        return run(Wire.CELLS_ROW_GROUPS, cell, 0, ROW_GROUP_BOOK, count).rowGroup(at);
    }

    // ---- key-values and the rest

    /** Return true if a pair may be short enough: compressed, it has fewer bytes. */
    private boolean isShort(int pair, KeyValueChoice wanted) throws IOException, NotSliced {
        if (pair == tail.arrowSchema || wanted == KeyValueChoice.NONE) return false;
        return file.contentBytes(Wire.CELLS_PAIRS, pair) <= (long) wanted.most() + PAIR_HEAD;
    }

    private void wantTexts(KeyValueChoice wanted) throws IOException, NotSliced {
        if (tail.hasCreatedBy) file.want(Wire.CELLS_FRAME, 0);
        for (int i = 0; i < tail.keyValues; i++) if (isShort(i, wanted)) file.want(Wire.CELLS_PAIRS, i);
    }

    @Override
    public void fetchTexts(KeyValueChoice wanted) throws IOException, NotSliced {
        wantTexts(wanted);
        bytes.fetch();
    }

    @Override
    public List<byte[]> keyValues(KeyValueChoice wanted) throws IOException, NotSliced {
        List<byte[]> pairs = new ArrayList<>();
        for (int i = 0; i < tail.keyValues; i++) {
            if (!isShort(i, wanted)) continue;
            byte[] pair = pair(i, wanted.most());
            if (pair != null && isWanted(new Bytes(pair, 0, pair.length, located.payload), wanted)) pairs.add(pair);
        }
        return pairs;
    }

    /** Return a pair of at most {@code most} bytes; null for a longer one. */
    private byte[] pair(int index, int most) throws IOException, NotSliced {
        PackedContent content = file.cell(Wire.CELLS_PAIRS, index);
        int form = content.u8();
        long size = content.varint();
        if (form > 1) throw content.damaged("a key-value of form " + form);
        if (size < 0 || size > limit || form == 0 && size != content.left())
            throw content.damaged("a key-value of " + size + " bytes");
        if (size > most) return null;
        allowance.take(size);
        int length = content.left();
        Bytes text = content.bytes.part(content.take(length), length);
        return form == 0 ? text.copy(0, length) : ZstdFrame.decompress(text, (int) size);
    }

    @Override
    public Bytes createdBy() throws IOException, NotSliced {
        if (!tail.hasCreatedBy) return null;
        PackedContent content = file.cell(Wire.CELLS_FRAME, 0);
        int at = content.take(PLACE);
        long begin = content.bytes.u32(at), length = content.bytes.u32(at + 4), size = content.left() + PLACE;
        if (begin > size || length > size - begin) throw content.damaged("a place of created_by out of its cell");
        return content.bytes.part(at + (int) begin, (int) length);
    }
}
