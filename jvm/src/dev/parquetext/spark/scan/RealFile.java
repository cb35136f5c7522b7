package dev.parquetext.spark.scan;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/** A file as its own file system has it. */
final class RealFile {
    private static final String READ_POLICY = "fs.option.openfile.read.policy";

    final FileSystem system;
    final FileStatus status;

    RealFile(FileSystem system, FileStatus status) {
        this.system = system;
        this.status = status;
    }

    /** Return true if the file is on a disk of this machine. */
    static boolean isLocal(FileStatus status) {
        return "file".equals(status.getPath().toUri().getScheme());
    }

    /**
     * Opens a file as Parquet's reader does: known properties of the file are not requested again. A local file has no
     * requests to save, and a builder takes longer than its opening.
     */
    FSDataInputStream open() throws IOException {
        if (isLocal(status)) return system.open(status.getPath());
        return Waiting.on(system.openFile(status.getPath())
                .withFileStatus(status)
                .opt(READ_POLICY, "parquet, vector, random, adaptive")
                .build());
    }
}
