package dev.parquetext.spark.scan;

import dev.parquetext.footer.Projection;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** One file, shown as its bytes followed by a slice of its footer. */
final class SlicedFileSystem extends ReadOnlyFileSystem {
    private final FileSystem real;
    private final Projection projection;
    private final ScanMetrics metrics;
    private final boolean isFirstSplit;
    private SlicedOpening opening;

    SlicedFileSystem(FileSystem real, Projection projection, ScanMetrics metrics, boolean isFirstSplit) {
        this.real = real;
        this.projection = projection;
        this.metrics = metrics;
        this.isFirstSplit = isFirstSplit;
        setConf(real.getConf());
    }

    /** Return the file's status, longer by the slice: the slice is made here, once for one state of the file. */
    @Override
    public synchronized FileStatus getFileStatus(Path path) throws IOException {
        FileStatus status = real.getFileStatus(path);
        if (status.isDirectory()) return status;
        if (opening != null && !opening.isOf(status)) forget();
        if (opening == null) opening = new SlicedOpening(new RealFile(real, status), projection, metrics, isFirstSplit);
        return opening.status();
    }

    private void forget() {
        opening.closeUnused();
        opening = null;
    }

    @Override
    public synchronized FSDataInputStream open(Path path, int bufferSize) throws IOException {
        if (opening == null) getFileStatus(path);
        return opening == null ? real.open(path, bufferSize) : opening.open();
    }

    @Override
    public URI getUri() {
        return real.getUri();
    }
}
