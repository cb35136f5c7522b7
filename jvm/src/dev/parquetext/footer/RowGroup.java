package dev.parquetext.footer;

/** A row group's fields; all except {@code numRows} are -1 if they are absent. */
record RowGroup(long numRows, long fileOffset, long totalCompressedSize, int ordinal) {}
