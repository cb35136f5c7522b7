package dev.parquetext.spark.scan;

import dev.parquetext.footer.NotSliced;
import dev.parquetext.footer.Projection;
import dev.parquetext.footer.Slice;
import dev.parquetext.footer.Slicer;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.slf4j.LoggerFactory;

/**
 * One state of a file, and the bytes that replace its end for readers.
 *
 * <p>Read errors are passed on and do not cause a fallback to the whole footer: row groups are assigned to splits by
 * offsets that differ between a slice and the whole footer, so all splits of a file have to make the same decision.
 */
final class SlicedOpening {
    private final RealFile file;
    private final Overlay overlay;
    private final AtomicReference<FSDataInputStream> unused = new AtomicReference<>();

    /** Opens the file and makes its slice. The first reader gets the same stream, so both see the same file. */
    SlicedOpening(RealFile file, Projection projection, ScanMetrics metrics, boolean isFirstSplit) throws IOException {
        this.file = file;
        FSDataInputStream stream = file.open();
        try {
            overlay = look(new HadoopBytes(stream, file.status, true), projection, metrics, isFirstSplit);
        } catch (Throwable error) {
            stream.close();
            throw error;
        }
        keep(stream);
    }

    private Overlay look(HadoopBytes bytes, Projection projection, ScanMetrics metrics, boolean isFirstSplit)
            throws IOException {
        try {
            Slice slice = Slicer.slice(bytes, projection);
            metrics.sliced.add(1);
            metrics.bytes.add(slice.bytesRead);
            return Overlay.behind(bytes.length(), slice.footer);
        } catch (NotSliced | RuntimeException | LinkageError reason) {
            if (isFirstSplit && !FallBacks.isExpected(reason)) metrics.fellBack.add(1);
            FallBacks.tell(file.status.getPath(), reason);
            return whole(bytes, metrics);
        }
    }

    private static Overlay whole(HadoopBytes bytes, ScanMetrics metrics) throws IOException {
        bytes.readTrailer();
        metrics.whole.add(1);
        metrics.bytes.add(bytes.bytesRead() + bytes.footerBytesToCome());
        return Overlay.known(bytes.length(), bytes.footerRead());
    }

    /** Return true if the file is still the one that was examined. */
    boolean isOf(FileStatus other) {
        FileStatus status = file.status;
        return status.getLen() == other.getLen()
                && status.getModificationTime() == other.getModificationTime()
                && Objects.equals(etag(status), etag(other));
    }

    private static String etag(FileStatus status) {
        return status instanceof EtagSource ? ((EtagSource) status).getEtag() : null;
    }

    /** The status that readers get: its path is the file's own. */
    FileStatus status() {
        FileStatus status = file.status;
        return new FileStatus(
                overlay.length(),
                false,
                status.getReplication(),
                status.getBlockSize(),
                status.getModificationTime(),
                status.getPath());
    }

    FSDataInputStream open() throws IOException {
        FSDataInputStream stream = unused.getAndSet(null);
        return new FSDataInputStream(OverlaidStream.of(stream == null ? file.open() : stream, overlay));
    }

    /**
     * Keeps an open stream for the first reader, and no longer than the task. What the task holds of it must be small:
     * a task may read thousands of files.
     */
    private void keep(FSDataInputStream stream) {
        unused.set(stream);
        TaskContext task = TaskContext.get();
        if (task == null) return;
        AtomicReference<FSDataInputStream> kept = unused;
        task.addTaskCompletionListener((TaskCompletionListener) ended -> close(kept));
    }

    void closeUnused() {
        close(unused);
    }

    private static void close(AtomicReference<FSDataInputStream> kept) {
        FSDataInputStream stream = kept.getAndSet(null);
        if (stream == null) return;
        try {
            stream.close();
        } catch (IOException error) {
            LoggerFactory.getLogger(SlicedOpening.class).warn("a file that nobody read could not be closed", error);
        }
    }
}
