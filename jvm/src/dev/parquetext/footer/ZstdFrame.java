package dev.parquetext.footer;

import com.github.luben.zstd.Zstd;

/** Frames of zstd, by the library that Spark brings along. */
final class ZstdFrame {
    private ZstdFrame() {}

    /** Return the content of a frame, which has {@code size} bytes. */
    static byte[] decompress(Bytes frame, int size) throws NotSliced {
        byte[] content = new byte[size];
        try {
            if (Zstd.decompressByteArray(content, 0, size, frame.data, frame.begin, frame.size) == size) return content;
        } catch (RuntimeException broken) { // its own class could be caught with the library only
            throw frame.damaged("a broken zstd frame", 0);
        } catch (LinkageError missing) {
            throw new NotSliced(NotSliced.Reason.UNSUPPORTED, "compressed text without a zstd library");
        }
        throw frame.damaged("a zstd frame of another size", 0);
    }
}
