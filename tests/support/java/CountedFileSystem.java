import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Local files as an object store serves them: each question for a status, and each jump within a stream, is a request. */
public final class CountedFileSystem extends RawLocalFileSystem {
    public static final AtomicInteger HEADS = new AtomicInteger();
    public static final AtomicInteger GETS = new AtomicInteger();

    @Override
    public URI getUri() {
        return URI.create("counted:///");
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        HEADS.incrementAndGet();
        return super.getFileStatus(path);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return new FSDataInputStream(new Counted(super.open(path, bufferSize)));
    }

    private static final class Counted extends FSInputStream {
        private final FSDataInputStream file;
        private long served = -1; // where the last request's answer ends

        Counted(FSDataInputStream file) {
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int count) throws IOException {
            if (file.getPos() != served) GETS.incrementAndGet();
            int read = file.read(into, offset, count);
            served = file.getPos();
            return read;
        }

        @Override
        public void seek(long to) throws IOException {
            file.seek(to);
        }

        @Override
        public long getPos() throws IOException {
            return file.getPos();
        }

        @Override
        public boolean seekToNewSource(long to) {
            return false;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
