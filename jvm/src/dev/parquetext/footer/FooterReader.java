package dev.parquetext.footer;

import java.io.IOException;
import java.util.List;

/** A footer, opened by one of its forms. Parts of a slice are read on request. */
interface FooterReader {
    FormTail tail();

    /** Read the bytes that are needed to find these top-level names, and the first leaf, in one round. */
    void fetchNames(List<byte[]> names) throws IOException, NotSliced;

    /**
     * Read the bytes that are needed for a slice with the elements of these names and the first leaf.
     *
     * @return for each name, the top-level elements with that name, usually one
     */
    List<List<Element>> fetchColumns(List<byte[]> names) throws IOException, NotSliced;

    Element leaf(int number) throws IOException, NotSliced;

    Element node(int number) throws IOException, NotSliced;

    /** Read the missing bytes of these leaves, in ascending order. */
    void fetchLeaves(int[] leaves) throws IOException, NotSliced;

    RowGroup rowGroup(int index) throws IOException, NotSliced;

    /** A leaf's chunks in all row groups. */
    Chunk[] chunks(Element leaf) throws IOException, NotSliced;

    /** Read the bytes of these key-values and of created_by. */
    void fetchTexts(KeyValueChoice wanted) throws IOException, NotSliced;

    /** The key-values of these keys, as Thrift structs. */
    List<byte[]> keyValues(KeyValueChoice wanted) throws IOException, NotSliced;

    /** Null if the footer lacks it. */
    Bytes createdBy() throws IOException, NotSliced;
}
