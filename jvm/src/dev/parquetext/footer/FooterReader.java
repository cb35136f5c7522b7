package dev.parquetext.footer;

import java.io.IOException;
import java.util.List;

/** A footer, opened by its flat or index form: what a slice is made of, read when it is asked for. */
interface FooterReader {
    int leafCount();

    int nodeCount();

    int rowGroupCount();

    int version();

    boolean hasColumnOrders();

    /** Reads what finding these top-level names, and the first leaf, takes, in one round. */
    void fetchNames(List<byte[]> names) throws IOException, NotSliced;

    /**
     * Reads what a slice of the elements of these names, and of the first leaf, takes.
     *
     * @return for each name the top-level elements that have it, mostly one
     */
    List<List<Element>> fetchColumns(List<byte[]> names) throws IOException, NotSliced;

    Element leaf(int number) throws IOException, NotSliced;

    Element node(int number) throws IOException, NotSliced;

    /** Reads what these leaves, ascending, take of what is not here yet. */
    void fetchLeaves(int[] leaves) throws IOException, NotSliced;

    RowGroup rowGroup(int index) throws IOException, NotSliced;

    /** A leaf's chunks in all row groups. */
    Chunk[] chunks(Element leaf) throws IOException, NotSliced;

    /** Reads what these key-values take, and who wrote the file. */
    void fetchTexts(KeyValueChoice wanted) throws IOException, NotSliced;

    /** The key-values of these keys, as Thrift structs. */
    List<byte[]> keyValues(KeyValueChoice wanted) throws IOException, NotSliced;

    /** Null where the footer does not say. */
    Bytes createdBy() throws IOException, NotSliced;
}
