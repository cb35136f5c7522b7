package dev.parquetext.spark.scan;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;

/** Ranges of a stream. */
final class Ranges {
    private Ranges() {}

    /** Read all ranges at once if the stream can, even if it does not say so, such as S3A's analytics stream. */
    static byte[][] read(FSDataInputStream stream, long[] offsets, int[] lengths) throws IOException {
        List<FileRange> ranges = new ArrayList<>();
        for (int i = 0; i < offsets.length; i++) ranges.add(FileRange.createFileRange(offsets[i], lengths[i]));
        stream.readVectored(ranges, ByteBuffer::allocate);
        byte[][] all = new byte[offsets.length][];
        for (int i = 0; i < all.length; i++) {
            ByteBuffer buffer = Waiting.on(ranges.get(i).getData());
            all[i] = new byte[lengths[i]];
            buffer.get(all[i]);
        }
        return all;
    }
}
