package dev.parquetext.footer;

/** A row group's fields; all except {@code numRows} are -1 if they are absent. */
final class RowGroup {
    final long numRows;
    final long fileOffset;
    final long totalCompressedSize;
    final int ordinal;

    RowGroup(long numRows, long fileOffset, long totalCompressedSize, int ordinal) {
        this.numRows = numRows;
        this.fileOffset = fileOffset;
        this.totalCompressedSize = totalCompressedSize;
        this.ordinal = ordinal;
    }
}
