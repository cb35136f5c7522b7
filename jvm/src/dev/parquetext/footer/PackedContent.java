package dev.parquetext.footer;

/** A checked position in the content of a packed footer's cell. */
final class PackedContent {
    final Bytes bytes;
    private final ThriftIn in;
    private final int end;

    /** The bytes of a cell from {@code at} to {@code end}. */
    PackedContent(Bytes bytes, int at, int end) {
        this.bytes = bytes;
        this.end = end;
        in = new ThriftIn(bytes, at);
    }

    NotSliced damaged(String what) {
        return bytes.damaged(what, in.at);
    }

    int at() {
        return in.at;
    }

    int left() {
        return end - in.at;
    }

    /** Move over bytes, and return the position of the first one. */
    int take(long count) throws NotSliced {
        if (count < 0 || count > left()) throw damaged("content of " + count + " bytes, of which " + left() + " are left");
        in.at += (int) count;
        return in.at - (int) count;
    }

    int u8() throws NotSliced {
        return bytes.u8(take(1));
    }

    long varint() throws NotSliced {
        long value = in.varint64();
        if (in.at > end) throw damaged("a varint that leaves its content");
        return value;
    }

    long zigzag() throws NotSliced {
        long raw = varint();
        return raw >>> 1 ^ -(raw & 1);
    }

    /** Check that nothing is left. */
    void end() throws NotSliced {
        if (left() != 0) throw damaged(left() + " bytes after the content");
    }
}
