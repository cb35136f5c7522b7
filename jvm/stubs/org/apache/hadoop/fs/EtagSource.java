package org.apache.hadoop.fs;

public interface EtagSource {
    String getEtag();
}
