package dev.parquetext.footer;

import java.util.List;

/** A slice's FileMetaData, in canonical compact Thrift: as the C library's {@code slice_write.c} makes it. */
final class SliceWriter {
    private final ThriftOut out;
    private final boolean forScan;

    /**
     * @param most bytes that the slice may have
     * @param forScan true for a slice that Spark scans: row groups keep their sizes and offsets in the file, which
     *     Spark uses to assign them to splits, and chunks that are built from fields include statistics and encoding
     *     stats, which readers use to skip row groups
     */
    SliceWriter(long most, boolean forScan) {
        out = new ThriftOut(most);
        this.forScan = forScan;
    }

    /** The parts of a slice: elements in preorder, the first one the root; chunks by leaf. */
    static final class Parts {
        final int version;
        final boolean hasColumnOrders;
        final List<Element> elements;
        final List<Element> leaves;
        final RowGroup[] rowGroups;
        final List<Chunk[]> chunks;
        final List<byte[]> keyValues;
        final Bytes createdBy;

        Parts(
                int version,
                boolean hasColumnOrders,
                List<Element> elements,
                List<Element> leaves,
                RowGroup[] rowGroups,
                List<Chunk[]> chunks,
                List<byte[]> keyValues,
                Bytes createdBy) {
            this.version = version;
            this.hasColumnOrders = hasColumnOrders;
            this.elements = elements;
            this.leaves = leaves;
            this.rowGroups = rowGroups;
            this.chunks = chunks;
            this.keyValues = keyValues;
            this.createdBy = createdBy;
        }
    }

    byte[] write(Parts parts) throws NotSliced {
        int outer = out.begin();
        long rows = 0;
        for (RowGroup group : parts.rowGroups) rows = Midpoint.sum(rows, group.numRows);
        out.integer(Wire.THRIFT_FILE_META_DATA_VERSION, Wire.TYPE_I32, parts.version);
        out.field(Wire.THRIFT_FILE_META_DATA_SCHEMA, Wire.TYPE_LIST);
        out.list(Wire.TYPE_STRUCT, parts.elements.size());
        for (Element element : parts.elements) putElement(element);
        out.integer(Wire.THRIFT_FILE_META_DATA_NUM_ROWS, Wire.TYPE_I64, rows);
        out.field(Wire.THRIFT_FILE_META_DATA_ROW_GROUPS, Wire.TYPE_LIST);
        out.list(Wire.TYPE_STRUCT, parts.rowGroups.length);
        for (int i = 0; i < parts.rowGroups.length; i++) putRowGroup(parts, i);
        putTexts(parts.keyValues, parts.createdBy);
        if (parts.hasColumnOrders) putColumnOrders(parts);
        out.end(outer);
        return out.toBytes();
    }

    /** A footer without row groups; {@code elements} is the schema's list, including its header. */
    byte[] writeSchema(int version, Bytes elements, List<byte[]> keyValues, Bytes createdBy) throws NotSliced {
        int outer = out.begin();
        out.integer(Wire.THRIFT_FILE_META_DATA_VERSION, Wire.TYPE_I32, version);
        out.field(Wire.THRIFT_FILE_META_DATA_SCHEMA, Wire.TYPE_LIST);
        out.put(elements);
        out.integer(Wire.THRIFT_FILE_META_DATA_NUM_ROWS, Wire.TYPE_I64, 0);
        out.field(Wire.THRIFT_FILE_META_DATA_ROW_GROUPS, Wire.TYPE_LIST);
        out.list(Wire.TYPE_STRUCT, 0);
        putTexts(keyValues, createdBy);
        out.end(outer);
        return out.toBytes();
    }

