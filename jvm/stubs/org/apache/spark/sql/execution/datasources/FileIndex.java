package org.apache.spark.sql.execution.datasources;

public interface FileIndex {}
