package dev.parquetext.footer;

/** A row group's own facts; all but {@code numRows} are -1 where they are absent. */
record RowGroup(long numRows, long fileOffset, long totalCompressedSize, int ordinal) {}
