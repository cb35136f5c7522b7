package org.apache.spark.sql.execution.datasources;

import java.io.Serializable;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.BucketSpec;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map;

public class HadoopFsRelation extends BaseRelation implements Serializable {
    public native Option<BucketSpec> bucketSpec();

    public native HadoopFsRelation copy(
            FileIndex location, StructType dataSchema, StructType partitionSchema, Option<BucketSpec> option,
            FileFormat format, Map<String, String> map, SparkSession session);

    public native StructType dataSchema();

    public native boolean equals(Object other);

    public native FileFormat fileFormat();

    public native int hashCode();

    public native FileIndex location();

    public native Map<String, String> options();

    public native StructType partitionSchema();

    public native StructType schema();

    public native SparkSession sparkSession();

    public native long sizeInBytes();

    public native SQLContext sqlContext();

    public native String toString();
}
