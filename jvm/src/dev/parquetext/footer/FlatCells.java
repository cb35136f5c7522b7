package dev.parquetext.footer;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Cells of a flat footer: fetched, checked and kept (docs/formats.md, 3.3 and 3.7). */
final class FlatCells {
    private static final int DIRECTORY_ENTRIES = Wire.FLAT_DIRECTORY_ENTRIES, LEAST_AT_ONCE = 256;

    final FlatTail tail;
    private final FileBytes file;
    private final Map<Integer, FlatCell> known = new HashMap<>();
    private final Map<Integer, Integer> columns = new HashMap<>(); // places by numbers, of those that names led to
    private long allowance; // cells that overlap must not multiply the work

    FlatCells(FileBytes file, FlatTail tail) {
        this.file = file;
        this.tail = tail;
        allowance = 2L * tail.length + 65536;
    }

    /** Have a cell read in the next round, as many bytes of it as are worth reading at once. */
    void want(int place, int bytes) {
        if (place >= 8 && place < tail.end) file.want(tail.payload + place, Math.min(bytes, tail.end - place));
    }

    /** Bytes worth reading at once for a COLUMN or NODE. */
    int hint() {
        return Math.max(LEAST_AT_ONCE, tail.columnHint);
    }

    private FlatCell load(int place, int hint) throws IOException, NotSliced {
        FlatCell cell = known.get(place);
        if (cell != null) return cell;
        long origin = tail.payload + place;
        int left = tail.end - place;
        if (place % 8 != 0 || place < 8 || left < Wire.FLAT_CELL_HEADER_BYTES)
            throw NotSliced.damaged("a cell at " + place, origin);
        Bytes header = file.get(origin,
                file.has(origin, Wire.FLAT_CELL_HEADER_BYTES) ? Wire.FLAT_CELL_HEADER_BYTES : Math.min(hint, left));
        int length = header.count(4);
        if (length % 8 != 0 || length < Wire.FLAT_CELL_HEADER_BYTES || length > left)
            throw header.damaged("a cell of " + length + " bytes", 4);
        if (length > allowance) throw header.damaged("cells of more bytes than the flat footer", 4);
        allowance -= length;
        Bytes bytes = file.get(origin, length);
        if (bytes.crc(4, length - 4) != bytes.word(0)) throw bytes.damaged("a wrong checksum of a cell", 0);
        cell = new FlatCell(bytes, place, tail);
        known.put(place, cell);
        return cell;
    }

    /** The cell at a place of the payload, which must be the one that is wanted. */
    FlatCell cell(int place, int kind, int number, int hint) throws IOException, NotSliced {
        FlatCell cell = load(place, hint);
        if (cell.kind != kind || cell.number != number)
            throw cell.damaged("a cell of kind " + cell.kind + ", number " + cell.number, 8);
        return cell;
    }

    /** Part {@code part} of a leaf's COLUMN cells; the first one holds {@link FlatTail#cellLeaves} leaves. */
    FlatCell column(int place, int number, int part) throws IOException, NotSliced {
        FlatCell cell = cell(place, Wire.KIND_COLUMN, number, hint());
        if (cell.part != Math.min(part, 0xFFFF)) throw cell.damaged("part " + cell.part, 10);
        return cell;
    }

    /** The COLUMN or NODE cell that a name's entry leads to. */
    FlatCell named(int place) throws IOException, NotSliced {
        FlatCell cell = load(place, hint());
        boolean isNode = cell.kind == Wire.KIND_NODE;
        if (!isNode && (cell.kind != Wire.KIND_COLUMN || cell.part != 0))
            throw cell.damaged("a cell of kind " + cell.kind, 8);
        if (cell.number < 0 || cell.number >= (isNode ? tail.nodes : tail.columnCells))
            throw cell.damaged("a cell of number " + cell.number, 12);
        if (!isNode) columns.put(cell.number, place);
        return cell;
    }

    /** Return the offset of the first part of a COLUMN cell. */
    int columnPlace(int number) throws IOException, NotSliced {
        Integer place = columns.get(number);
        return place == null ? placeOf(number) : place;
    }

    // ---- the directory: places of all cells, by their numbers in it

    int nodeEntry(int node) {
        return tail.columnCells + node;
    }

    int rowGroupsEntry(int part) {
        return tail.columnCells + tail.nodes + part;
    }

    int keyValueEntry(int index) {
        return rowGroupsEntry(tail.rowGroupCells) + index;
    }

    int rootEntry() {
        return keyValueEntry(tail.keyValues);
    }

    private int directoryPage(int entry) {
        return tail.directory + Wire.FLAT_PAGE_BYTES * (entry / DIRECTORY_ENTRIES);
    }

    /** Have the directory's page of an entry read in the next round. */
    void wantPlaceOf(int entry) {
        want(directoryPage(entry), Wire.FLAT_PAGE_BYTES);
    }

    int placeOf(int entry) throws IOException, NotSliced {
        FlatCell page = page(directoryPage(entry), Wire.KIND_DIRECTORY, entry / DIRECTORY_ENTRIES, DIRECTORY_ENTRIES);
        if (entry % DIRECTORY_ENTRIES >= page.part) throw page.damaged("a directory without an entry", 10);
        return page.count(Wire.FLAT_CELL_HEADER_BYTES + 4 * (entry % DIRECTORY_ENTRIES));
    }

    /** A DIRECTORY or BUCKET cell; its part is how many entries it has. */
    FlatCell page(int place, int kind, int number, int most) throws IOException, NotSliced {
        FlatCell page = cell(place, kind, number, Wire.FLAT_PAGE_BYTES);
        if (page.size != Wire.FLAT_PAGE_BYTES || page.part > most) throw page.damaged("a broken page", 4);
        return page;
    }
}
