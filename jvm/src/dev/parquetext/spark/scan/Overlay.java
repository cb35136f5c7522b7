package dev.parquetext.spark.scan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The bytes that readers of a file see instead of its end. */
final class Overlay {
    private static final byte[] MAGIC = {'P', 'A', 'R', '1'};
    static final int TRAILER = 8; // the footer's length and magic

    final long joint;
    final byte[] tail;

    /**
     * @param joint bytes of the file that they see
     * @param tail the bytes that they see after these
     */
    Overlay(long joint, byte[] tail) {
        this.joint = joint;
        this.tail = tail;
    }

    /** A footer after the whole file. */
    static Overlay behind(long length, byte[] footer) {
        return new Overlay(length, withTrailer(footer));
    }

    /** Put a footer at the end of a file of the same length; return null if it does not fit into it. */
    static Overlay over(long length, byte[] footer) {
        long joint = length - footer.length - TRAILER;
        return joint < MAGIC.length ? null : new Overlay(joint, withTrailer(footer));
    }

    /** Bytes of the file's own end that have been read already. */
    static Overlay known(long length, byte[] tail) {
        return new Overlay(length - tail.length, tail);
    }

    long length() {
        return joint + tail.length;
    }

    /** A file of a footer alone. */
    static byte[] alone(byte[] footer) {
        byte[] tail = withTrailer(footer);
        return ByteBuffer.allocate(MAGIC.length + tail.length)
                .put(MAGIC)
                .put(tail)
                .array();
    }

    static boolean endsWithMagic(byte[] tail) {
        int from = tail.length - MAGIC.length;
        return from >= 0 && Arrays.equals(Arrays.copyOfRange(tail, from, tail.length), MAGIC);
    }

    private static byte[] withTrailer(byte[] footer) {
        return ByteBuffer.allocate(footer.length + TRAILER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(footer)
                .putInt(footer.length)
                .put(MAGIC)
                .array();
    }
}
