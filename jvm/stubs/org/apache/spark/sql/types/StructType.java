package org.apache.spark.sql.types;

import java.io.Serializable;

public class StructType implements Serializable {
    public native String[] fieldNames();

    public native StructField[] fields();
}
