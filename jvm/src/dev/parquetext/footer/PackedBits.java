package dev.parquetext.footer;

/** Numbers of any width up to 64 bits, the lowest bit first. */
final class PackedBits {
    private static final int MOST_AT_ONCE = 56; // bits: with those of the byte before, less than 64

    private PackedBits() {}

    /** Return the bytes of numbers. */
    static long bytes(long count, int width) {
        return (count * width + 7) / 8;
    }

    /** Return the number at a bit after byte {@code at}. */
    static long number(byte[] data, int at, long bit, int width) {
        int from = at + (int) (bit >>> 3), shift = (int) bit & 7;
        if (width == 0) return 0;
        long value = (data[from] & 0xFFL) >>> shift;
        for (int have = 8 - shift; have < width; have += 8) value |= (data[++from] & 0xFFL) << have;
        return value & -1L >>> 64 - width;
    }

    /** Write the numbers that begin at a bit after byte {@code at}, plus a base, to {@code out}. */
    static void unpack(byte[] data, int at, long bit, int width, long base, int count, long[] out) {
        if (width > MOST_AT_ONCE) {
            for (int i = 0; i < count; i++, bit += width) out[i] = base + number(data, at, bit, width);
            return;
        }
        int from = at + (int) (bit >>> 3), have = 0;
        long waiting = 0, mask = (1L << width) - 1;
        int skipped = (int) bit & 7;
        if (skipped > 0 && count > 0 && width > 0) {
            waiting = (data[from++] & 0xFFL) >>> skipped;
            have = 8 - skipped;
        }
        for (int i = 0; i < count; i++) {
            for (; have < width; have += 8) waiting |= (data[from++] & 0xFFL) << have;
            out[i] = base + (waiting & mask);
            waiting >>>= width;
            have -= width;
        }
    }
}
