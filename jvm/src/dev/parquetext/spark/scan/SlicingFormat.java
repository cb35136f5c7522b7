package dev.parquetext.spark.scan;

import dev.parquetext.footer.Projection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/** Spark's Parquet format, whose scans see of each file the columns that they want. */
final class SlicingFormat extends ParquetFileFormat {
    private static final long serialVersionUID = 1;
    private static final double MOST_SHARE = 0.5;

    private final transient ScanMetrics metrics;

    SlicingFormat(ScanMetrics metrics) {
        this.metrics = metrics;
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
        Function1<PartitionedFile, Iterator<InternalRow>> reader = super.buildReaderWithPartitionValues(
                session, dataSchema, partitionSchema, requiredSchema, filters, options, conf);
        if (needsWholeFooters(requiredSchema, conf)) return reader;
        boolean caseSensitive = conf.getBoolean("spark.sql.caseSensitive", false);
        List<String> names = Arrays.asList(requiredSchema.fieldNames());
        List<String> filtered = mayUsePageIndexes(conf) ? columnsOf(filters) : Collections.emptyList();
        return new SlicingReader(reader, new Projection(names, caseSensitive, MOST_SHARE), filtered, metrics);
    }

    private static boolean mayUsePageIndexes(Configuration conf) {
        return conf.getBoolean("spark.sql.parquet.filterPushdown", true)
                && conf.getBoolean("parquet.filter.columnindex.enabled", true);
    }

    /** Return the top-level columns of filters, and other possible meanings of their names. */
    private static List<String> columnsOf(Seq<Filter> filters) {
        Set<String> columns = new LinkedHashSet<>();
        for (int i = 0; i < filters.size(); i++) {
            for (String reference : filters.apply(i).references()) {
                columns.add(reference);
                columns.add(firstPart(reference));
            }
        }
        return new ArrayList<>(columns);
    }

    /** Return the first part of a name whose parts are separated by dots, with backticks around them if necessary. */
    private static String firstPart(String reference) {
        if (!reference.startsWith("`")) return reference.split("\\.", 2)[0];
        int end = 1;
        while (end < reference.length() && (reference.charAt(end) != '`' || reference.startsWith("``", end)))
            end += reference.charAt(end) == '`' ? 2 : 1;
        return reference.substring(1, Math.min(end, reference.length())).replace("``", "`");
    }

    /** Columns may be found by their field ids, and files be encrypted by a key for the footer. */
    private static boolean needsWholeFooters(StructType schema, Configuration conf) {
        boolean byId = conf.getBoolean("spark.sql.parquet.fieldId.read.enabled", false);
        return byId && hasFieldIds(schema) || mayDecrypt(conf);
    }

    /** Return true if files may be encrypted by keys that Parquet's reader requests, for each file by its footer. */
    static boolean mayDecrypt(Configuration conf) {
        return conf.get("parquet.crypto.factory.class") != null;
    }

    private static boolean hasFieldIds(StructType schema) {
        for (StructField field : schema.fields()) {
            if (field.metadata().contains("parquet.field.id")) return true;
        }
        return false;
    }
}
