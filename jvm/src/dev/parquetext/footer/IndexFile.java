package dev.parquetext.footer;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Cells of a footer index, and the bytes of the Thrift footer that they lead to, each under a checksum. */
final class IndexFile {
    /** Bytes of the Thrift footer. */
    static final class Range {
        final long offset;
        final int length;

        Range(long offset, int length) {
            this.offset = offset;
            this.length = length;
        }
    }

    final IndexTail tail;
    final FileBytes file;
    private final Located located;
    private final Map<Integer, Bytes> cells = new HashMap<>();
    private long allowance; // ranges that overlap must not multiply the work

    IndexFile(FileBytes file, Located located, IndexTail tail) {
        this.file = file;
        this.located = located;
        this.tail = tail;
        allowance = 2 * located.thriftLength + 65536;
    }

    void want(int place, long bytes) {
        file.want(tail.payload + place, (int) Math.min(bytes, Integer.MAX_VALUE));
    }

    /** The cell at a place of the payload. */
    Bytes cell(int place, int size) throws IOException, NotSliced {
        Bytes cell = cells.get(place);
        if (cell != null) return cell;
        cell = file.get(tail.payload + place, size);
        if (cell.crc(4, size - 4) != cell.word(0)) throw cell.damaged("a wrong checksum of a cell", 0);
        cells.put(place, cell);
        return cell;
    }

    /** A number of {@code width} bytes. */
    static long number(Bytes cell, int at, int width) throws NotSliced {
        long value = 0;
        for (int i = 0; i < width; i++) value |= (long) cell.u8(at + i) << 8 * i;
        return value;
    }

    /** The range that a cell names at a place. */
    Range range(Bytes cell, int at, int lengthAt, int lengthWidth) throws NotSliced {
        long offset = number(cell, at, tail.o), length = number(cell, lengthAt, lengthWidth);
        return range(cell, at, offset, length);
    }

    Range range(Bytes cell, int at, long offset, long length) throws NotSliced {
        if (length > Integer.MAX_VALUE || offset + length > located.thriftLength)
            throw cell.damaged("a range that leaves the Thrift footer", at);
        return new Range(offset, (int) length);
    }

    void want(Range range) {
        file.want(located.footer + range.offset, range.length);
    }

    /** The bytes of a range, not checked yet. */
    Bytes thrift(Range range) throws IOException, NotSliced {
        if (range.length > allowance)
            throw NotSliced.damaged("more bytes than the footer has", located.footer + range.offset);
        allowance -= range.length;
        return file.get(located.footer + range.offset, range.length);
    }

    /** The bytes of a range, checked. */
    Bytes thrift(Range range, int crc) throws IOException, NotSliced {
        Bytes bytes = thrift(range);
        if (bytes.crc(0, bytes.size) != crc) throw bytes.damaged("a wrong checksum of Thrift bytes", 0);
        return bytes;
    }
}
