package dev.parquetext.footer;

/** A column index as it is stored, one entry per page. A list of another type than the format's counts as empty. */
final class ColumnIndex {
    static final int UNORDERED = 0, ASCENDING = 1, DESCENDING = 2;

    boolean[] nullPages = {};
    byte[][] minima = {}, maxima = {};
    /** Null if there are none. */
    long[] nullCounts;
    /** -1 if there is none. */
    int boundaryOrder = -1;

    private ColumnIndex() {}

    static ColumnIndex read(Bytes bytes) throws NotSliced {
        ColumnIndex index = new ColumnIndex();
        ThriftIn in = new ThriftIn(bytes, 0);
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (in.type == Wire.TYPE_LIST) index.readList(in, last);
            else if (last == Wire.THRIFT_COLUMN_INDEX_BOUNDARY_ORDER && in.type == Wire.TYPE_I32)
                index.boundaryOrder = in.i32();
            else in.skip();
        }
        return index;
    }

    private void readList(ThriftIn in, int field) throws NotSliced {
        switch (field) {
            case Wire.THRIFT_COLUMN_INDEX_NULL_PAGES:
                nullPages = readFlags(in);
                break;
            case Wire.THRIFT_COLUMN_INDEX_MIN_VALUES:
                minima = readBinaries(in);
                break;
            case Wire.THRIFT_COLUMN_INDEX_MAX_VALUES:
                maxima = readBinaries(in);
                break;
            case Wire.THRIFT_COLUMN_INDEX_NULL_COUNTS:
                nullCounts = readNumbers(in);
                break;
            default:
                in.skip();
        }
    }

    private static boolean[] readFlags(ThriftIn in) throws NotSliced {
        int begin = in.at, count = in.list();
        if (count > 0 && in.itemType != Wire.TYPE_TRUE && in.itemType != Wire.TYPE_FALSE) {
            skipList(in, begin);
            return new boolean[0];
        }
        boolean[] flags = new boolean[count];
        for (int i = 0; i < count; i++) flags[i] = in.bytes.u8(in.at++) == Wire.TYPE_TRUE;
        return flags;
    }

    private static byte[][] readBinaries(ThriftIn in) throws NotSliced {
        int begin = in.at, count = in.list();
        if (count > 0 && in.itemType != Wire.TYPE_BINARY) {
            skipList(in, begin);
            return new byte[0][];
        }
        byte[][] values = new byte[count][];
        for (int i = 0; i < count; i++) {
            Bytes value = in.binary();
            values[i] = value.copy(0, value.size);
        }
        return values;
    }

    private static long[] readNumbers(ThriftIn in) throws NotSliced {
        int begin = in.at, count = in.list();
        if (count > 0 && in.itemType != Wire.TYPE_I64) {
            skipList(in, begin);
            return new long[0];
        }
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) numbers[i] = in.i64();
        return numbers;
    }

    private static void skipList(ThriftIn in, int begin) throws NotSliced {
        in.at = begin;
        in.skip();
    }
}
