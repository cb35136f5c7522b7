package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A flat footer: only the parts that a projection uses, each byte under a checksum (docs/formats.md, 3.7). */
final class FlatReader implements FooterReader {
    private static final int LIST = 28, CREATED_BY = 32;
    private static final int LEAST_END = 16 << 10, KEY_VALUES_AT_ONCE = 4096;
    private static final int TEXT_HINT = 4096;

    final FlatTail tail;
    final FlatCells cells;
    private final NameBuckets buckets;
    private final FileBytes file;

    FlatReader(FileBytes file, Located located) throws IOException, NotSliced {
        this.file = file;
        long end = located.payload + located.length;
        int record = 32;
        if (!file.has(end - record, record)) {
            int size = Math.min(located.length, file.wholeAtMost());
            file.want(end - size, size);
            file.fetch();
        }
        tail = FlatTail.open(file, located);
        cells = new FlatCells(file, tail);
        buckets = new NameBuckets(tail.bucketCount, tail.listed, this::bucket);
    }

    @Override
    public FormTail tail() {
        return tail;
    }

    // ---- names

    /** The end of the payload contains the parts that every projection needs; if it is large, pages of it are read. */
    @Override
    public void fetchNames(List<byte[]> names) throws IOException, NotSliced {
        int first = tail.buckets > 0 ? Math.min(tail.buckets, tail.directory) : tail.directory;
        first = tail.end <= file.wholeAtMost() ? 0 : Math.max(0, first - KEY_VALUES_AT_ONCE);
        if (tail.end - first > file.wholeAtMost()) {
            for (byte[] name : names)
                if (tail.bucketCount > 0)
                    cells.want(tail.buckets + Wire.FLAT_PAGE_BYTES * buckets.home(name), Wire.FLAT_PAGE_BYTES);
            cells.wantPlaceOf(cells.rootEntry());
            cells.wantPlaceOf(cells.nodeEntry(0));
            cells.wantPlaceOf(cells.keyValueEntry(0));
            if (tail.rowGroupCells > 1) cells.wantPlaceOf(cells.rowGroupsEntry(1));
            cells.wantPlaceOf(0);
            first = Math.max(0, tail.end - LEAST_END);
        }
        cells.want(Math.max(first, 8), tail.end - first);
        file.fetch();
    }

    private FlatCell bucket(int number) throws IOException, NotSliced {
        return cells.page(tail.buckets + Wire.FLAT_PAGE_BYTES * number, Wire.KIND_BUCKET, number, NameBuckets.ENTRIES);
    }

