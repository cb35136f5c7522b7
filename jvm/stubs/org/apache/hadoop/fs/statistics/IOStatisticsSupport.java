package org.apache.hadoop.fs.statistics;

public final class IOStatisticsSupport {
    public static native IOStatistics retrieveIOStatistics(Object argument);
}
