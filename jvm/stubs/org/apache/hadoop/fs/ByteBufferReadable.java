package org.apache.hadoop.fs;

import java.io.IOException;
import java.nio.ByteBuffer;

public interface ByteBufferReadable {
    int read(ByteBuffer buffer) throws IOException;
}
