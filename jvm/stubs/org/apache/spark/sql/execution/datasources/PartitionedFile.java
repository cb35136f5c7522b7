package org.apache.spark.sql.execution.datasources;

import java.io.Serializable;
import org.apache.hadoop.fs.Path;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.collection.immutable.Map;

public class PartitionedFile implements Serializable {
    public PartitionedFile(
            InternalRow row, SparkPath path, long l, long l2, String[] text, long l3, long l4,
            Map<String, Object> map) {}

    public native SparkPath filePath();

    public native long fileSize();

    public native long length();

    public native String[] locations();

    public native long modificationTime();

    public native Map<String, Object> otherConstantMetadataColumnValues();

    public native InternalRow partitionValues();

    public native long start();

    public native Path toPath();
}
