package dev.parquetext.footer;

import java.util.Arrays;
import java.util.zip.CRC32;

/** A range of a file in memory. Numbers are little-endian; an access outside of the range is reported as damage. */
class Bytes {
    final byte[] data;
    final int begin;
    final int size;
    /** The range's offset in the file. */
    final long origin;

    Bytes(byte[] data, int begin, int size, long origin) {
        this.data = data;
        this.begin = begin;
        this.size = size;
        this.origin = origin;
    }

    static int int32(byte[] data, int at) {
        return data[at] & 0xFF | (data[at + 1] & 0xFF) << 8 | (data[at + 2] & 0xFF) << 16 | data[at + 3] << 24;
    }

    static long int64(byte[] data, int at) {
        return int32(data, at) & 0xFFFFFFFFL | (long) int32(data, at + 4) << 32;
    }

    final NotSliced damaged(String what, int at) {
        return NotSliced.damaged(what, origin + at);
    }

    private int place(int at, int width) throws NotSliced {
        if (at < 0 || at > size - width) throw damaged("an offset leads out of its " + size + " bytes", at);
        return begin + at;
    }

    final int u8(int at) throws NotSliced {
        return data[place(at, 1)] & 0xFF;
    }

    final int u16(int at) throws NotSliced {
        int from = place(at, 2);
        return data[from] & 0xFF | (data[from + 1] & 0xFF) << 8;
    }

    /** The 32 bits at a place, whatever they mean. */
    final int word(int at) throws NotSliced {
        return int32(data, place(at, 4));
    }

    final long u32(int at) throws NotSliced {
        return word(at) & 0xFFFFFFFFL;
    }

    /** A count, length or place: a u32 below 2 GiB. */
    final int count(int at) throws NotSliced {
        int value = word(at);
        if (value < 0) throw damaged("a number of 2 GiB or more", at);
        return value;
    }

    final long i64(int at) throws NotSliced {
        return int64(data, place(at, 8));
    }

    final Bytes part(int at, int length) throws NotSliced {
        if (length < 0) throw damaged("a range leads out of its " + size + " bytes", at);
        return new Bytes(data, place(at, length), length, origin + at);
    }

    final byte[] copy(int at, int length) throws NotSliced {
        if (length < 0) throw damaged("a range leads out of its " + size + " bytes", at);
        int from = place(at, length);
        return Arrays.copyOfRange(data, from, from + length);
    }

    final boolean startsWith(byte[] expected, int at) {
        if (at < 0 || at > size - expected.length) return false;
        for (int i = 0; i < expected.length; i++) if (data[begin + at + i] != expected[i]) return false;
        return true;
    }

    final boolean holds(byte[] expected) {
        return size == expected.length && startsWith(expected, 0);
    }

    /** The CRC-32 of a range. */
    final int crc(int at, int length) throws NotSliced {
        if (length < 0) throw damaged("a range leads out of its " + size + " bytes", at);
        CRC32 crc = new CRC32();
        crc.update(data, place(at, length), length);
        return (int) crc.getValue();
    }
}
