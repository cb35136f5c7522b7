package org.apache.spark.sql.types;

public class VariantType extends AtomicType {}
