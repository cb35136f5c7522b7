package dev.parquetext.spark.scan;

import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;

/** A stream that begins with the bytes of a file up to the joint. */
abstract class StartOfFile extends FSInputStream {
    protected final FSDataInputStream file;
    protected final long joint;

    StartOfFile(FSDataInputStream file, long joint) {
        this.file = file;
        this.joint = joint;
    }
}
