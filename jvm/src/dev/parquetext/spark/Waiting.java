package dev.parquetext.spark;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for Hadoop's asynchronous calls; their errors are rethrown unchanged. */
final class Waiting {
    private Waiting() {}

    static <T> T on(Future<T> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a file was opened or read");
        } catch (ExecutionException error) {
            Throwable cause = error.getCause();
            if (cause instanceof IOException io) throw io;
            if (cause instanceof UncheckedIOException unchecked) throw unchecked.getCause();
            if (cause instanceof RuntimeException runtime) throw runtime;
            throw new IOException(cause);
        }
    }
}
