package dev.parquetext.footer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The columns that a query wants. */
public final class Projection {
    public final List<String> names;
    public final boolean caseSensitive;
    public final double mostShare;
    public final PageSkipping skipping;

    /**
     * @param names of top-level columns; empty for count(*): one leaf is kept. A name that the file lacks is passed over
     * @param caseSensitive true if {@code a} and {@code A} are two names; if false, all columns of a name are kept, and
     *     Spark itself reports ambiguous ones
     * @param mostShare of the file's leaves that a slice may have, from 0 to 1: above it the whole footer is cheaper
     * @param skipping the page indexes that the reader of the slice uses: those that cannot be right are left out
     */
    public Projection(List<String> names, boolean caseSensitive, double mostShare, PageSkipping skipping) {
        this.names = Collections.unmodifiableList(new ArrayList<>(names));
        this.caseSensitive = caseSensitive;
        this.mostShare = mostShare;
        this.skipping = skipping;
    }

    /** A projection for a reader that skips no pages. */
    public Projection(List<String> names, boolean caseSensitive, double mostShare) {
        this(names, caseSensitive, mostShare, PageSkipping.NONE);
    }
}
