package dev.parquetext.footer;

import java.io.IOException;

/** The end of a payload that is opened by its tail block, whose last 12 bytes say its size (docs/formats.md, 7, 15.1). */
final class TailBlock {
    private static final int RECORD = Wire.INDEX_RECORD_BYTES;

    private TailBlock() {}

    /** Read the payload's end, unless it has been read, and return its checked tail block. */
    static Bytes read(FileBytes file, Located located, int smallest, int version) throws IOException, NotSliced {
        int length = located.length;
        long end = located.payload + length;
        if (length < smallest)
            throw NotSliced.damaged("a footer of " + length + " bytes in a block", located.payload);
        if (!file.has(end - RECORD, RECORD)) {
            int most = Math.min(length, file.wholeAtMost());
            file.want(end - most, most);
            file.fetch();
        }
        Bytes record = file.get(end - RECORD, RECORD);
        int size = record.count(4);
        if (size < smallest || size > length) throw record.damaged("a tail block of " + size + " bytes", 4);
        Bytes block = file.get(end - size, size);
        if (block.crc(0, size - 4) != record.word(8)) throw record.damaged("a wrong checksum of the tail block", 8);
        if (record.word(0) != version)
            throw new NotSliced(NotSliced.Reason.UNKNOWN_LAYOUT, "a block of another layout");
        return block;
    }
}
