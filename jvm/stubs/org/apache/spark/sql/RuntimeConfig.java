package org.apache.spark.sql;

public abstract class RuntimeConfig {
    public abstract String get(String text, String other);
}
