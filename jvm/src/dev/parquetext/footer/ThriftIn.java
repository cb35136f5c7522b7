package dev.parquetext.footer;

/** A checked position in Thrift compact bytes. */
final class ThriftIn {

    final Bytes bytes;
    int at;
    /** Of the field that was read last: offsets of its header and value, its id and type (0: the stop byte). */
    int header, id, type;
    /** Of the list that was read last. */
    int itemType;

    ThriftIn(Bytes bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    private NotSliced broken(String what) {
        return bytes.damaged("Thrift: " + what, at);
    }

    int varint32() throws NotSliced {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int next = bytes.u8(at++);
            if (shift == 28 && next > 15) break;
            value |= (next & 0x7F) << shift;
            if (next < 0x80) return value;
        }
        throw broken("a varint of more than 32 bits");
    }

    long varint64() throws NotSliced {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            int next = bytes.u8(at++);
            if (shift == 63 && next > 1) break;
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) return value;
        }
        throw broken("a varint of more than 64 bits");
    }

    int i32() throws NotSliced {
        int raw = varint32();
        return raw >>> 1 ^ -(raw & 1);
    }

    long i64() throws NotSliced {
        long raw = varint64();
        return raw >>> 1 ^ -(raw & 1);
    }

    /** A length of bytes that are there. */
    private int length() throws NotSliced {
        int length = varint32();
        if (length < 0 || length > bytes.size - at) throw broken("more bytes than are left");
        return length;
    }

    Bytes binary() throws NotSliced {
        int length = length();
        at += length;
        return bytes.part(at - length, length);
    }

    /** The next field's header; {@code last} is the id of the one before it. False at the stop byte. */
    boolean field(int last) throws NotSliced {
        header = at;
        int first = bytes.u8(at++);
        type = first & 15;
        id = last;
        if (first == 0) return false;
        if (type == 0 || type > Wire.TYPE_UUID) throw broken("an unknown type");
        if (first >> 4 != 0) {
            id += first >> 4;
        } else {
            int raw = varint32();
            id = raw < 0 || raw > 0xFFFF ? Integer.MAX_VALUE : raw >>> 1 ^ -(raw & 1);
        }
        if (id > Short.MAX_VALUE) throw broken("a field id of more than 16 bits");
        return true;
    }

    /** A list's header: how many items of {@link #itemType}; each of them takes a byte at least. */
    int list() throws NotSliced {
        int first = bytes.u8(at++), count = first >> 4;
        itemType = first & 15;
        if (count == 15) count = varint32();
        if (count < 0 || count > bytes.size - at) throw broken("more items than bytes are left");
        if (count > 0 && (itemType == 0 || itemType > Wire.TYPE_UUID)) throw broken("an unknown type");
        return count;
    }

    /** Skip the value of the field that was read last, which stays the last one. */
    void skip() throws NotSliced {
        int field = id, begin = header, of = type;
        skip(type, false, Wire.MAX_DEPTH);
        id = field;
        header = begin;
        type = of;
    }

    /** Skip a struct. */
    void skipStruct() throws NotSliced {
        skip(Wire.TYPE_STRUCT, true, Wire.MAX_DEPTH);
    }

    private void skipBytes(int count) throws NotSliced {
        if (count > bytes.size - at) throw broken("more bytes than are left");
        at += count;
    }

    private void skip(int type, boolean isItem, int depth) throws NotSliced {
        if (type >= Wire.TYPE_LIST && type <= Wire.TYPE_STRUCT && depth == 0)
            throw broken("nested deeper than 64 levels");
        switch (type) {
            case Wire.TYPE_TRUE:
            case Wire.TYPE_FALSE:
                skipBytes(isItem ? 1 : 0);
                break;
            case Wire.TYPE_BYTE:
                skipBytes(1);
                break;
            case Wire.TYPE_I16:
            case Wire.TYPE_I32:
                varint32();
                break;
            case Wire.TYPE_I64:
                varint64();
                break;
            case Wire.TYPE_DOUBLE:
                skipBytes(8);
                break;
            case Wire.TYPE_BINARY:
                skipBytes(length());
                break;
            case Wire.TYPE_LIST:
            case Wire.TYPE_SET:
                int count = list(), item = itemType;
                for (; count > 0; count--) skip(item, true, depth - 1);
                break;
            case Wire.TYPE_MAP:
                skipMap(depth - 1);
                break;
            case Wire.TYPE_STRUCT:
                skipFields(depth - 1);
                break;
            default:
                skipBytes(16);
        }
    }

    private void skipMap(int depth) throws NotSliced {
        int count = varint32();
        if (count == 0) return;
        int types = bytes.u8(at++), key = types >> 4, value = types & 15;
        if (count < 0 || count > (bytes.size - at) / 2) throw broken("more entries than bytes are left");
        if (key == 0 || key > Wire.TYPE_UUID || value == 0 || value > Wire.TYPE_UUID) throw broken("an unknown type");
        for (; count > 0; count--) {
            skip(key, true, depth);
            skip(value, true, depth);
        }
    }

    private void skipFields(int depth) throws NotSliced {
        for (int last = 0; field(last); ) {
            last = id;
            skip(type, false, depth);
        }
    }
}
