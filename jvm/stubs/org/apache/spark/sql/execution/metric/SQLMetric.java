package org.apache.spark.sql.execution.metric;

import java.io.Serializable;

public class SQLMetric implements Serializable {
    public native void add(long l);
}
