package org.apache.hadoop.fs;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;

public class FSDataInputStream extends DataInputStream
        implements Seekable, PositionedReadable, ByteBufferReadable, StreamCapabilities, IOStatisticsSource {
    public FSDataInputStream(InputStream stream) {
        super(stream);
    }

    public native long getPos() throws IOException;

    public native InputStream getWrappedStream();

    public native boolean hasCapability(String text);

    public native int maxReadSizeForVectorReads();

    public native int minSeekForVectorReads();

    public native int read(ByteBuffer buffer) throws IOException;

    public native int read(long l, byte[] b, int i, int i2) throws IOException;

    public native void readFully(long l, byte[] b, int i, int i2) throws IOException;

    public native void readVectored(
            List<? extends FileRange> values, IntFunction<ByteBuffer> allocate) throws IOException;

    public native void seek(long l) throws IOException;

    public native boolean seekToNewSource(long l) throws IOException;
}
