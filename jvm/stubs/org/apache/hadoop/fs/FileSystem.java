package org.apache.hadoop.fs;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

public abstract class FileSystem extends Configured implements Closeable {
    protected FileSystem() {}

    public abstract FSDataOutputStream append(Path path, int i, Progressable progressable) throws IOException;

    public abstract FSDataOutputStream create(
            Path path, FsPermission permission, boolean b, int i, short s, long l,
            Progressable progressable) throws IOException;

    public native void close() throws IOException;

    public abstract boolean delete(Path path, boolean b) throws IOException;

    public abstract FileStatus getFileStatus(Path path) throws IOException;

    public abstract URI getUri();

    public abstract Path getWorkingDirectory();

    public native void initialize(URI uri, Configuration conf) throws IOException;

    public abstract FileStatus[] listStatus(Path path) throws FileNotFoundException, IOException;

    public abstract boolean mkdirs(Path path, FsPermission permission) throws IOException;

    public native FSDataInputStream open(Path path) throws IOException;

    public abstract FSDataInputStream open(Path path, int i) throws IOException;

    public native FutureDataInputStreamBuilder openFile(Path path) throws IOException, UnsupportedOperationException;

    public abstract boolean rename(Path path, Path to) throws IOException;

    public abstract void setWorkingDirectory(Path path);
}
