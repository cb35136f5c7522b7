package dev.parquetext.spark.scan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions;
import org.apache.spark.sql.internal.SessionState;
import org.apache.spark.sql.types.StructType;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.JavaConverters;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/** Spark's Parquet format, which infers schemas from slices that have no row groups. */
public final class SchemaFormat extends ParquetFileFormat {
    private static final long serialVersionUID = 1;

    @Override
    public Option<StructType> inferSchema(SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
        try {
            Option<StructType> schema = slicedSchema(session, options, files);
            if (schema.isDefined()) return schema;
        } catch (Exception | LinkageError error) {
            LoggerFactory.getLogger(SchemaFormat.class).debug("the schema is inferred from whole footers", error);
        }
        return super.inferSchema(session, options, files); // errors then name the original files
    }

    /** Read one file's schema in the driver, a merged one of many by Spark's job; none if slices are not possible. */
    private Option<StructType> slicedSchema(SparkSession session, Map<String, String> options, Seq<FileStatus> files)
            throws IOException {
        SessionState state = ((org.apache.spark.sql.classic.SparkSession) session).sessionState();
        Configuration conf = state.newHadoopConfWithOptions(options);
        if (SlicingFormat.mayDecrypt(conf)) return Option.empty();
        if (!new ParquetOptions(options, state.conf()).mergeSchema())
            return Option.apply(DriverSchema.infer(files, state.conf(), conf));
        return super.inferSchema(session, SchemaFileSystem.configured(options), sliced(files));
    }

    private static Seq<FileStatus> sliced(Seq<FileStatus> files) {
        List<FileStatus> statuses = new ArrayList<>(files.size());
        for (Iterator<FileStatus> each = files.iterator(); each.hasNext(); ) {
            FileStatus file = each.next();
            statuses.add(new FileStatus(file.getLen(), false, 0, 0, 0, SchemaFileSystem.sliced(file)));
        }
        return JavaConverters.asScalaBuffer(statuses).toSeq();
    }
}
