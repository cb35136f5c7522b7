package org.apache.spark.sql.sources;

import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.types.StructType;

public abstract class BaseRelation {
    public BaseRelation() {}

    public native boolean needConversion();

    public abstract StructType schema();

    public native long sizeInBytes();

    public abstract SQLContext sqlContext();

    public native Filter[] unhandledFilters(Filter[] filters);
}
