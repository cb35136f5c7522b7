package org.apache.hadoop.fs;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

public interface FutureDataInputStreamBuilder
        extends FSBuilder<CompletableFuture<FSDataInputStream>, FutureDataInputStreamBuilder> {
    CompletableFuture<FSDataInputStream> build(
            ) throws IllegalArgumentException, UnsupportedOperationException, IOException;

    FutureDataInputStreamBuilder withFileStatus(FileStatus fileStatus);
}
