package dev.parquetext.footer;

/** A cell of a flat footer with a correct checksum. Its content is checked when it is used. */
final class FlatCell extends Bytes {
    /** The offset in the payload; its kind, part and number. */
    final int place, kind, part, number;

    private final FlatTail tail;

    FlatCell(Bytes bytes, int place, FlatTail tail) throws NotSliced {
        super(bytes.data, bytes.begin, bytes.size, bytes.origin);
        this.place = place;
        this.tail = tail;
        kind = u16(8);
        part = u16(10);
        number = word(12);
    }

    /** The fixed part takes so many bytes. */
    void require(long bytes) throws NotSliced {
        if (size < bytes) throw damaged("a cell of " + size + " bytes", 4);
    }

    /** The table at a place of the cell. */
    Table table(int at) throws NotSliced {
        if (at % 4 != 0) throw damaged("a table that is not aligned", at);
        long distance = place + at - u32(at) - tail.vtablesAt & 0xFFFFFFFFL;
        if (distance % 2 != 0 || distance > tail.vtables.size - 4) throw damaged("a table without a vtable", at);
        int vtable = (int) distance, bytes = tail.vtables.u16(vtable), table = tail.vtables.u16(vtable + 2);
        if (bytes % 2 != 0 || bytes < 4 || bytes > tail.vtables.size - vtable) throw damaged("a broken vtable", at);
        if (table < 4 || table > size - at) throw damaged("a table of " + table + " bytes", at);
        return new Table(at, vtable + 4, bytes / 2 - 2, table);
    }

    /** A string, or a vector of bytes: its bytes. */
    Bytes blob(int at) throws NotSliced {
        return part(at + 4, count(at));
    }

    /** A table in the cell. */
    final class Table {
        private final int at, entries, slots, bytes;

        private Table(int at, int entries, int slots, int bytes) {
            this.at = at;
            this.entries = entries;
            this.slots = slots;
            this.bytes = bytes;
        }

        /** Return the offset in the cell of a field of so many bytes; 0 if it is absent. */
        int find(int slot, int width) throws NotSliced {
            int offset = slot < slots ? tail.vtables.u16(entries + 2 * slot) : 0;
            if (offset == 0) return 0;
            if (offset < 4 || offset > bytes - width) throw damaged("a field that leaves its table", at);
            return at + offset;
        }

        boolean has(int slot, int width) throws NotSliced {
            return find(slot, width) != 0;
        }

        long i64(int slot, long absent) throws NotSliced {
            int field = find(slot, 8);
            return field == 0 ? absent : FlatCell.this.i64(field);
        }

        int i32(int slot, int absent) throws NotSliced {
            int field = find(slot, 4);
            return field == 0 ? absent : word(field);
        }

        int u16(int slot) throws NotSliced {
            int field = find(slot, 2);
            return field == 0 ? 0 : FlatCell.this.u16(field);
        }

        int i8(int slot, int absent) throws NotSliced {
            int field = find(slot, 1);
            return field == 0 ? absent : (byte) u8(field);
        }

        /** Return the offset in the cell to which an offset field points; 0 if it is absent. */
        private int follow(int slot) throws NotSliced {
            int field = find(slot, 4);
            if (field == 0) return 0;
            long offset = u32(field);
            if (offset == 0 || offset > size - 4 - field) throw damaged("an offset out of its cell", field);
            return field + (int) offset;
        }

        /** Return the table to which a field points; null if it is absent. */
        Table child(int slot) throws NotSliced {
            int target = follow(slot);
            return target == 0 ? null : table(target);
        }

        /** Return the bytes to which a field points; null if it is absent. */
        Bytes bytes(int slot) throws NotSliced {
            int target = follow(slot);
            return target == 0 ? null : blob(target);
        }
    }
}
