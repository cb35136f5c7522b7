package dev.parquetext.spark.scan;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** A read-only file system of single files. */
abstract class ReadOnlyFileSystem extends FileSystem {
    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return new FileStatus[] {getFileStatus(path)};
    }

    @Override
    public Path getWorkingDirectory() {
        return new Path("/");
    }

    @Override
    public void setWorkingDirectory(Path path) {
        throw readOnly();
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress) {
        throw readOnly();
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
        throw readOnly();
    }

    @Override
    public boolean rename(Path from, Path to) {
        throw readOnly();
    }

    @Override
    public boolean delete(Path path, boolean recursive) {
        throw readOnly();
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) {
        throw readOnly();
    }

    private static UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException("files with slices of their footers are read only");
    }
}
