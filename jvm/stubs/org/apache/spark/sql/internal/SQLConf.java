package org.apache.spark.sql.internal;

import java.io.Serializable;
import java.util.NoSuchElementException;

public class SQLConf implements Serializable {
    public static native SQLConf get();

    public native String getConfString(String text) throws NoSuchElementException;

    public native String getConfString(String text, String other);
}