    private void putTexts(List<byte[]> keyValues, Bytes createdBy) throws NotSliced {
        if (!keyValues.isEmpty()) {
            out.field(Wire.THRIFT_FILE_META_DATA_KEY_VALUE_METADATA, Wire.TYPE_LIST);
            out.list(Wire.TYPE_STRUCT, keyValues.size());
            for (byte[] pair : keyValues) out.put(pair, 0, pair.length);
        }
        if (createdBy != null) {
            out.field(Wire.THRIFT_FILE_META_DATA_CREATED_BY, Wire.TYPE_BINARY);
            out.binary(createdBy.data, createdBy.begin, createdBy.size);
        }
    }

    /** One ColumnOrder union per leaf: an empty struct in its member, or nothing. */
    private void putColumnOrders(Parts parts) throws NotSliced {
        out.field(Wire.THRIFT_FILE_META_DATA_COLUMN_ORDERS, Wire.TYPE_LIST);
        out.list(Wire.TYPE_STRUCT, parts.leaves.size());
        for (Element leaf : parts.leaves) {
            int order = out.begin();
            if (leaf.columnOrder != 0) {
                out.field(leaf.columnOrder, Wire.TYPE_STRUCT);
                out.put(0);
            }
            out.end(order);
        }
    }

    /** The element's bytes with num_children renewed. */
    private void putElement(Element element) throws NotSliced {
        Bytes thrift = new Bytes(element.thrift, 0, element.thrift.length, 0);
        ThriftIn in = new ThriftIn(thrift, 0);
        int copied = 0;
        boolean renewed = false;
        for (int last = 0; in.field(last); last = in.id) {
            int value = in.at;
            in.skip();
            if (in.id != Wire.THRIFT_SCHEMA_ELEMENT_NUM_CHILDREN || in.type != Wire.TYPE_I32) continue;
            out.put(element.thrift, copied, value - copied);
            out.integer(element.children);
            copied = in.at;
            renewed = true;
        }
        if (in.at != thrift.size || element.children > 0 && !renewed)
            throw thrift.damaged("an incomplete schema element", in.at);
        out.put(element.thrift, copied, thrift.size - copied);
    }

    private void putRowGroup(Parts parts, int index) throws NotSliced {
        RowGroup group = parts.rowGroups[index];
        long bytes = 0;
        int outer = out.begin();
        out.field(Wire.THRIFT_ROW_GROUP_COLUMNS, Wire.TYPE_LIST);
        out.list(Wire.TYPE_STRUCT, parts.leaves.size());
        for (int i = 0; i < parts.leaves.size(); i++) {
            Chunk chunk = parts.chunks.get(i)[index];
            putChunk(chunk, parts.leaves.get(i).path);
            bytes = Midpoint.sum(bytes, Math.max(0, chunk.totalUncompressedSize));
        }
        Midpoint midpoint = forScan
                ? new Midpoint(group.totalCompressedSize, group.fileOffset)
                : Midpoint.of(parts.chunks, index, group.fileOffset);
        out.integer(Wire.THRIFT_ROW_GROUP_TOTAL_BYTE_SIZE, Wire.TYPE_I64, bytes);
        out.integer(Wire.THRIFT_ROW_GROUP_NUM_ROWS, Wire.TYPE_I64, group.numRows);
        if (midpoint.fileOffset != -1)
            out.integer(Wire.THRIFT_ROW_GROUP_FILE_OFFSET, Wire.TYPE_I64, midpoint.fileOffset);
        out.integer(Wire.THRIFT_ROW_GROUP_TOTAL_COMPRESSED_SIZE, Wire.TYPE_I64, midpoint.size);
        if (group.ordinal != -1) out.integer(Wire.THRIFT_ROW_GROUP_ORDINAL, Wire.TYPE_I16, group.ordinal);
        out.end(outer);
    }

