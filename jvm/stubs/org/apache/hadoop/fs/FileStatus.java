package org.apache.hadoop.fs;

import java.io.Serializable;

public class FileStatus implements Serializable {
    public FileStatus(long l, boolean b, int i, long l2, long l3, Path path) {}

    public native long getBlockSize();

    public native long getLen();

    public native long getModificationTime();

    public native Path getPath();

    public native short getReplication();

    public native boolean isDirectory();
}
