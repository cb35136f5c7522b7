package org.apache.spark.sql;

import java.io.Closeable;
import java.io.Serializable;
import org.apache.spark.SparkContext;

public abstract class SparkSession implements Serializable, Closeable {
    public abstract RuntimeConfig conf();

    public abstract ExperimentalMethods experimental();

    public abstract SparkContext sparkContext();
}
