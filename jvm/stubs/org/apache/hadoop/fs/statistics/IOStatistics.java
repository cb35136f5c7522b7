package org.apache.hadoop.fs.statistics;

public interface IOStatistics {}
