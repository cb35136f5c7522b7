package dev.parquetext.spark.scan;

import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.BaseRelation;
import scala.Product;
import scala.collection.immutable.Map;

/** Relations with another format, and the plans that hold them. */
final class Relations {
    private Relations() {}

    static HadoopFsRelation with(HadoopFsRelation relation, ParquetFileFormat format, Map<String, String> options) {
        return relation.copy(
                relation.location(),
                relation.partitionSchema(),
                relation.dataSchema(),
                relation.bucketSpec(),
                format,
                options,
                relation.sparkSession());
    }

    /** The arguments of a copy of a plan with another relation. The others differ between Spark's versions. */
    static Object[] arguments(Product plan, BaseRelation relation, BaseRelation other) {
        Object[] arguments = new Object[plan.productArity()];
        for (int i = 0; i < arguments.length; i++) {
            Object argument = plan.productElement(i);
            arguments[i] = argument == relation ? other : argument;
        }
        return arguments;
    }
}
