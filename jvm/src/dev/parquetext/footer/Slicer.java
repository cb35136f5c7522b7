package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/** Slices of footers: the parts that a query needs. */
public final class Slicer {
    private static final int LEAST_OF_CHUNK = 32, SPARE = 65536; // bytes: of a chunk, in any form; of small files

    private final FileBytes file;
    private final Located located;
    private final FooterReader reader;

    private Slicer(ByteSource source) throws IOException, NotSliced {
        file = new FileBytes(source);
        located = Locator.locate(file);
        reader = Form.open(file, located);
    }

    /**
     * Return the footer of the wanted columns and of the first leaf: one column takes at most 4 ranged reads in 3 rounds
     * if ranges are merged as stores want it. Page indexes that the
     * reader uses, and that are not among these bytes, take one more round.
     *
     * <p>A reader that divides files by the positions of row groups (parquet-java: begin of the first chunk +
     * total_compressed_size / 2) finds each row group in the split that the whole footer gives: a file may change its
     * footer between two splits.
     *
     * @throws IOException the exceptions of {@code file}, no others
     * @throws NotSliced if the file must be read without a slice
     */
    public static Slice slice(ByteSource file, Projection projection) throws IOException, NotSliced {
        return slice(file, projection, KeyValueChoice.SCAN, true);
    }

    static Slice slice(ByteSource file, Projection projection, KeyValueChoice keyValues, boolean forScan)
            throws IOException, NotSliced {
        Slicer slicer = new Slicer(file);
        return slicer.made(slicer.project(projection, keyValues, forScan));
    }

    /** Return the slice for schema inference: all schema elements, no row groups, all key-values that Spark wants. */
    public static Slice schemaOnly(ByteSource file) throws IOException, NotSliced {
        Slicer slicer = new Slicer(file);
        return slicer.made(slicer.schema());
    }

    private Slice made(byte[] footer) {
        return new Slice(footer, located.form.title, file.bytesRead(), file.reads());
    }

    private byte[] project(Projection projection, KeyValueChoice keyValues, boolean forScan)
            throws IOException, NotSliced {
        double most = projection.mostShare * reader.tail().leaves;
        if (projection.names.size() > most) throw tooMany(projection.names.size());
        if (reader.tail().leaves == 0) throw new NotSliced(NotSliced.Reason.UNSUPPORTED, "a file without columns");
        checkSize(1);
        BitSet wanted = new BitSet();
        for (Element column : new Columns(file, located, reader).find(projection))
            wanted.set(column.firstLeaf, column.firstLeaf + column.leafCount);
        if (wanted.isEmpty()) wanted.set(0);
        if (wanted.cardinality() > most) throw tooMany(wanted.cardinality());
        if (forScan) wanted.set(0);
        checkSize(wanted.cardinality());
        int[] numbers = wanted.stream().toArray();
        reader.fetchLeaves(numbers);
        List<Element> leaves = new ArrayList<>();
        for (int number : numbers) leaves.add(reader.leaf(number));
        Tree tree = Tree.of(reader, leaves);
        RowGroup[] rowGroups = new RowGroup[reader.tail().rowGroups];
        for (int i = 0; i < rowGroups.length; i++) {
            rowGroups[i] = reader.rowGroup(i);
            if (forScan && rowGroups[i].totalCompressedSize == -1)
                throw new NotSliced(NotSliced.Reason.UNSUPPORTED, "row groups without total_compressed_size");
        }
        List<Chunk[]> chunks = new ArrayList<>();
        for (Element leaf : tree.leaves) {
            Chunk[] ofLeaf = reader.chunks(leaf);
            if (forScan) StatisticsRule.apply(leaf, ofLeaf);
            chunks.add(ofLeaf);
        }
        if (forScan) new PageIndexCheck(file, reader, projection.skipping).apply(tree.leaves, chunks, rowGroups);
        return new SliceWriter(located.proportion(), forScan)
                .write(
                        new SliceWriter.Parts(
                                reader.tail().version,
                                reader.tail().hasColumnOrders,
                                tree.elements,
                                tree.leaves,
                                rowGroups,
                                chunks,
                                reader.keyValues(keyValues),
                                reader.createdBy()));
    }

    private NotSliced tooMany(int leaves) {
        return new NotSliced(
                NotSliced.Reason.TOO_MANY_COLUMNS, leaves + " of " + reader.tail().leaves + " columns are wanted");
    }

    /** Tables that chunks share must not multiply memory. */
    private void checkSize(int leaves) throws NotSliced {
        long chunks = (long) leaves * reader.tail().rowGroups;
        if (chunks * LEAST_OF_CHUNK > located.length + located.thriftLength + SPARE)
            throw new NotSliced(NotSliced.Reason.UNSUPPORTED, chunks + " column chunks");
    }

    private byte[] schema() throws IOException, NotSliced {
        SliceWriter writer = new SliceWriter(located.proportion(), false);
        int elements = reader.tail().leaves + reader.tail().nodes;
        if (located.thriftLength > 0) ThriftSchema.want(file, located, elements);
        reader.fetchNames(Collections.emptyList());
        reader.fetchTexts(KeyValueChoice.INFERENCE);
        if (located.thriftLength > 0) {
            ThriftSchema schema = ThriftSchema.read(file, located, elements);
            return writer.writeSchema(
                    reader.tail().version, schema.list, reader.keyValues(KeyValueChoice.INFERENCE), reader.createdBy());
        }
        Tree tree = Tree.of(new Columns(file, located, reader).all());
        return writer.write(
                new SliceWriter.Parts(
                        reader.tail().version,
                        false,
                        tree.elements,
                        Collections.emptyList(),
                        new RowGroup[0],
                        Collections.emptyList(),
                        reader.keyValues(KeyValueChoice.INFERENCE),
                        reader.createdBy()));
    }
}
