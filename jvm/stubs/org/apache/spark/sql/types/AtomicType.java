package org.apache.spark.sql.types;

public abstract class AtomicType extends DataType {}
