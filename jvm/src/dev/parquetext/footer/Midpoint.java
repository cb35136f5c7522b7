package dev.parquetext.footer;

import java.util.List;

/**
 * The midpoint that decides which split of a file reads a row group of a slice: in parquet-java the begin of the first
 * chunk + total_compressed_size / 2, in some releases file_offset + total_compressed_size / 2 (docs/formats.md, 9.4).
 */
final class Midpoint {
    final long size;
    final long fileOffset;

    /**
     * @param size total_compressed_size of the row group
     * @param fileOffset -1 if there is none
     */
    Midpoint(long size, long fileOffset) {
        this.size = size;
        this.fileOffset = fileOffset;
    }

    /** Of row group {@code index} of these columns' chunks. */
    static Midpoint of(List<Chunk[]> columns, int index, long fileOffset) {
        long size = 0, end = Long.MIN_VALUE;
        for (Chunk[] column : columns) {
            Chunk chunk = column[index];
            long chunkSize = Math.max(0, chunk.totalCompressedSize);
            size = sum(size, chunkSize);
            if (chunk.has(Chunk.DATA_PAGE)) end = Math.max(end, sum(begin(chunk), chunkSize));
        }
        if (columns.isEmpty() || !columns.get(0)[index].has(Chunk.DATA_PAGE)) return new Midpoint(size, fileOffset);
        Chunk first = columns.get(0)[index];
        long begin = begin(first);
        if (sum(begin, size / 2) >= end) size = Math.max(0, first.totalCompressedSize);
        if (fileOffset != -1 && sum(fileOffset, size / 2) >= end) return new Midpoint(size, begin);
        return new Midpoint(size, fileOffset);
    }

    /** The offset of the chunk's first page. */
    static long begin(Chunk chunk) {
        if (!chunk.has(Chunk.DICTIONARY)) return chunk.dataPageOffset;
        return Math.min(chunk.dictionaryPageOffset, chunk.dataPageOffset);
    }

    /** The sum, or the end of the range that it leaves. */
    static long sum(long a, long b) {
        long sum = a + b;
        if (((a ^ sum) & (b ^ sum)) >= 0) return sum;
        return b > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
}
