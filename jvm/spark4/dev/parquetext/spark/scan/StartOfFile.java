package dev.parquetext.spark.scan;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;

/** A stream that begins with the bytes of a file up to the joint, and reads ranges of these as the file's stream does. */
abstract class StartOfFile extends FSInputStream {
    protected final FSDataInputStream file;
    protected final long joint;

    StartOfFile(FSDataInputStream file, long joint) {
        this.file = file;
        this.joint = joint;
    }

    @Override
    public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
        for (FileRange range : ranges) {
            if (range.getOffset() + range.getLength() > joint) {
                super.readVectored(ranges, allocate);
                return;
            }
        }
        file.readVectored(ranges, allocate);
    }

    @Override
    public int minSeekForVectorReads() {
        return file.minSeekForVectorReads();
    }

    @Override
    public int maxReadSizeForVectorReads() {
        return file.maxReadSizeForVectorReads();
    }
}
