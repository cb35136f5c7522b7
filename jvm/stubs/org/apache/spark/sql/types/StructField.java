package org.apache.spark.sql.types;

import java.io.Serializable;

public class StructField implements Serializable {
    public native Metadata metadata();
}
