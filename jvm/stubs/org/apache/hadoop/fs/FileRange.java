package org.apache.hadoop.fs;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

public interface FileRange {
    static FileRange createFileRange(long l, int i) {
        throw new UnsupportedOperationException();
    }

    CompletableFuture<ByteBuffer> getData();

    int getLength();

    long getOffset();
}
