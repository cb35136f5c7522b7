package dev.parquetext.footer;

/** Removes fields from a ColumnChunk's Thrift bytes; the other fields are copied as they are. */
final class ChunkCut {
    private static final int MORE = 16; // bytes that the headers after removed fields may need more

    private final Bytes chunk;
    private final ThriftIn in;
    private final ThriftOut out;
    private final boolean keepsStatistics;
    private int copied; // bytes of the chunk that are copied or removed

    private ChunkCut(Bytes chunk, boolean keepsStatistics) {
        this.chunk = chunk;
        this.keepsStatistics = keepsStatistics;
        in = new ThriftIn(chunk, 0);
        out = new ThriftOut(2L * chunk.size + MORE);
    }

    /** Return the chunk without its statistics and the place of its column index. */
    static Bytes withoutStatistics(Bytes chunk) throws NotSliced {
        return new ChunkCut(chunk, false).cut();
    }

    /** Return the chunk without the place of its column index. */
    static Bytes withoutColumnIndex(Bytes chunk) throws NotSliced {
        return new ChunkCut(chunk, true).cut();
    }

    private Bytes cut() throws NotSliced {
        copyStruct(false);
        copy(chunk.size);
        byte[] left = out.toBytes();
        return new Bytes(left, 0, left.length, chunk.origin);
    }

    private void copy(int end) throws NotSliced {
        out.put(chunk.part(copied, end - copied));
        copied = end;
    }

    /** Copy a ColumnChunk, or the ColumnMetaData in it. */
    private void copyStruct(boolean isMetadata) throws NotSliced {
        int kept = 0; // the last field that was copied
        boolean isNewHeader = false;
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (isRemoved(isMetadata, in.id)) {
                copy(in.header);
                in.skip();
                copied = in.at;
                isNewHeader = true;
                continue;
            }
            if (isNewHeader) {
                out.header(kept, in.id, in.type);
                copied = in.at;
                isNewHeader = false;
            }
            kept = in.id;
            if (!isMetadata && in.id == Wire.THRIFT_COLUMN_CHUNK_META_DATA && in.type == Wire.TYPE_STRUCT)
                copyStruct(true);
            else in.skip();
        }
    }

    private boolean isRemoved(boolean isMetadata, int id) {
        if (isMetadata) return !keepsStatistics && id == Wire.THRIFT_COLUMN_META_DATA_STATISTICS;
        return id == Wire.THRIFT_COLUMN_CHUNK_COLUMN_INDEX_OFFSET || id == Wire.THRIFT_COLUMN_CHUNK_COLUMN_INDEX_LENGTH;
    }
}
