package org.apache.spark.sql.sources;

public abstract class BaseRelation {}
