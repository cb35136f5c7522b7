package dev.parquetext.footer;

import java.io.IOException;

/** Bytes of one file by position. All reads are whole or fail. */
public interface ByteSource {
    /** Bytes of the file. */
    long length();

    /**
     * Reads bytes [offset, offset + length) of the file.
     *
     * @throws IOException if not all of them can be read; FileNotFoundException if the file is gone
     */
    byte[] read(long offset, int length) throws IOException;

    /** Reads several ranges in one round; the default reads one after the other. */
    default byte[][] readAll(long[] offsets, int[] lengths) throws IOException {
        byte[][] ranges = new byte[offsets.length][];
        for (int i = 0; i < offsets.length; i++) ranges[i] = read(offsets[i], lengths[i]);
        return ranges;
    }

    /**
     * Bytes of the file's end that the first read takes. The default is sufficient for every projection of most files;
     * over a network it takes no longer than 4 KiB.
     */
    default int firstRead() {
        return 64 << 10;
    }

    /** The number of unneeded bytes that cost less than a separate read: many for an object store, few for a disk. */
    default int gap() {
        return 1 << 20;
    }
}
