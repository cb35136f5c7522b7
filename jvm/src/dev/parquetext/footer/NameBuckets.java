package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The entries of hashes of names: those of BUCKET cells, or the list of a tail block (docs/formats.md, 3.3). */
final class NameBuckets {
    static final int ENTRIES = Wire.FLAT_BUCKET_ENTRIES;
    private static final int MOST_STEPS = 64;

    /** Gives the BUCKET cell of a number. */
    interface Pages {
        Bytes page(int bucket) throws IOException, NotSliced;
    }

    private final int count;
    private final Bytes listed;
    private final Pages pages;

    NameBuckets(int count, Bytes listed, Pages pages) {
        this.count = count;
        this.listed = listed;
        this.pages = pages;
    }

    private static long hash(byte[] name) {
        byte[] dotted = name.clone(); // '.' and NUL are one and the same
        for (int i = 0; i < dotted.length; i++) if (dotted[i] == 0) dotted[i] = '.';
        return XxHash64.hash(dotted);
    }

    private int home(long hash) {
        return (int) ((hash >>> 32) * count >>> 32);
    }

    /** Return the bucket in which a name's entries begin; -1 if the tail block lists them. */
    int home(byte[] name) {
        return count == 0 ? -1 : home(hash(name));
    }

    /** The second words of the entries that may be of a name. */
    List<Integer> find(byte[] name) throws IOException, NotSliced {
        long hash = hash(name);
        List<Integer> found = new ArrayList<>();
        if (count == 0) add(listed, 0, listed.size / 8, (int) hash, found);
        for (int step = 0; step < count; step++) {
            Bytes page = pages.page((int) ((home(hash) + (long) step) % count));
            int used = page.u16(10);
            add(page, Wire.FLAT_CELL_HEADER_BYTES, used, (int) hash, found);
            if (used < ENTRIES) break;
            if (step > MOST_STEPS) throw collision();
        }
        if (found.size() > MOST_STEPS) throw collision();
        return found;
    }

    private static NotSliced collision() {
        return new NotSliced(NotSliced.Reason.UNSUPPORTED, "names that were made to have one hash");
    }

    private static void add(Bytes entries, int at, int used, int tag, List<Integer> found) throws NotSliced {
        for (int i = 0; i < used; i++)
            if (entries.word(at + 8 * i) == tag) found.add(entries.word(at + 8 * i + 4));
    }
}
