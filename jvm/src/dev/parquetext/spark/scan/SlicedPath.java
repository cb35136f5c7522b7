package dev.parquetext.spark.scan;

import dev.parquetext.footer.Projection;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The path of a file, which whoever asks it for a file system sees with a sliced footer.
 *
 * <p>It is equal to the file's own path, and written as that: errors name the file, and what makes another path of it
 * reads the file as it is. All who open it share one file system object, which knows the slice.
 */
final class SlicedPath extends Path {
    private static final long serialVersionUID = 1;

    private final transient Projection projection;
    private final transient ScanMetrics metrics;
    private final transient boolean isFirstSplit;
    private transient SlicedFileSystem sliced;

    SlicedPath(Path path, Projection projection, ScanMetrics metrics, boolean isFirstSplit) {
        super(path.toUri());
        this.projection = projection;
        this.metrics = metrics;
        this.isFirstSplit = isFirstSplit;
    }

    @Override
    public FileSystem getFileSystem(Configuration conf) throws IOException {
        FileSystem real = super.getFileSystem(conf);
        if (projection == null) return real; // it has been serialized
        if (sliced == null) sliced = new SlicedFileSystem(real, projection, metrics, isFirstSplit);
        return sliced;
    }
}
