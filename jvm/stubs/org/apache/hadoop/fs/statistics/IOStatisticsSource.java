package org.apache.hadoop.fs.statistics;

public interface IOStatisticsSource {
    IOStatistics getIOStatistics();
}
