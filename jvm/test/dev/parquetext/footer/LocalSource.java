package dev.parquetext.footer;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;

/** A local file that counts reads, rounds and bytes. */
final class LocalSource implements ByteSource, AutoCloseable {
    private final RandomAccessFile file;
    private final long length;
    private final int gap;
    int reads, rounds;
    long bytes;

    LocalSource(String path, int gap) throws IOException {
        file = new RandomAccessFile(path, "r");
        length = file.length();
        this.gap = gap;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public int gap() {
        return gap;
    }

    @Override
    public byte[] read(long offset, int count) throws IOException {
        rounds++;
        return one(offset, count);
    }

    @Override
    public byte[][] readAll(long[] offsets, int[] lengths) throws IOException {
        rounds++;
        byte[][] ranges = new byte[offsets.length][];
        for (int i = 0; i < offsets.length; i++) ranges[i] = one(offsets[i], lengths[i]);
        return ranges;
    }

    private byte[] one(long offset, int count) throws IOException {
        if (offset < 0 || count < 0 || offset > length - count) throw new EOFException(offset + " + " + count);
        reads++;
        bytes += count;
        byte[] data = new byte[count];
        file.seek(offset);
        file.readFully(data);
        return data;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
