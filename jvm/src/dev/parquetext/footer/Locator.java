package dev.parquetext.footer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Finds the block that opens a file, from the back of the file's last bytes and without Thrift. */
final class Locator {
    private static final byte[] REFERENCE = Form.bytes(Wire.UUID_FOOTER_REFERENCE);
    private static final byte[] DIALECT = Form.bytes(Wire.UUID_ARROW_DIALECT);
    private static final byte[] SPEC = Form.bytes("08ffff01"), THRIFT = Form.bytes("08feff03");
    private static final int TRAILER = Wire.BLOCK_TRAILER_BYTES, PAR3_TRAILER = 16, DIALECT_TRAILER = 33;
    private static final int BEHIND_STOP = 8, MARKER = 4;
    private static final int TEXT_END = 40; // characters whose 30 bytes end in a trailer
    private static final int MOST_TEXT = 4096; // bytes of a reference that are looked at as text

    private final FileBytes file;
    private final Bytes tail;
    private final long begin;
    private long footer;

    private Locator(FileBytes file, Bytes tail) {
        this.file = file;
        this.tail = tail;
        this.begin = tail.origin;
    }

    /** A block's trailer: the payload's offset in the file, its length and CRC-32, and the block's UUID. */
    private static final class Trailer extends Reference.Block {
        final int crc;

        Trailer(long payload, int length, int crc, Bytes uuid) {
            super(uuid, payload, length);
            this.crc = crc;
        }
    }

    /** Reads the file's end and finds the block. */
    static Located locate(FileBytes file) throws IOException, NotSliced {
        if (file.size < BEHIND_STOP + 4) throw none("a file of " + file.size + " bytes");
        int count = (int) Math.min(file.size, file.firstRead());
        Bytes tail = file.get(file.size - count, count);
        String magic = new String(tail.copy(count - 4, 4), StandardCharsets.ISO_8859_1);
        Locator locator = new Locator(file, tail);
        switch (magic) {
            case "PAR1":
                return locator.withThrift();
            case "PAR3":
                return locator.alone();
            case "PARE":
                throw new NotSliced(NotSliced.Reason.ENCRYPTED, "an encrypted footer");
            default:
                throw none("no PAR1 at the file's end");
        }
    }

    private static NotSliced none(String why) {
        return new NotSliced(NotSliced.Reason.NO_BLOCK, why);
    }

    private Located alone() throws NotSliced {
        if (tail.size < PAR3_TRAILER) throw none("a file of " + file.size + " bytes");
        int at = tail.size - PAR3_TRAILER, length = tail.count(at + 4);
        if (tail.crc(at + 4, 4) != tail.word(at + 8)) throw tail.damaged("a wrong checksum of PAR3's length", at + 8);
        long payload = file.size - PAR3_TRAILER - length;
        if (payload < 4) throw tail.damaged("a PAR3 footer longer than its file", at + 4);
        return new Located(Form.PAR3, payload, 0, payload, length);
    }

    /** Step over blocks of others, by their trailers, to one of ours. */
    private Located withThrift() throws NotSliced {
        long length = tail.u32(tail.size - BEHIND_STOP), end = file.size - BEHIND_STOP - 1;
        footer = file.size - BEHIND_STOP - length;
        if (length < 1 || footer < 0 || tail.u8(tail.size - BEHIND_STOP - 1) != 0) throw none("no Thrift footer");
        end = inFrontOfDialect(end);
        while (end - footer > TRAILER && end - begin >= TRAILER) {
            Trailer trailer = trailer(tail.part((int) (end - begin) - TRAILER, TRAILER), end);
            if (trailer == null || trailer.payload <= footer) return byText(end);
            Form form = Form.of(trailer.uuid);
            if (form != null)
                return new Located(form, footer, trailer.payload - footer, trailer.payload, trailer.length);
            if (trailer.uuid.holds(REFERENCE)) {
                if (trailer.payload < begin) throw none("a reference longer than what was read");
                Bytes payload = tail.part((int) (trailer.payload - begin), trailer.length);
                return byReference(payload, trailer.crc, false);
            }
            end = trailer.payload;
        }
        throw none("no block of a known form");
    }