    private void putChunk(Chunk chunk, byte[] path) throws NotSliced {
        if (chunk.thrift != null) {
            if (chunk.withoutPath < 0) out.put(chunk.thrift);
            else putWithPath(chunk, path);
            return;
        }
        int outer = out.begin();
        out.integer(Wire.THRIFT_COLUMN_CHUNK_FILE_OFFSET, Wire.TYPE_I64, 0);
        if (chunk.hasMetadata) {
            out.field(Wire.THRIFT_COLUMN_CHUNK_META_DATA, Wire.TYPE_STRUCT);
            putMetadata(chunk, path);
        }
        if (chunk.has(Chunk.OFFSET_INDEX)) {
            out.integer(Wire.THRIFT_COLUMN_CHUNK_OFFSET_INDEX_OFFSET, Wire.TYPE_I64, chunk.offsetIndexOffset);
            out.integer(Wire.THRIFT_COLUMN_CHUNK_OFFSET_INDEX_LENGTH, Wire.TYPE_I32, chunk.offsetIndexLength);
        }
        if (chunk.has(Chunk.COLUMN_INDEX)) {
            out.integer(Wire.THRIFT_COLUMN_CHUNK_COLUMN_INDEX_OFFSET, Wire.TYPE_I64, chunk.columnIndexOffset);
            out.integer(Wire.THRIFT_COLUMN_CHUNK_COLUMN_INDEX_LENGTH, Wire.TYPE_I32, chunk.columnIndexLength);
        }
        out.end(outer);
    }

    /** Write the chunk, and insert path_in_schema before the first field with a higher id. */
    private void putWithPath(Chunk chunk, byte[] path) throws NotSliced {
        ThriftIn in = new ThriftIn(chunk.thrift, chunk.withoutPath);
        int last = 0;
        boolean more;
        while ((more = in.field(last)) && in.id <= Wire.THRIFT_COLUMN_META_DATA_PATH_IN_SCHEMA) {
            last = in.id;
            in.skip();
        }
        out.put(chunk.thrift.part(0, in.header));
        out.header(last, Wire.THRIFT_COLUMN_META_DATA_PATH_IN_SCHEMA, Wire.TYPE_LIST);
        out.path(path);
        if (more) out.header(Wire.THRIFT_COLUMN_META_DATA_PATH_IN_SCHEMA, in.id, in.type);
        int rest = more ? in.at : in.header;
        out.put(chunk.thrift.part(rest, chunk.thrift.size - rest));
    }

    /** A ColumnMetaData of the facts that are there. */
    private void putMetadata(Chunk chunk, byte[] path) throws NotSliced {
        int outer = out.begin();
        if (chunk.has(Chunk.TYPE)) out.integer(Wire.THRIFT_COLUMN_META_DATA_TYPE, Wire.TYPE_I32, chunk.type);
        out.field(Wire.THRIFT_COLUMN_META_DATA_ENCODINGS, Wire.TYPE_LIST);
        out.list(Wire.TYPE_I32, Integer.bitCount(chunk.encodings));
        for (int i = 0; i < 32; i++) if ((chunk.encodings >> i & 1) != 0) out.integer(i);
        out.field(Wire.THRIFT_COLUMN_META_DATA_PATH_IN_SCHEMA, Wire.TYPE_LIST);
        out.path(path);
        if (chunk.has(Chunk.CODEC)) out.integer(Wire.THRIFT_COLUMN_META_DATA_CODEC, Wire.TYPE_I32, chunk.codec);
        out.integer(Wire.THRIFT_COLUMN_META_DATA_NUM_VALUES, Wire.TYPE_I64, chunk.numValues);
        if (chunk.has(Chunk.UNCOMPRESSED))
            out.integer(
                    Wire.THRIFT_COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE, Wire.TYPE_I64, chunk.totalUncompressedSize);
        if (chunk.has(Chunk.COMPRESSED))
            out.integer(Wire.THRIFT_COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE, Wire.TYPE_I64, chunk.totalCompressedSize);
        if (chunk.has(Chunk.DATA_PAGE))
            out.integer(Wire.THRIFT_COLUMN_META_DATA_DATA_PAGE_OFFSET, Wire.TYPE_I64, chunk.dataPageOffset);
        if (chunk.has(Chunk.INDEX_PAGE))
            out.integer(Wire.THRIFT_COLUMN_META_DATA_INDEX_PAGE_OFFSET, Wire.TYPE_I64, chunk.indexPageOffset);
        if (chunk.has(Chunk.DICTIONARY))
            out.integer(Wire.THRIFT_COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET, Wire.TYPE_I64, chunk.dictionaryPageOffset);
        if (forScan && chunk.has(Chunk.STATISTICS)) putStatistics(chunk);
        if (forScan && chunk.has(Chunk.ONLY_DICTIONARY)) putEncodingStats(chunk);
        if (chunk.has(Chunk.BLOOM_OFFSET))
            out.integer(Wire.THRIFT_COLUMN_META_DATA_BLOOM_FILTER_OFFSET, Wire.TYPE_I64, chunk.bloomOffset);
        if (chunk.has(Chunk.BLOOM_LENGTH))
            out.integer(Wire.THRIFT_COLUMN_META_DATA_BLOOM_FILTER_LENGTH, Wire.TYPE_I32, chunk.bloomLength);
        out.end(outer);
    }

