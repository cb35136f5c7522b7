package dev.parquetext.footer;

import java.io.IOException;

/** Row groups by a footer index: the Thrift bytes around their columns, each under a checksum. */
final class IndexRowGroups {
    private final IndexFile file;
    private final IndexTail tail;

    IndexRowGroups(IndexFile file) {
        this.file = file;
        this.tail = file.tail;
    }

    /** Request the row groups' fields for the next round. */
    void want() throws IOException, NotSliced {
        for (int i = 0; i < tail.rowGroups; i++) for (IndexFile.Range range : around(i)) file.want(range);
    }

    private Bytes cell(int part) throws IOException, NotSliced {
        return file.cell(tail.rowGroupsCellAt(part), 4 + tail.groups(part) * tail.rowGroupBytes());
    }

    private int entryAt(int index) {
        return 4 + index % Wire.FLAT_PART_ROW_GROUPS * tail.rowGroupBytes();
    }

    /** Return a row group's fields: the bytes before its columns, and those after them. */
    private IndexFile.Range[] around(int index) throws IOException, NotSliced {
        Bytes cell = cell(index / Wire.FLAT_PART_ROW_GROUPS);
        int at = entryAt(index) + 4;
        long[] offsets = new long[4];
        for (int i = 0; i < 4; i++) {
            offsets[i] = IndexFile.number(cell, at + i * tail.o, tail.o);
            if (i > 0 && offsets[i] < offsets[i - 1]) throw cell.damaged("a row group that ends before it begins", at);
        }
        return new IndexFile.Range[] {
            file.range(cell, at, offsets[0], offsets[1] - offsets[0]),
            file.range(cell, at, offsets[2], offsets[3] - offsets[2])
        };
    }

    /** The facts of a row group. */
    RowGroup read(int index) throws IOException, NotSliced {
        IndexFile.Range[] ranges = around(index);
        Bytes front = file.thrift(ranges[0]), behind = file.thrift(ranges[1]);
        byte[] own = new byte[front.size + behind.size];
        System.arraycopy(front.data, front.begin, own, 0, front.size);
        System.arraycopy(behind.data, behind.begin, own, front.size, behind.size);
        Bytes bytes = new Bytes(own, 0, own.length, front.origin);
        if (bytes.crc(0, own.length) != cell(index / Wire.FLAT_PART_ROW_GROUPS).word(entryAt(index)))
            throw bytes.damaged("a wrong checksum of a row group", 0);
        return decoded(bytes, front.size);
    }

    /** The bytes around a row group's columns, whose list is left out at {@code columnsAt}. */
    static RowGroup decoded(Bytes own, int columnsAt) throws NotSliced {
        ThriftIn in = new ThriftIn(own, 0);
        long numRows = 0, fileOffset = -1, size = -1;
        int ordinal = -1;
        boolean hasRows = false;
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (in.id == Wire.THRIFT_ROW_GROUP_COLUMNS && in.at == columnsAt) continue;
            if (in.id == Wire.THRIFT_ROW_GROUP_NUM_ROWS && in.type == Wire.TYPE_I64) {
                numRows = in.i64();
                hasRows = true;
            } else if (in.id == Wire.THRIFT_ROW_GROUP_FILE_OFFSET && in.type == Wire.TYPE_I64) {
                fileOffset = in.i64();
            } else if (in.id == Wire.THRIFT_ROW_GROUP_TOTAL_COMPRESSED_SIZE && in.type == Wire.TYPE_I64) {
                size = in.i64();
            } else if (in.id == Wire.THRIFT_ROW_GROUP_ORDINAL && in.type == Wire.TYPE_I16) {
                ordinal = in.i32();
            } else {
                in.skip();
            }
        }
        if (in.at != own.size || !hasRows) throw own.damaged("a row group that is not exactly one struct", in.at);
        return new RowGroup(numRows, fileOffset, size, ordinal);
    }
}
