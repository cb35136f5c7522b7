package org.apache.parquet.io;

import java.io.IOException;
import java.io.InputStream;

public abstract class SeekableInputStream extends InputStream {
    public abstract long getPos() throws IOException;

    public abstract void seek(long l) throws IOException;
}
