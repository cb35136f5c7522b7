import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/** A format of somebody else's that extends Spark's, as table formats have them; it counts what it is asked. */
public final class ForeignParquet extends ParquetFileFormat {
    public static final AtomicInteger INFERRED = new AtomicInteger();
    public static final AtomicInteger READERS = new AtomicInteger();

    @Override
    public Option<StructType> inferSchema(SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
        INFERRED.incrementAndGet();
        return super.inferSchema(session, options, files);
    }

    @Override
    public Function1<PartitionedFile, Iterator<InternalRow>> buildReaderWithPartitionValues(
            SparkSession session,
            StructType dataSchema,
            StructType partitionSchema,
            StructType requiredSchema,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration conf) {
        READERS.incrementAndGet();
        return super.buildReaderWithPartitionValues(
                session, dataSchema, partitionSchema, requiredSchema, filters, options, conf);
    }
}