    /** Return the begin of a block of the arrow dialect that ends there, else the same offset. */
    private long inFrontOfDialect(long end) throws NotSliced {
        int at = (int) (end - begin) - DIALECT_TRAILER;
        if (at < 0 || !tail.startsWith(DIALECT, at + DIALECT_TRAILER - DIALECT.length)) return end;
        long front = end - DIALECT_TRAILER - tail.u32(at + 5);
        return tail.crc(at + 5, 8) == tail.word(at + 13) && front > footer ? front : end;
    }

    /** Return the trailer in 28 bytes that end at {@code end} of the file; null if there is none. */
    private static Trailer trailer(Bytes bytes, long end) throws NotSliced {
        int length = bytes.word(4);
        if (length < 0 || bytes.crc(4, 4) != bytes.word(8)) return null;
        return new Trailer(end - TRAILER - length, length, bytes.word(0), bytes.part(12, 16));
    }

    /** By a reference that ends in front of {@code end} as text. */
    private Located byText(long end) throws NotSliced {
        int at = (int) (end - begin);
        byte[] last = at >= TEXT_END && end - footer >= TEXT_END ? decoded(at - TEXT_END, TEXT_END) : null;
        if (last == null) throw none("no block of a known form");
        Trailer trailer = trailer(new Bytes(last, last.length - TRAILER, TRAILER, end), end);
        if (trailer == null || !trailer.uuid.holds(REFERENCE)) throw none("no block of a known form");
        long size = (long) trailer.length + TRAILER, text = size / 3 * 4;
        if (size % 3 != 0 || size > MOST_TEXT || text > end - footer || text > at)
            throw tail.damaged("a reference of " + size + " bytes", at);
        byte[] block = decoded(at - (int) text, (int) text);
        if (block == null) throw tail.damaged("a reference that is not base64", at);
        return byReference(new Bytes(block, 0, trailer.length, end - text), trailer.crc, true);
    }

    /** Decode bytes that are base64 throughout, without padding. */
    private byte[] decoded(int at, int length) throws NotSliced {
        byte[] text = tail.copy(at, length);
        for (byte character : text) if (character == '=') return null;
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException broken) {
            return null;
        }
    }

    /**
     * Locate by the last block aside that is a form of ours. A text reference directly follows the struct,
     * whose stop it has taken; a reference above bytes of others may follow the stop.
     */
    private Located byReference(Bytes payload, int crc, boolean isText) throws NotSliced {
        if (payload.crc(0, payload.size) != crc) throw payload.damaged("a wrong checksum of a reference", 0);
        Reference reference = Reference.parse(payload, footer);
        long marker = footer + reference.structLength - 1;
        boolean behindStop = !isText && marker >= begin && marker < file.size && tail.u8((int) (marker - begin)) == 0;
        if (!isExtension(marker) && !(behindStop && isExtension(marker + 1)))
            throw payload.damaged("a reference of another Thrift footer", 16);
        for (int i = reference.blocks.size(); i-- > 0; ) {
            Reference.Block block = reference.blocks.get(i);
            Form form = Form.of(block.uuid);
            if (form == null) continue;
            if (i == reference.blocks.size() - 1 && begin > block.payload && reference.tailBlock.length > 0)
                file.hold(block.payload + block.length - reference.tailBlock.length, reference.tailBlock);
            return new Located(form, footer, reference.structLength - 1, block.payload, block.length);
        }
        throw none("no block of a known form");
    }

    /** Return true if there is a marker, followed by the length of the rest of the footer without its stop. */
    private boolean isExtension(long place) throws NotSliced {
        long stop = file.size - BEHIND_STOP - 1;
        if (place < begin || stop - place <= MARKER) return false;
        Bytes header = tail.part((int) (place - begin), (int) (stop - place));
        if (!header.startsWith(SPEC, 0) && !header.startsWith(THRIFT, 0)) return false;
        ThriftIn in = new ThriftIn(header, MARKER);
        try {
            int length = in.varint32();
            return length == header.size - in.at;
        } catch (NotSliced broken) {
            return false;
        }
    }
}
