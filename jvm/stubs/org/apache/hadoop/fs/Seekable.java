package org.apache.hadoop.fs;

import java.io.IOException;

public interface Seekable {
    long getPos() throws IOException;

    void seek(long l) throws IOException;

    boolean seekToNewSource(long l) throws IOException;
}
