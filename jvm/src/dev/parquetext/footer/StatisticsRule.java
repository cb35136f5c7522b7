package dev.parquetext.footer;

/**
 * Leaves statistics out of a slice if they cannot be right: readers would skip row groups that have rows by them.
 *
 * <p>Statistics cannot be right if a bound is no value of the type, if the minimum is above the maximum, or if the null
 * count is below 0, above the number of values, above 0 in a required column, or the number of values beside bounds.
 * All statistics of the chunk are then left out, and so is the place of its column index, which the same writer made. A
 * NaN is no reason, because parquet-java ignores bounds that are NaN.
 *
 * <p>A flat footer has no bounds that cannot be right, because its writer leaves them out. If its statistics lack a
 * bound of a chunk that has values, the column index is therefore left out, too.
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
