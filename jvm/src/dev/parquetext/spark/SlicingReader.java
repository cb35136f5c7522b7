package dev.parquetext.spark;

import dev.parquetext.footer.Projection;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import scala.Function1;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/** Spark's reader of one split, which runs on executors, given files whose footers are sliced. */
final class SlicingReader extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>> implements Serializable {
    private static final long serialVersionUID = 1;

    private final Function1<PartitionedFile, Iterator<InternalRow>> reader;
    private final String[] names;
    private final boolean caseSensitive;
    private final double mostShare;
    private final ScanMetrics metrics;

    SlicingReader(
            Function1<PartitionedFile, Iterator<InternalRow>> reader, Projection projection, ScanMetrics metrics) {
        this.reader = reader;
        this.names = projection.names().toArray(new String[0]);
        this.caseSensitive = projection.caseSensitive();
        this.mostShare = projection.mostShare();
        this.metrics = metrics;
    }

    @Override
    public Iterator<InternalRow> apply(PartitionedFile file) {
        Projection projection = new Projection(List.of(names), caseSensitive, mostShare);
        return reader.apply(new SlicedFile(file, projection, metrics));
    }
}
