package dev.parquetext.footer;

import java.util.Arrays;

/** A table of 64-bit numbers in a cell, of which columns are decoded (docs/formats.md, 15.3). */
final class PackedTable {
    private static final int DELTA = Wire.TABLE_DELTA;

    /** One number for each of some columns. */
    private static final class Row {
        final int width, at;
        final long base;

        Row(PackedContent content, int count) throws NotSliced {
            width = content.u8();
            if (width > Wire.TABLE_MOST_BITS) throw content.damaged("numbers of " + width + " bits");
            base = content.zigzag();
            at = content.bytes.begin + content.take(PackedBits.bytes(count, width));
        }

        long number(byte[] data, int column) {
            return base + PackedBits.number(data, at, (long) column * width, width);
        }
    }

    /** Set by the table's user. */
    final boolean isMarked;

    private final byte[] data;
    private final int columns, rows, form;
    private int width, at;
    private long base;
    /** Of columns with forms of their own: code, first byte, and number among those with slopes. */
    private int[] codes, begins, slopeOf;
    private Row bases, slopes;

    /** The table at a content's position, which moves past it. */
    PackedTable(PackedContent content, int columns, int rows) throws NotSliced {
        data = content.bytes.data;
        this.rows = rows;
        int first = content.u8(), own = first & ~Wire.TABLE_MARK;
        isMarked = (first & Wire.TABLE_MARK) != 0;
        if (own == Wire.TABLE_SHARED) {
            own = content.u8();
            columns = 1;
            if (own >= Wire.TABLE_SHARED) throw content.damaged("a shared table of form " + own);
        }
        this.columns = columns;
        form = own;
        if (form == Wire.TABLE_COLUMNS) readColumns(content);
        else if (form <= Wire.TABLE_CONSTANT) readPlain(content);
        else throw content.damaged("a table of form " + form);
    }

    private void readPlain(PackedContent content) throws NotSliced {
        if (form != Wire.TABLE_ZERO) base = content.zigzag();
        width = form <= Wire.TABLE_MOST_BITS ? form : 0;
        at = content.bytes.begin + content.take(PackedBits.bytes((long) columns * rows, width));
    }

    private void readColumns(PackedContent content) throws NotSliced {
        int from = content.take(columns), deltas = 0;
        codes = new int[columns];
        begins = new int[columns];
        slopeOf = new int[columns];
        long size = 0;
        for (int i = 0; i < columns; i++) {
            int code = codes[i] = content.bytes.u8(from + i);
            if ((code & ~DELTA) > Wire.TABLE_MOST_BITS) throw content.damaged("numbers of " + (code & ~DELTA) + " bits");
            begins[i] = (int) size; // less than 2^31 for tables of tiles
            slopeOf[i] = deltas;
            size += PackedBits.bytes((code & DELTA) != 0 ? rows - 1 : rows, code & ~DELTA);
            if ((code & DELTA) != 0) deltas++;
        }
        bases = new Row(content, columns);
        if (deltas > 0) slopes = new Row(content, deltas);
        at = content.bytes.begin + content.take(size);
    }

    /** Write a column's numbers to {@code out}. */
    void column(int number, long[] out) {
        int column = columns == 1 ? 0 : number;
        if (form != Wire.TABLE_COLUMNS) {
            if (width == 0) Arrays.fill(out, 0, rows, base);
            else PackedBits.unpack(data, at, (long) column * rows * width, width, base, rows, out);
            return;
        }
        int bits = codes[column] & ~DELTA, begin = at + begins[column];
        long first = bases.number(data, column);
        if ((codes[column] & DELTA) == 0) {
            PackedBits.unpack(data, begin, 0, bits, first, rows, out);
            return;
        }
        addUp(begin, bits, first, slopes.number(data, slopeOf[column]), out);
    }

    private void addUp(int begin, int bits, long first, long slope, long[] out) {
        long value = first;
        for (int row = 0; row < rows; row++) {
            out[row] = value;
            if (row + 1 == rows) break;
            long step = PackedBits.number(data, begin, (long) row * bits, bits);
            value += slope + (step >>> 1 ^ -(step & 1));
        }
    }
}
