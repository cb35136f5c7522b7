package dev.parquetext.footer;

/**
 * Omits impossible statistics from a slice, because readers would skip row groups with matching rows by them.
 *
 * <p>Statistics are impossible if a bound is not a value of the type, if the minimum is above the maximum, or if the
 * null count is below 0, above the number of values, above 0 in a required column, or equal to the number of values
 * although there are bounds. All statistics of the chunk are then omitted, and the offset of its column index, which
 * the same writer made. NaN bounds are kept, because parquet-java ignores them.
 *
 * <p>A flat footer has no impossible bounds, because its writer omits them. If its statistics lack a bound of a chunk
 * that has values, the column index is therefore omitted, too.
 */
final class StatisticsRule {
    private final LeafType type;
    private final boolean isRequired;

    private StatisticsRule(Element leaf) throws NotSliced {
        type = LeafType.read(leaf.thrift);
        isRequired = leaf.maxDefinition == 0;
    }

    static void apply(Element leaf, Chunk[] chunks) throws NotSliced {
        StatisticsRule rule = new StatisticsRule(leaf);
        for (Chunk chunk : chunks) {
            if (!chunk.has(Chunk.STATISTICS)) continue;
            if (rule.isImpossible(chunk)) remove(chunk);
            else if (chunk.thrift == null && lacksBound(chunk)) chunk.has &= ~Chunk.COLUMN_INDEX;
        }
    }

    private static boolean lacksBound(Chunk chunk) {
        boolean isAllNull = chunk.has(Chunk.NULL_COUNT) && chunk.nullCount == chunk.numValues;
        return !isAllNull && (chunk.min == null || chunk.max == null);
    }

    private boolean isImpossible(Chunk chunk) {
        return !isNullCount(chunk)
                || areNoBounds(chunk.min, chunk.max, true)
                || areNoBounds(chunk.deprecatedMin, chunk.deprecatedMax, type.hasDeprecatedOrder());
    }

    private boolean isNullCount(Chunk chunk) {
        if (!chunk.has(Chunk.NULL_COUNT) || chunk.nullCount == 0) return true;
        boolean isBounded =
                chunk.min != null || chunk.max != null || chunk.deprecatedMin != null || chunk.deprecatedMax != null;
        long most = isRequired ? 0 : isBounded ? chunk.numValues - 1 : chunk.numValues;
        return chunk.nullCount > 0 && chunk.nullCount <= most;
    }

    private boolean areNoBounds(byte[] min, byte[] max, boolean isOrdered) {
        if (min != null && !type.isValue(min) || max != null && !type.isValue(max)) return true;
        return isOrdered && min != null && max != null && type.isAbove(min, max);
    }

    private static void remove(Chunk chunk) throws NotSliced {
        if (chunk.thrift == null) {
            chunk.has &= ~(Chunk.STATISTICS | Chunk.COLUMN_INDEX);
        } else {
            chunk.thrift = ChunkCut.withoutStatistics(chunk.thrift);
            IndexChunks.readChunk(chunk);
        }
    }
}
