package org.apache.hadoop.fs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;

public interface PositionedReadable {
    int maxReadSizeForVectorReads();

    int minSeekForVectorReads();

    int read(long l, byte[] b, int i, int i2) throws IOException;

    void readFully(long l, byte[] b, int i, int i2) throws IOException;

    void readVectored(List<? extends FileRange> values, IntFunction<ByteBuffer> allocate) throws IOException;
}
