package dev.parquetext.spark.scan;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;

/** A file up to the joint, and bytes of our own from there on. */
class OverlaidStream extends StartOfFile implements StreamCapabilities, IOStatisticsSource {
    private final byte[] tail;
    private long position;

    private OverlaidStream(FSDataInputStream file, Overlay overlay) {
        super(file, overlay.joint);
        tail = overlay.tail;
    }

    /** A stream that reads into buffers if the file's stream does: Parquet's reader requests that. */
    static OverlaidStream of(FSDataInputStream file, Overlay overlay) {
        boolean intoBuffers = file.hasCapability(StreamCapabilities.READBYTEBUFFER)
                || file.getWrappedStream() instanceof ByteBufferReadable;
        return intoBuffers ? new IntoBuffers(file, overlay) : new OverlaidStream(file, overlay);
    }

    @Override
    public synchronized void seek(long to) throws IOException {
        if (to < 0 || to > joint + tail.length) throw new EOFException("no byte " + to + " in " + this);
        position = to;
    }

    @Override
    public synchronized long getPos() {
        return position;
    }

    @Override
    public boolean seekToNewSource(long target) throws IOException {
        return target < joint && file.seekToNewSource(target);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int count) throws IOException {
        if (count == 0) return 0;
        int read;
        if (position < joint) {
            read = fileAt(position).read(into, offset, (int) Math.min(count, joint - position));
        } else {
            read = ofTail(position, into, offset, count);
        }
        if (read > 0) position += read;
        return read;
    }

    private FSDataInputStream fileAt(long where) throws IOException {
        if (file.getPos() != where) file.seek(where);
        return file;
    }

    private int ofTail(long from, byte[] into, int offset, int count) {
        int start = (int) Math.min(from - joint, tail.length);
        int read = Math.min(count, tail.length - start);
        System.arraycopy(tail, start, into, offset, read);
        return read == 0 ? -1 : read;
    }

    @Override
    public int read(long from, byte[] into, int offset, int count) throws IOException {
        validatePositionedReadArgs(from, into, offset, count);
        if (count == 0) return 0;
        if (from >= joint) return ofTail(from, into, offset, count);
        return file.read(from, into, offset, (int) Math.min(count, joint - from));
    }

    @Override
    public void readFully(long from, byte[] into, int offset, int count) throws IOException {
        validatePositionedReadArgs(from, into, offset, count);
        int ofFile = (int) Math.max(0, Math.min(count, joint - from));
        if (ofFile > 0) file.readFully(from, into, offset, ofFile);
        if (ofFile == count) return;
        if (ofTail(from + ofFile, into, offset + ofFile, count - ofFile) < count - ofFile) {
            throw new EOFException("bytes up to " + (from + count) + " are asked for, of " + this);
        }
    }

    @Override
    public synchronized int available() throws IOException {
        return position < joint ? fileAt(position).available() : (int) (joint + tail.length - position);
    }

    @Override
    public boolean hasCapability(String capability) {
        return !capability.equals(StreamCapabilities.PREADBYTEBUFFER) && file.hasCapability(capability);
    }

    @Override
    public IOStatistics getIOStatistics() {
        return IOStatisticsSupport.retrieveIOStatistics(file);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    @Override
    public String toString() {
        return file + ", " + tail.length + " bytes of our own from " + joint + " on";
    }

    private static final class IntoBuffers extends OverlaidStream implements ByteBufferReadable {
        IntoBuffers(FSDataInputStream file, Overlay overlay) {
            super(file, overlay);
        }

        @Override
        public synchronized int read(ByteBuffer into) throws IOException {
            long from = getPos();
            if (from >= joint || !into.hasRemaining()) {
                byte[] bytes = new byte[into.remaining()];
                int read = read(bytes, 0, bytes.length);
                if (read > 0) into.put(bytes, 0, read);
                return read;
            }
            int limit = into.limit();
            into.limit((int) Math.min(limit, into.position() + (joint - from)));
            try {
                int read = super.fileAt(from).read(into);
                if (read > 0) seek(from + read);
                return read;
            } finally {
                into.limit(limit);
            }
        }
    }
}
