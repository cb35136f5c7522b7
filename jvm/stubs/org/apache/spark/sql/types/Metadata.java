package org.apache.spark.sql.types;

import java.io.Serializable;

public class Metadata implements Serializable {
    public native boolean contains(String text);
}
