package dev.parquetext.spark.scan;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;

/** Ranges of a stream. */
final class Ranges {
    private Ranges() {}

    /** Read the ranges one by one: the Hadoop of Spark 3.5 has no vectored reads. */
    static byte[][] read(FSDataInputStream stream, long[] offsets, int[] lengths) throws IOException {
        byte[][] all = new byte[offsets.length][];
        for (int i = 0; i < all.length; i++) {
            all[i] = new byte[lengths[i]];
            stream.readFully(offsets[i], all[i], 0, lengths[i]);
        }
        return all;
    }
}
