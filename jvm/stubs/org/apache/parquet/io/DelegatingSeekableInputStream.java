package org.apache.parquet.io;

import java.io.IOException;
import java.io.InputStream;

public abstract class DelegatingSeekableInputStream extends SeekableInputStream {
    public DelegatingSeekableInputStream(InputStream stream) {}

    public abstract long getPos() throws IOException;

    public abstract void seek(long l) throws IOException;

    public native int read();
}
