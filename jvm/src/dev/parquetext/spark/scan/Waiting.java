package dev.parquetext.spark.scan;

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
            if (cause instanceof IOException) throw (IOException) cause;
            if (cause instanceof UncheckedIOException) throw ((UncheckedIOException) cause).getCause();
            if (cause instanceof RuntimeException) throw (RuntimeException) cause;
            throw new IOException(cause);
        }
    }
}
