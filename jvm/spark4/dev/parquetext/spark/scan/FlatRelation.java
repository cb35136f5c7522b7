package dev.parquetext.spark.scan;

import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;

/** A relation of flat columns under a type that rules for nested columns do not recognize; else the same relation. */
final class FlatRelation extends BaseRelation {
    /** The original plan: a copy of it takes time for each column. */
    final LogicalRelation plan;

    private final HadoopFsRelation relation;

    FlatRelation(LogicalRelation plan) {
        this.plan = plan;
        this.relation = (HadoopFsRelation) plan.relation();
    }

    @Override
    public SQLContext sqlContext() {
        return relation.sqlContext();
    }

    @Override
    public StructType schema() {
        return relation.schema();
    }

    @Override
    public long sizeInBytes() {
        return relation.sizeInBytes();
    }

    @Override
    public boolean needConversion() {
        return relation.needConversion();
    }

    @Override
    public Filter[] unhandledFilters(Filter[] filters) {
        return relation.unhandledFilters(filters);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FlatRelation && ((FlatRelation) other).relation.equals(relation);
    }

    @Override
    public int hashCode() {
        return relation.hashCode();
    }

    @Override
    public String toString() {
        return relation.toString();
    }
}
