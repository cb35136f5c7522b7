package dev.parquetext.footer;

import java.util.Arrays;

/** Thrift compact bytes while they are written: the fewest bytes for everything. */
final class ThriftOut {
    private static final int MOST = 1 << 29;

    private final int most;
    private byte[] data = new byte[256];
    private int size;
    private int last;

    /** @param most bytes that may be written */
    ThriftOut(long most) {
        this.most = (int) Math.min(most, MOST);
    }

    byte[] toBytes() {
        return Arrays.copyOf(data, size);
    }

    private void reserve(int more) throws NotSliced {
        if (more > most - size)
            throw new NotSliced(NotSliced.Reason.UNSUPPORTED, "a slice of more than " + most + " bytes");
        if (more > data.length - size) data = Arrays.copyOf(data, Math.min(most, Math.max(2 * size, size + more)));
    }

    void put(int value) throws NotSliced {
        reserve(1);
        data[size++] = (byte) value;
    }

    void put(Bytes bytes) throws NotSliced {
        put(bytes.data, bytes.begin, bytes.size);
    }

    void put(byte[] bytes, int begin, int length) throws NotSliced {
        reserve(length);
        System.arraycopy(bytes, begin, data, size, length);
        size += length;
    }

    private void varint(long value) throws NotSliced {
        reserve(10);
        for (; (value & ~0x7FL) != 0; value >>>= 7) data[size++] = (byte) (value | 0x80);
        data[size++] = (byte) value;
    }

    int size() {
        return size;
    }

    void integer(long value) throws NotSliced {
        varint(value << 1 ^ value >> 63);
    }

    void binary(byte[] bytes, int begin, int length) throws NotSliced {
        varint(length);
        put(bytes, begin, length);
    }

    /** A binary value: the lowest bytes of a number, up to 8. */
    void number(long value, int length, boolean isBigEndian) throws NotSliced {
        reserve(1 + length);
        data[size++] = (byte) length;
        for (int i = 0; i < length; i++) data[size++] = (byte) (value >>> 8 * (isBigEndian ? length - 1 - i : i));
    }

    void list(int itemType, int count) throws NotSliced {
        if (count < 15) {
            put(count << 4 | itemType);
        } else {
            put(0xF0 | itemType);
            varint(count);
        }
    }

    /** The list of the names of a path, which has NUL between them. */
    void path(byte[] path) throws NotSliced {
        int parts = 1, begin = 0;
        for (byte letter : path) parts += letter == 0 ? 1 : 0;
        list(Wire.TYPE_BINARY, parts);
        for (int i = 0; i <= path.length; i++) {
            if (i < path.length && path[i] != 0) continue;
            binary(path, begin, i - begin);
            begin = i + 1;
        }
    }

    /** A field's header; {@code before} is the id of the field in front of it. */
    void header(int before, int id, int type) throws NotSliced {
        if (id > before && id - before < 16) {
            put(id - before << 4 | type);
        } else {
            put(type);
            integer(id);
        }
    }

    // ---- a struct's fields, one after the other

    /** Begin a struct; pass the result to its end. */
    int begin() {
        int outer = last;
        last = 0;
        return outer;
    }

    void end(int outer) throws NotSliced {
        put(0);
        last = outer;
    }

    void field(int id, int type) throws NotSliced {
        header(last, id, type);
        last = id;
    }

    void integer(int id, int type, long value) throws NotSliced {
        field(id, type);
        integer(value);
    }

    void binary(int id, byte[] bytes) throws NotSliced {
        field(id, Wire.TYPE_BINARY);
        binary(bytes, 0, bytes.length);
    }

    void bool(int id, boolean value) throws NotSliced {
        field(id, value ? Wire.TYPE_TRUE : Wire.TYPE_FALSE);
    }
}
