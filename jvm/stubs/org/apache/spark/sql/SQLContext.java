package org.apache.spark.sql;

public abstract class SQLContext {}
