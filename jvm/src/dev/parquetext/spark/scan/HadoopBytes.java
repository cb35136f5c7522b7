package dev.parquetext.spark.scan;

import dev.parquetext.footer.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;

/** The bytes of a Hadoop file, by positioned reads; bytes read from its end are kept. */
final class HadoopBytes implements ByteSource {
    private static final int GAP_OF_A_DISK = 32 << 10, SHORT_READ_OF_A_DISK = 16 << 10;

    private final FSDataInputStream stream;
    private final long length;
    private final boolean local;
    private final boolean beginsShort;
    private byte[] tail = new byte[0];
    private long bytesRead;

    /** @param beginsShort true if the first read of a local file is short: a scan opens many files */
    HadoopBytes(FSDataInputStream stream, FileStatus status, boolean beginsShort) {
        this.beginsShort = beginsShort;
        this.stream = stream;
        length = status.getLen();
        local = RealFile.isLocal(status);
    }

    @Override
    public int firstRead() {
        return local && beginsShort ? SHORT_READ_OF_A_DISK : ByteSource.super.firstRead();
    }

    @Override
    public int gap() {
        return local ? GAP_OF_A_DISK : ByteSource.super.gap();
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public byte[] read(long offset, int count) throws IOException {
        byte[] bytes = new byte[count];
        if (local) { // Hadoop's local streams open the file again for a positioned read
            stream.seek(offset);
            stream.readFully(bytes, 0, count);
        } else {
            stream.readFully(offset, bytes, 0, count);
        }
        return note(offset, bytes);
    }

    @Override
    public byte[][] readAll(long[] offsets, int[] lengths) throws IOException {
        byte[][] all = Ranges.read(stream, offsets, lengths);
        for (int i = 0; i < all.length; i++) note(offsets[i], all[i]);
        return all;
    }

    private byte[] note(long offset, byte[] bytes) {
        bytesRead += bytes.length;
        if (offset + bytes.length == length && bytes.length > tail.length) tail = bytes;
        return bytes;
    }

    /** Reads the trailer, unless it is known. */
    void readTrailer() throws IOException {
        int count = (int) Math.min(Overlay.TRAILER, length);
        if (tail.length < count) read(length - count, count);
    }

    /** Return the bytes read from the file's end, as far as they are the footer; data is read by its readers. */
    byte[] footerRead() {
        int known = (int) Math.min(tail.length, footerLength());
        return Arrays.copyOfRange(tail, tail.length - known, tail.length);
    }

    /** Return the file's footer, without the trailer; null if not all of it was read. */
    byte[] wholeFooter() {
        byte[] known = footerRead();
        int size = known.length - Overlay.TRAILER;
        boolean isWhole = size > 0 && footerBytesToCome() == 0 && Overlay.endsWithMagic(known);
        return isWhole ? Arrays.copyOf(known, size) : null;
    }

    long bytesRead() {
        return bytesRead;
    }

    /** Return the bytes of the file's footer before the tail that was read. */
    long footerBytesToCome() {
        return Math.max(0, footerLength() - tail.length);
    }

    /** The trailer, and the footer in front of it if it may be there. */
    private long footerLength() {
        if (tail.length < Overlay.TRAILER) return tail.length;
        int footer = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt(tail.length - Overlay.TRAILER);
        return footer < 0 ? Overlay.TRAILER : Math.min(length, (long) footer + Overlay.TRAILER);
    }
}
