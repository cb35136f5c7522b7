package org.apache.hadoop.fs;

import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;

public class Path implements Serializable {
    public Path(String text) throws IllegalArgumentException {}

    public Path(URI uri) {}

    public native FileSystem getFileSystem(Configuration conf) throws IOException;

    public native String getName();

    public native Path getParent();

    public native String toString();

    public native URI toUri();
}
