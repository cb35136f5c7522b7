package org.apache.hadoop.util;

public interface Progressable {
    void progress();
}