    private void putStatistics(Chunk chunk) throws NotSliced {
        out.field(Wire.THRIFT_COLUMN_META_DATA_STATISTICS, Wire.TYPE_STRUCT);
        int outer = out.begin();
        if (chunk.has(Chunk.NULL_COUNT)) out.integer(Wire.THRIFT_STATISTICS_NULL_COUNT, Wire.TYPE_I64, chunk.nullCount);
        if (chunk.has(Chunk.DISTINCT_COUNT))
            out.integer(Wire.THRIFT_STATISTICS_DISTINCT_COUNT, Wire.TYPE_I64, chunk.distinctCount);
        if (chunk.max != null) out.binary(Wire.THRIFT_STATISTICS_MAX_VALUE, chunk.max);
        if (chunk.min != null) out.binary(Wire.THRIFT_STATISTICS_MIN_VALUE, chunk.min);
        if (chunk.max != null && chunk.has(Chunk.MAX_EXACT_PRESENT))
            out.bool(Wire.THRIFT_STATISTICS_IS_MAX_VALUE_EXACT, chunk.has(Chunk.MAX_EXACT));
        if (chunk.min != null && chunk.has(Chunk.MIN_EXACT_PRESENT))
            out.bool(Wire.THRIFT_STATISTICS_IS_MIN_VALUE_EXACT, chunk.has(Chunk.MIN_EXACT));
        out.end(outer);
    }

    /** Write encoding stats: all data pages are dictionary-encoded. Readers use them to skip row groups. */
    private void putEncodingStats(Chunk chunk) throws NotSliced {
        boolean isNew = (chunk.encodings >> Wire.ENCODING_RLE_DICTIONARY & 1) != 0;
        out.field(Wire.THRIFT_COLUMN_META_DATA_ENCODING_STATS, Wire.TYPE_LIST);
        out.list(Wire.TYPE_STRUCT, 2);
        putPages(Wire.PAGE_DICTIONARY_PAGE, isNew ? Wire.ENCODING_PLAIN : Wire.ENCODING_PLAIN_DICTIONARY);
        putPages(Wire.PAGE_DATA_PAGE, isNew ? Wire.ENCODING_RLE_DICTIONARY : Wire.ENCODING_PLAIN_DICTIONARY);
    }

    /** A PageEncodingStats; the number of pages is not used by readers. */
    private void putPages(int type, int encoding) throws NotSliced {
        int outer = out.begin();
        out.integer(Wire.THRIFT_PAGE_ENCODING_STATS_PAGE_TYPE, Wire.TYPE_I32, type);
        out.integer(Wire.THRIFT_PAGE_ENCODING_STATS_ENCODING, Wire.TYPE_I32, encoding);
        out.integer(Wire.THRIFT_PAGE_ENCODING_STATS_COUNT, Wire.TYPE_I32, 1);
        out.end(outer);
    }
}
