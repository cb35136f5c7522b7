package dev.parquetext.spark.scan;

import dev.parquetext.footer.PageSkipping;
import dev.parquetext.footer.Projection;
import java.io.Serializable;
import java.util.Arrays;
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
    private final String[] filtered;
    private final ScanMetrics metrics;

    /** @param filtered the top-level columns whose page indexes the reader may use */
    SlicingReader(
            Function1<PartitionedFile, Iterator<InternalRow>> reader,
            Projection projection,
            List<String> filtered,
            ScanMetrics metrics) {
        this.reader = reader;
        this.names = projection.names.toArray(new String[0]);
        this.caseSensitive = projection.caseSensitive;
        this.mostShare = projection.mostShare;
        this.filtered = filtered.toArray(new String[0]);
        this.metrics = metrics;
    }

    @Override
    public Iterator<InternalRow> apply(PartitionedFile file) {
        PageSkipping skipping =
                new PageSkipping(Arrays.asList(filtered), file.start(), file.start() + file.length());
        Projection projection = new Projection(Arrays.asList(names), caseSensitive, mostShare, skipping);
        return reader.apply(new SlicedFile(file, projection, metrics));
    }
}
