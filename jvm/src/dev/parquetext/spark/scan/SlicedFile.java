package dev.parquetext.spark.scan;

import dev.parquetext.footer.Projection;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.PartitionedFile;

/** A split whose path leads to the file with a sliced footer. */
final class SlicedFile extends PartitionedFile {
    private static final long serialVersionUID = 1;

    private final transient SlicedPath path;

    SlicedFile(PartitionedFile file, Projection projection, ScanMetrics metrics) {
        super(
                file.partitionValues(),
                file.filePath(),
                file.start(),
                file.length(),
                file.locations(),
                file.modificationTime(),
                file.fileSize(),
                file.otherConstantMetadataColumnValues());
        path = new SlicedPath(file.toPath(), projection, metrics, file.start() == 0);
    }

    @Override
    public Path toPath() {
        return path;
    }
}
