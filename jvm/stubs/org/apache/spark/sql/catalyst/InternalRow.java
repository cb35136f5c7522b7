package org.apache.spark.sql.catalyst;

import java.io.Serializable;

public abstract class InternalRow implements Serializable {}
