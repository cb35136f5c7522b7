package dev.parquetext.footer;

import java.util.Arrays;

/** The pages of a column chunk by its offset index. */
final class PageLocations {
    private static final int MAGIC_BYTES = 4;

    private long[] offsets = {}, sizes = {}, firstRows = {};

    private PageLocations() {}

    static PageLocations read(Bytes bytes) throws NotSliced {
        PageLocations pages = new PageLocations();
        ThriftIn in = new ThriftIn(bytes, 0);
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (last == Wire.THRIFT_OFFSET_INDEX_PAGE_LOCATIONS && in.type == Wire.TYPE_LIST) pages.readAll(in);
            else in.skip();
        }
        return pages;
    }

    private void readAll(ThriftIn in) throws NotSliced {
        int count = in.list();
        if (count > 0 && in.itemType != Wire.TYPE_STRUCT) throw in.bytes.damaged("page locations are no structs", in.at);
        offsets = new long[count];
        sizes = new long[count];
        firstRows = new long[count];
        Arrays.fill(firstRows, -1);
        for (int page = 0; page < count; page++) readOne(in, page);
    }

    private void readOne(ThriftIn in, int page) throws NotSliced {
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (last == Wire.THRIFT_PAGE_LOCATION_OFFSET && in.type == Wire.TYPE_I64) offsets[page] = in.i64();
            else if (last == Wire.THRIFT_PAGE_LOCATION_COMPRESSED_PAGE_SIZE && in.type == Wire.TYPE_I32)
                sizes[page] = in.i32();
            else if (last == Wire.THRIFT_PAGE_LOCATION_FIRST_ROW_INDEX && in.type == Wire.TYPE_I64)
                firstRows[page] = in.i64();
            else in.skip();
        }
    }

    /**
     * Return true if the pages follow each other up to the chunk's end, and each has at least one row.
     *
     * @param rows of the row group
     */
    boolean areSound(Chunk chunk, long rows) {
        int count = offsets.length;
        if (count == 0 || firstRows[0] != 0 || offsets[0] < MAGIC_BYTES) return false;
        long chunkEnd = Midpoint.sum(begin(chunk), chunk.totalCompressedSize);
        for (int page = 0; page < count; page++) {
            boolean isLast = page == count - 1;
            long end = isLast ? chunkEnd : offsets[page + 1], endRow = isLast ? rows : firstRows[page + 1];
            if (sizes[page] <= 0 || offsets[page] > end || end - offsets[page] != sizes[page]) return false;
            if (firstRows[page] < 0 || endRow <= firstRows[page]) return false;
        }
        return true;
    }

    private static long begin(Chunk chunk) {
        boolean isInFront = chunk.dictionaryPageOffset < chunk.dataPageOffset || chunk.dataPageOffset <= 0;
        boolean hasDictionary = chunk.has(Chunk.DICTIONARY) && chunk.dictionaryPageOffset >= MAGIC_BYTES;
        return hasDictionary && isInFront ? chunk.dictionaryPageOffset : chunk.dataPageOffset;
    }

    /** Rows of each page of sound locations; {@code rows} are those of the row group. */
    long[] rowCounts(long rows) {
        long[] counts = new long[firstRows.length];
        for (int page = 0; page < counts.length; page++)
            counts[page] = (page == counts.length - 1 ? rows : firstRows[page + 1]) - firstRows[page];
        return counts;
    }
}
