package dev.parquetext.footer;

/** The counts that the tail block of each form begins with, and facts of the footer. */
abstract class FormTail {
    final int leaves, nodes, rowGroups, keyValues;
    final int version;
    final boolean hasCreatedBy, hasColumnOrders;

    FormTail(Bytes block, int version, int flags) throws NotSliced {
        leaves = block.count(0);
        nodes = block.count(4);
        rowGroups = block.count(8);
        keyValues = block.count(12);
        this.version = version;
        hasCreatedBy = (flags & 1) != 0;
        hasColumnOrders = (flags & 4) != 0;
    }
}
