package org.apache.hadoop.fs;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;

public abstract class FSInputStream extends InputStream implements Seekable, PositionedReadable {
    public FSInputStream() {}

    public abstract long getPos() throws IOException;

    public native int maxReadSizeForVectorReads();

    public native int minSeekForVectorReads();

    public native int read(long l, byte[] b, int i, int i2) throws IOException;

    public native void readFully(long l, byte[] b, int i, int i2) throws IOException;

    public abstract void seek(long l) throws IOException;

    public abstract boolean seekToNewSource(long l) throws IOException;

    public native void readVectored(
            List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException;

    public native String toString();

    protected native void validatePositionedReadArgs(long l, byte[] b, int i, int i2) throws EOFException;
}
