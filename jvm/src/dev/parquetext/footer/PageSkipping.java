package dev.parquetext.footer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The pages that a reader may skip: by the page indexes of some columns, in one split of the file. */
public final class PageSkipping {
    /** A reader that skips no pages. */
    public static final PageSkipping NONE = new PageSkipping(Collections.emptyList(), 0, 0);

    public final List<String> columns;
    public final long begin;
    public final long end;

    /**
     * @param columns names of the top-level columns that the reader filters by; others than those of the file do no harm
     * @param begin the split's first byte
     * @param end the first byte after the split
     */
    public PageSkipping(List<String> columns, long begin, long end) {
        this.columns = Collections.unmodifiableList(new ArrayList<>(columns));
        this.begin = begin;
        this.end = end;
    }
}
