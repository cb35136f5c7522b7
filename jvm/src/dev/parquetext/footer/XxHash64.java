package dev.parquetext.footer;

/** XXH64, by its specification, with seed 0. */
final class XxHash64 {
    private static final long P1 = 0x9e3779b185ebca87L;
    private static final long P2 = 0xc2b2ae3d27d4eb4fL;
    private static final long P3 = 0x165667b19e3779f9L;
    private static final long P4 = 0x85ebca77c2b2ae63L;
    private static final long P5 = 0x27d4eb2f165667c5L;

    private XxHash64() {}

    private static long round(long lane, long word) {
        return Long.rotateLeft(lane + word * P2, 31) * P1;
    }

    private static long merge(long hash, long lane) {
        return (hash ^ round(0, lane)) * P1 + P4;
    }

    static long hash(byte[] data) {
        int at = 0, left = data.length;
        long hash = P5;
        if (left >= 32) {
            long a = P1 + P2, b = P2, c = 0, d = -P1;
            for (; left >= 32; at += 32, left -= 32) {
                a = round(a, Bytes.int64(data, at));
                b = round(b, Bytes.int64(data, at + 8));
                c = round(c, Bytes.int64(data, at + 16));
                d = round(d, Bytes.int64(data, at + 24));
            }
            hash = Long.rotateLeft(a, 1) + Long.rotateLeft(b, 7) + Long.rotateLeft(c, 12) + Long.rotateLeft(d, 18);
            hash = merge(merge(merge(merge(hash, a), b), c), d);
        }
        hash += data.length;
        for (; left >= 8; at += 8, left -= 8)
            hash = Long.rotateLeft(hash ^ round(0, Bytes.int64(data, at)), 27) * P1 + P4;
        if (left >= 4) {
            hash = Long.rotateLeft(hash ^ (Bytes.int32(data, at) & 0xFFFFFFFFL) * P1, 23) * P2 + P3;
            at += 4;
            left -= 4;
        }
        for (; left > 0; at++, left--) hash = Long.rotateLeft(hash ^ (data[at] & 0xFF) * P5, 11) * P1;
        hash = (hash ^ hash >>> 33) * P2;
        hash = (hash ^ hash >>> 29) * P3;
        return hash ^ hash >>> 32;
    }
}
