package dev.parquetext.footer;

/**
 * Detects column indexes that cannot be right: by these, readers would skip pages that contain rows.
 *
 * <p>It cannot be right if its lists have different lengths, or another one than the chunk has pages; if a page's nulls
 * contradict its number of values, the schema, or the chunk's null count; if a bound is no value of the type or a NaN;
 * or if bounds are inverted, in another order than the index declares, or outside of the chunk's bounds. This is the
 * rule of {@code footer/column_index.py}, which reads have, but for NaN: there the other bounds count.
 */
final class ColumnIndexRule {
    private final LeafType type;
    private final boolean isRequired, isRepeated;

    ColumnIndexRule(Element leaf, boolean isRepeated) throws NotSliced {
        type = LeafType.read(leaf.thrift);
        isRequired = leaf.maxDefinition == 0;
        this.isRepeated = isRepeated;
    }

    /**
     * @param pageRows rows of each page; null if they are not known
     */
    boolean isContradicted(ColumnIndex index, Chunk chunk, long[] pageRows) {
        int pages = index.nullPages.length;
        if (index.minima.length != pages || index.maxima.length != pages) return true;
        if (index.nullCounts != null && index.nullCounts.length != pages) return true;
        if (pageRows != null && pageRows.length != pages) return true;
        if (index.boundaryOrder < ColumnIndex.UNORDERED || index.boundaryOrder > ColumnIndex.DESCENDING) return true;
        // Writers count the nulls of lists in different ways, and a row of lists has any number of values.
        if (!isRepeated && (haveWrongNulls(index, pageRows) || isWrongTotal(index, chunk, pageRows))) return true;
        return type.hasOrder() && (haveWrongBounds(index) || haveWrongOrder(index) || areOutside(index, chunk));
    }

    private boolean haveWrongNulls(ColumnIndex index, long[] pageRows) {
        for (int page = 0; page < index.nullPages.length; page++) {
            boolean isNull = index.nullPages[page];
            long size = pageRows == null ? -1 : pageRows[page];
            long nulls = index.nullCounts == null ? 0 : index.nullCounts[page];
            if (isRequired && size != 0 && (isNull || nulls != 0)) return true;
            if (index.nullCounts == null || nulls == 0 && size == 0) continue;
            if (nulls < 0 || size >= 0 && nulls > size) return true;
            if (isNull ? nulls == 0 || nulls < size : nulls == size) return true;
        }
        return false;
    }

    /** Compare the pages' nulls with those of the chunk; a null count that exceeds the values says nothing. */
    private boolean isWrongTotal(ColumnIndex index, Chunk chunk, long[] pageRows) {
        if (!chunk.has(Chunk.NULL_COUNT) || chunk.nullCount < 0 || chunk.nullCount > chunk.numValues) return false;
        long sum = 0, inNullPages = 0;
        boolean areAllNull = true;
        for (int page = 0; page < index.nullPages.length; page++) {
            if (index.nullCounts != null) sum = Midpoint.sum(sum, index.nullCounts[page]);
            if (index.nullPages[page]) inNullPages = Midpoint.sum(inNullPages, pageRows == null ? 1 : pageRows[page]);
            else areAllNull = false;
        }
        if (index.nullCounts != null) return sum != chunk.nullCount;
        return inNullPages > chunk.nullCount
                || pageRows == null && !areAllNull && chunk.numValues > 0 && chunk.nullCount == chunk.numValues;
    }

    private boolean haveWrongBounds(ColumnIndex index) {
        for (int page = 0; page < index.nullPages.length; page++) {
            if (index.nullPages[page]) continue;
            byte[] min = index.minima[page], max = index.maxima[page];
            if (!type.isValue(min) || !type.isValue(max) || type.isNan(min) || type.isNan(max)) return true;
            if (type.isAbove(min, max)) return true;
        }
        return false;
    }

    private boolean haveWrongOrder(ColumnIndex index) {
        if (index.boundaryOrder == ColumnIndex.UNORDERED) return false;
        boolean isAscending = index.boundaryOrder == ColumnIndex.ASCENDING;
        int last = -1;
        for (int page = 0; page < index.nullPages.length; page++) {
            if (index.nullPages[page]) continue;
            int low = isAscending ? last : page, high = isAscending ? page : last;
            if (last >= 0
                    && (type.isAbove(index.minima[low], index.minima[high])
                            || type.isAbove(index.maxima[low], index.maxima[high]))) return true;
            last = page;
        }
        return false;
    }

    /**
     * Return true if a page's bounds and the chunk's are disjoint, or no page has a bound of the chunk that is
     * a value: bounds of numbers are values if the footer does not deny it, those of byte arrays may be shortened.
     */
    private boolean areOutside(ColumnIndex index, Chunk chunk) {
        boolean hasPages = false, areAllAbove = chunk.min != null, areAllBelow = chunk.max != null;
        for (int page = 0; page < index.nullPages.length; page++) {
            if (index.nullPages[page]) continue;
            hasPages = true;
            byte[] min = index.minima[page], max = index.maxima[page];
            if (chunk.max != null && type.isAbove(min, chunk.max)) return true;
            if (chunk.min != null && type.isAbove(chunk.min, max)) return true;
            areAllAbove = areAllAbove && type.isAbove(min, chunk.min);
            areAllBelow = areAllBelow && type.isAbove(chunk.max, max);
        }
        if (!hasPages) return false;
        return areAllAbove && isValueOfChunk(chunk, Chunk.MIN_EXACT_PRESENT, Chunk.MIN_EXACT)
                || areAllBelow && isValueOfChunk(chunk, Chunk.MAX_EXACT_PRESENT, Chunk.MAX_EXACT);
    }

    private boolean isValueOfChunk(Chunk chunk, int isSaid, int isExact) {
        return chunk.has(isSaid) ? chunk.has(isExact) : !type.isByteArray();
    }
}
