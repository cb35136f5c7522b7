package dev.parquetext.footer;

import java.io.IOException;
import java.util.zip.CRC32;

/** Cells of a packed footer, each under a checksum of its own kind and number (docs/formats.md, 15.1). */
final class PackedFile {
    private static final int CRC_BYTES = Wire.PACKED_CRC_BYTES;
    private static final int POLYNOMIAL = 0xEDB88320; // of CRC-32, reflected

    private final FileBytes file;
    private final PackedTail tail;
    private final Allowance allowance;
    private final Bytes[] directories = new Bytes[PackedTail.KINDS];

    PackedFile(FileBytes file, PackedTail tail, Allowance allowance) {
        this.file = file;
        this.tail = tail;
        this.allowance = allowance;
    }

    /** Request bytes of the payload for the next round. */
    void wantBytes(int begin, long length) {
        file.want(tail.payload + begin, (int) Math.min(length, Integer.MAX_VALUE));
    }

    /** Request a cell for the next round, unless it is empty. */
    void want(int kind, int number) throws IOException, NotSliced {
        int[] range = range(kind, number);
        if (range[1] - range[0] > CRC_BYTES) wantBytes(range[0], range[1] - range[0]);
    }

    /** Return true if a cell has been read. */
    boolean has(int kind, int number) throws IOException, NotSliced {
        int[] range = range(kind, number);
        return file.has(tail.payload + range[0], range[1] - range[0]);
    }

    /** Return the bytes of a cell's content. */
    int contentBytes(int kind, int number) throws IOException, NotSliced {
        int[] range = range(kind, number);
        return range[1] - range[0] - CRC_BYTES;
    }

    /** Return the begin and the end of a cell in the payload, by its area's directory. */
    int[] range(int kind, int number) throws IOException, NotSliced {
        PackedTail.Area area = tail.area(kind);
        if (directories[kind] == null)
            directories[kind] = file.get(tail.payload + area.directory, 4 * area.cells);
        Bytes ends = directories[kind];
        long begin = number == 0 ? area.begin : ends.u32(4 * number - 4), end = ends.u32(4 * number);
        if (begin < area.begin || begin > end - CRC_BYTES || end > area.directory)
            throw ends.damaged("a cell that ends at " + end, 4 * number);
        return new int[] {(int) begin, (int) end};
    }

    /** The content of a cell. */
    PackedContent cell(int kind, int number) throws IOException, NotSliced {
        int[] range = range(kind, number);
        int size = range[1] - range[0];
        allowance.take(size);
        Bytes cell = file.get(tail.payload + range[0], size);
        if (crc(cell, start(kind, number)) != cell.word(0)) throw cell.damaged("a wrong checksum of a cell", 0);
        return new PackedContent(cell, CRC_BYTES, size);
    }

    /** Return the number that the checksum of a cell begins with, so that no cell is taken for another one. */
    static int start(int kind, int number) {
        return number << 4 | kind;
    }

    /** The page of a bucket of names. */
    Bytes bucket(int number) throws IOException, NotSliced {
        long place = tail.area(Wire.CELLS_NAMES).begin + (long) Wire.FLAT_PAGE_BYTES * number;
        Bytes page = file.get(tail.payload + place, Wire.FLAT_PAGE_BYTES);
        if (page.crc(CRC_BYTES, page.size - CRC_BYTES) != page.word(0))
            throw page.damaged("a wrong checksum of a page of names", 0);
        return page;
    }

    /** Return the CRC-32 of a cell's content, begun with {@code start}: it is that of four more bytes in front. */
    static int crc(Bytes cell, int start) {
        int state = ~start;
        for (int bit = 0; bit < 32; bit++) state = state < 0 ? (state ^ POLYNOMIAL) << 1 | 1 : state << 1;
        state = ~state;
        byte[] front = {(byte) state, (byte) (state >> 8), (byte) (state >> 16), (byte) (state >> 24)};
        CRC32 crc = new CRC32();
        crc.update(front, 0, front.length);
        crc.update(cell.data, cell.begin + CRC_BYTES, cell.size - CRC_BYTES);
        return (int) crc.getValue();
    }
}
