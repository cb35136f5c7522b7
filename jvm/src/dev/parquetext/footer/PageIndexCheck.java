package dev.parquetext.footer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Leaves column indexes that cannot be right out of a slice, as far as its reader may skip pages by them. */
final class PageIndexCheck {
    private static final int REPEATED = 2, MOST_BYTES = 16 << 20; // of one index

    private static final class Filtered {
        final Element leaf;
        final Chunk[] chunks;
        final boolean isRepeated;

        Filtered(Element leaf, Chunk[] chunks, boolean isRepeated) {
            this.leaf = leaf;
            this.chunks = chunks;
            this.isRepeated = isRepeated;
        }
    }

    private final FileBytes file;
    private final FooterReader reader;
    private final PageSkipping skipping;

    PageIndexCheck(FileBytes file, FooterReader reader, PageSkipping skipping) {
        this.file = file;
        this.reader = reader;
        this.skipping = skipping;
    }

    /** Read the page indexes in one round, and leave those out that cannot be right. */
    void apply(List<Element> leaves, List<Chunk[]> chunks, RowGroup[] rowGroups) throws IOException, NotSliced {
        List<Filtered> columns = filtered(leaves, chunks);
        if (columns.isEmpty()) return;
        List<Integer> inSplit = new ArrayList<>();
        for (int i = 0; i < rowGroups.length; i++) if (isInSplit(rowGroups[i], chunks.get(0)[i])) inSplit.add(i);
        for (int rowGroup : inSplit) for (Filtered column : columns) want(column.chunks[rowGroup]);
        file.fetch();
        for (Filtered column : columns) {
            ColumnIndexRule rule = new ColumnIndexRule(column.leaf, column.isRepeated);
            for (int rowGroup : inSplit) {
                Chunk chunk = column.chunks[rowGroup];
                if (chunk.has(Chunk.COLUMN_INDEX) && !isSound(rule, chunk, rowGroups[rowGroup].numRows)) remove(chunk);
            }
        }
    }

    private List<Filtered> filtered(List<Element> leaves, List<Chunk[]> chunks) throws IOException, NotSliced {
        Set<String> names = new HashSet<>();
        for (String name : skipping.columns) names.add(name.toLowerCase(Locale.ROOT));
        List<Filtered> columns = new ArrayList<>();
        for (int i = 0; i < leaves.size(); i++)
            if (names.contains(topLevelName(leaves.get(i))))
                columns.add(new Filtered(leaves.get(i), chunks.get(i), isRepeated(leaves.get(i))));
        return columns;
    }

    private static String topLevelName(Element leaf) {
        int end = 0;
        while (end < leaf.path.length && leaf.path[end] != 0) end++;
        return new String(leaf.path, 0, end, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
    }

    private boolean isRepeated(Element leaf) throws IOException, NotSliced {
        Element element = leaf;
        for (int steps = 0; !element.isRoot(); element = reader.node(element.parent)) {
            if (repetition(element.thrift) == REPEATED || ++steps > reader.tail().nodes) return true;
        }
        return false;
    }

    private static int repetition(byte[] element) throws NotSliced {
        int found = -1;
        ThriftIn in = new ThriftIn(new Bytes(element, 0, element.length, 0), 0);
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (last == Wire.THRIFT_SCHEMA_ELEMENT_REPETITION_TYPE && in.type == Wire.TYPE_I32) found = in.i32();
            else in.skip();
        }
        return found;
    }

    /** Return true if a row group may be in the split: readers use its midpoint, computed in one of two ways. */
    private boolean isInSplit(RowGroup rowGroup, Chunk first) {
        long begin = Midpoint.begin(first), other = rowGroup.fileOffset == -1 ? begin : rowGroup.fileOffset;
        long size = Math.max(0, rowGroup.totalCompressedSize);
        return Math.min(begin, other) < skipping.end && Midpoint.sum(Math.max(begin, other), size) >= skipping.begin;
    }

    private void want(Chunk chunk) {
        if (!chunk.has(Chunk.COLUMN_INDEX)) return;
        if (isInFile(chunk.columnIndexOffset, chunk.columnIndexLength))
            file.want(chunk.columnIndexOffset, chunk.columnIndexLength);
        if (chunk.has(Chunk.OFFSET_INDEX) && isInFile(chunk.offsetIndexOffset, chunk.offsetIndexLength))
            file.want(chunk.offsetIndexOffset, chunk.offsetIndexLength);
    }

    private boolean isInFile(long offset, int length) {
        return offset > 0 && length > 0 && length <= MOST_BYTES && offset <= file.size - length;
    }

    private boolean isSound(ColumnIndexRule rule, Chunk chunk, long rows) throws IOException {
        if (!isInFile(chunk.columnIndexOffset, chunk.columnIndexLength)) return false;
        if (chunk.has(Chunk.OFFSET_INDEX) && !isInFile(chunk.offsetIndexOffset, chunk.offsetIndexLength)) return false;
        try {
            long[] pageRows = null;
            if (chunk.has(Chunk.OFFSET_INDEX)) {
                PageLocations pages = PageLocations.read(file.get(chunk.offsetIndexOffset, chunk.offsetIndexLength));
                if (!pages.areSound(chunk, rows)) return false;
                pageRows = pages.rowCounts(rows);
            }
            ColumnIndex index = ColumnIndex.read(file.get(chunk.columnIndexOffset, chunk.columnIndexLength));
            return !rule.isContradicted(index, chunk, pageRows);
        } catch (NotSliced damage) {
            return false;
        }
    }

    private static void remove(Chunk chunk) throws NotSliced {
        if (chunk.thrift == null) {
            chunk.has &= ~Chunk.COLUMN_INDEX;
        } else {
            chunk.thrift = ChunkCut.withoutColumnIndex(chunk.thrift);
            IndexChunks.readChunk(chunk);
        }
    }
}