    @Override
    public List<List<Element>> fetchColumns(List<byte[]> names) throws IOException, NotSliced {
        List<List<Integer>> candidates = new ArrayList<>();
        for (byte[] name : names) {
            candidates.add(buckets.find(name));
            for (int word : candidates.get(candidates.size() - 1)) {
                int place = word & ~7;
                if (isHere(place)) wantBelow(cells.named(place), word & 7, name);
                else cells.want(place, columnBytes());
            }
        }
        wantLeaves(0, 1);
        wantRest();
        file.fetch();
        List<List<Element>> found = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            List<Element> ofName = new ArrayList<>();
            for (int word : candidates.get(i)) {
                FlatHead head = FlatHead.read(cells.named(word & ~7), tail, word & 7);
                if (head.isTopLevel(names.get(i))) ofName.add(element(head));
            }
            found.add(ofName);
        }
        return found;
    }

    private boolean isHere(int place) throws IOException, NotSliced {
        if (place < 8 || place > tail.end - Wire.FLAT_CELL_HEADER_BYTES) return false;
        long origin = tail.payload + place;
        return file.has(origin, Wire.FLAT_CELL_HEADER_BYTES)
                && file.has(origin, file.get(origin, Wire.FLAT_CELL_HEADER_BYTES).count(4));
    }

    /** Request the leaves of a group for the next round, if the directory has been read. */
    private void wantBelow(FlatCell cell, int which, byte[] name) throws IOException, NotSliced {
        if (cell.kind != Wire.KIND_NODE) return;
        FlatHead head = FlatHead.read(cell, tail, which);
        if (head.isTopLevel(name)) wantLeaves(head.firstLeaf, head.leafCount);
    }

    /** How many bytes all parts of a COLUMN may take: a guess that mostly holds. */
    private int columnBytes() {
        if (tail.columnHint < TEXT_HINT && tail.rowGroupCells <= 1) return cells.hint();
        long average = tail.end / Math.max(1, tail.columnCells);
        return (int) Math.min(file.gap() + (long) TEXT_HINT, average + average / 4 + TEXT_HINT);
    }

    @Override
    public void fetchLeaves(int[] leaves) throws IOException, NotSliced {
        for (int leaf : leaves) wantLeaves(leaf, 1);
        file.fetch();
    }

    private void wantLeaves(int first, int count) throws IOException, NotSliced {
        if (count == 0) return;
        int from = first / tail.cellLeaves, to = (first + count - 1) / tail.cellLeaves;
        for (int i = from; i <= to; i++) cells.want(cells.columnPlace(i), columnBytes());
    }

    // ---- elements

    @Override
    public Element leaf(int number) throws IOException, NotSliced {
        int of = number / tail.cellLeaves;
        FlatCell cell = cells.column(cells.columnPlace(of), of, 0);
        return element(FlatHead.read(cell, tail, number % tail.cellLeaves));
    }

    @Override
    public Element node(int number) throws IOException, NotSliced {
        FlatCell cell = cells.cell(cells.placeOf(cells.nodeEntry(number)), Wire.KIND_NODE, number, cells.hint());
        return element(FlatHead.read(cell, tail, 0));
    }

    private static Element element(FlatHead head) {
        return new Element(
                head.isNode,
                head.number,
                head.index,
                head.parent,
                head.firstLeaf,
                head.leafCount,
                head.columnOrder,
                head.maxDefinition,
                head.thrift(),
                head.path(),
                head);
    }

    @Override
    public Chunk[] chunks(Element leaf) throws IOException, NotSliced {
        return new FlatChunks(this, (FlatHead) leaf.source).read();
    }

    // ---- row groups, key-values and the rest

    private void wantRest() throws IOException, NotSliced {
        for (int part = 1; part < tail.rowGroupCells; part++)
            cells.want(cells.placeOf(cells.rowGroupsEntry(part)), TEXT_HINT);
        wantTexts(KeyValueChoice.SCAN);
    }

    private void wantTexts(KeyValueChoice wanted) throws IOException, NotSliced {
        if (tail.hasCreatedBy) cells.want(cells.placeOf(cells.rootEntry()), TEXT_HINT);
        for (int i = 0; i < tail.keyValues; i++)
            if (keyValueBytes(i) <= wanted.most())
                cells.want(cells.placeOf(cells.keyValueEntry(i)), keyValueBytes(i));
    }

    @Override
    public void fetchTexts(KeyValueChoice wanted) throws IOException, NotSliced {
        wantTexts(wanted);
        file.fetch();
    }

    @Override
    public RowGroup rowGroup(int index) throws IOException, NotSliced {
        if (tail.hasRowGroup(index)) return tail.rowGroup(index);
        int part = index / Wire.FLAT_PART_ROW_GROUPS, first = part * Wire.FLAT_PART_ROW_GROUPS;
        int place = cells.placeOf(cells.rowGroupsEntry(part));
        FlatCell cell = cells.cell(place, Wire.KIND_ROW_GROUPS, part, TEXT_HINT);
        int count = Math.min(Wire.FLAT_PART_ROW_GROUPS, tail.rowGroups - first);
        cell.require(LIST + 4L * count);
        if (cell.word(16) != first || cell.word(20) != count) throw cell.damaged("other row groups", 16);
        FlatCell.Table table = cell.table(cell.count(LIST + 4 * (index - first)));
        int ordinal = table.has(Wire.SLOT_ROW_GROUP_ORDINAL, 2) ? (short) table.u16(Wire.SLOT_ROW_GROUP_ORDINAL) : -1;
        return new RowGroup(
                table.i64(Wire.SLOT_ROW_GROUP_NUM_ROWS, 0),
                table.i64(Wire.SLOT_ROW_GROUP_FILE_OFFSET, -1),
                table.i64(Wire.SLOT_ROW_GROUP_TOTAL_COMPRESSED_SIZE, -1),
                ordinal);
    }

    /** Bytes that a pair takes at most: cells follow each other. */
    private int keyValueBytes(int index) throws IOException, NotSliced {
        int next = tail.buckets > 0 ? tail.buckets : tail.directory;
        if (index + 1 < tail.keyValues) next = cells.placeOf(cells.keyValueEntry(index + 1));
        int bytes = next - cells.placeOf(cells.keyValueEntry(index));
        return bytes < Wire.FLAT_CELL_HEADER_BYTES ? Integer.MAX_VALUE : bytes;
    }

    @Override
    public List<byte[]> keyValues(KeyValueChoice wanted) throws IOException, NotSliced {
        List<byte[]> pairs = new ArrayList<>();
        for (int i = 0; i < tail.keyValues && wanted != KeyValueChoice.NONE; i++) {
            int bytes = keyValueBytes(i);
            if (bytes > wanted.most()) continue;
            FlatCell cell = cells.cell(cells.placeOf(cells.keyValueEntry(i)), Wire.KIND_KEY_VALUE, i, bytes);
            FlatCell.Table table = cell.table(Wire.FLAT_CELL_HEADER_BYTES);
            Bytes key = table.bytes(Wire.SLOT_KEY_VALUE_KEY), value = table.bytes(Wire.SLOT_KEY_VALUE_VAL);
            if (key != null && wanted.has(key)) pairs.add(pair(key, value));
        }
        return pairs;
    }

    private static byte[] pair(Bytes key, Bytes value) throws NotSliced {
        ThriftOut out = new ThriftOut(Integer.MAX_VALUE);
        int outer = out.begin();
        out.binary(Wire.THRIFT_KEY_VALUE_KEY, key.copy(0, key.size));
        if (value != null) out.binary(Wire.THRIFT_KEY_VALUE_VALUE, value.copy(0, value.size));
        out.end(outer);
        return out.toBytes();
    }

    @Override
    public Bytes createdBy() throws IOException, NotSliced {
        if (!tail.hasCreatedBy) return null;
        return cells.cell(cells.placeOf(cells.rootEntry()), Wire.KIND_ROOT, 0, TEXT_HINT).blob(CREATED_BY);
    }
}
