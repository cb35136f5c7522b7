package dev.parquetext.footer;

import java.util.List;

/**
 * The pages that a reader may skip: by the page indexes of some columns, in one split of the file.
 *
 * @param columns names of the top-level columns that the reader filters by; others than those of the file do no harm
 * @param begin the split's first byte
 * @param end the first byte behind the split
 */
public record PageSkipping(List<String> columns, long begin, long end) {
    /** A reader that skips no pages. */
    public static final PageSkipping NONE = new PageSkipping(List.of(), 0, 0);

    public PageSkipping {
        columns = List.copyOf(columns);
    }
}
