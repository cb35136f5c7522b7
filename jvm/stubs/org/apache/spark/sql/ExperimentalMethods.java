package org.apache.spark.sql;

import org.apache.spark.sql.execution.SparkStrategy;
import scala.collection.immutable.Seq;

public class ExperimentalMethods {
    public native Seq<SparkStrategy> extraStrategies();

    public native void extraStrategies_$eq(Seq<SparkStrategy> values);
}
