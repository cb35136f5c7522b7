package dev.parquetext.spark.scan;

import dev.parquetext.footer.NotSliced;
import dev.parquetext.footer.Slicer;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.Footer;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * Infers the schema of one file in the driver.
 *
 * <p>Spark starts a job for it, which takes longer than reading a slice does. The parser and the conversion are Spark's.
 */
final class DriverSchema {
    /** Spark infers as if this were not set. */
    private static final String IGNORES_VARIANTS = "spark.sql.parquet.ignoreVariantAnnotation";

    private DriverSchema() {}

    /** Return the schema that Spark infers from these files without merging; null if Spark has to infer it. */
    static StructType infer(Seq<FileStatus> files, SQLConf settings, Configuration conf) throws IOException {
        FileStatus file = first(files);
        if (file == null || Boolean.parseBoolean(settings.getConfString(IGNORES_VARIANTS, "false"))) return null;
        byte[] footer = footer(file, conf);
        if (footer == null) return null;
        return ParquetFileFormat.readSchemaFromFooter(
                new Footer(file.getPath(), parsed(footer, conf)), new ParquetToSparkSchemaConverter(settings));
    }

    private static ParquetMetadata parsed(byte[] footer, Configuration conf) throws IOException {
        ParquetReadOptions options = HadoopReadOptions.builder(conf)
                .withMetadataFilter(ParquetMetadataConverter.SKIP_ROW_GROUPS)
                .build();
        try (ParquetFileReader reader = ParquetFileReader.open(FooterAsFile.of(footer), options)) {
            return reader.getFooter();
        }
    }

    /** Return the first file by its path; null if there is none, or if there is a summary file, which Spark prefers. */
    private static FileStatus first(Seq<FileStatus> files) {
        FileStatus first = null;
        String least = null;
        for (Iterator<FileStatus> each = files.iterator(); each.hasNext(); ) {
            FileStatus file = each.next();
            if (isSummary(file.getPath())) return null;
            String path = file.getPath().toString();
            if (least != null && path.compareTo(least) >= 0) continue;
            first = file;
            least = path;
        }
        return first;
    }

    private static boolean isSummary(Path path) {
        return path.getName().equals(ParquetFileWriter.PARQUET_METADATA_FILE)
                || path.getName().equals(ParquetFileWriter.PARQUET_COMMON_METADATA_FILE);
    }

    /** A footer of the schema alone, or the file's own if looking for a slice has read all of it; else null. */
    private static byte[] footer(FileStatus file, Configuration conf) throws IOException {
        RealFile real = new RealFile(file.getPath().getFileSystem(conf), file);
        try (FSDataInputStream stream = real.open()) {
            HadoopBytes bytes = new HadoopBytes(stream, file, false);
            try {
                return Slicer.schemaOnly(bytes).footer;
            } catch (NotSliced | RuntimeException | LinkageError reason) {
                FallBacks.tell(file.getPath(), reason);
                return bytes.wholeFooter();
            }
        }
    }
}
