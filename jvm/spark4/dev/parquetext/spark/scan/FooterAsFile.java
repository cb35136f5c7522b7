package dev.parquetext.spark.scan;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** A footer in memory as a Parquet file that has nothing else. */
final class FooterAsFile implements InputFile {
    final byte[] bytes;

    FooterAsFile(byte[] bytes) {
        this.bytes = bytes;
    }

    static FooterAsFile of(byte[] footer) {
        return new FooterAsFile(Overlay.alone(footer));
    }

    @Override
    public long getLength() {
        return bytes.length;
    }

    @Override
    public SeekableInputStream newStream() {
        Positioned stream = new Positioned(bytes);
        return new DelegatingSeekableInputStream(stream) {
            @Override
            public long getPos() {
                return stream.position();
            }

            @Override
            public void seek(long to) throws EOFException {
                stream.seek(to);
            }
        };
    }

    private static final class Positioned extends ByteArrayInputStream {
        Positioned(byte[] bytes) {
            super(bytes);
        }

        int position() {
            return pos;
        }

        void seek(long to) throws EOFException {
            if (to < 0 || to > count) throw new EOFException("no byte " + to + " in a footer of " + count);
            pos = (int) to;
        }
    }
}
