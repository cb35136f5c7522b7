package dev.parquetext.spark.scan;

import dev.parquetext.footer.Projection;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The path of a file whose file system presents the file with a sliced footer.
 *
 * <p>It is equal to the file's path and has the same text, so that errors name the file. Paths that are derived from it
 * lead to the unchanged file. All readers that open it share one file system object, which holds the slice.
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
