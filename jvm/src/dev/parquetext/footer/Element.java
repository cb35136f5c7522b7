package dev.parquetext.footer;

/** A schema element: a leaf, or a node, which has others below it. */
final class Element {
    final boolean isNode;
    /** Leaf or node. */
    final int number;
    /** In preorder. */
    final int index;
    /** Node; 0 for the root too. */
    final int parent;
    final int firstLeaf, leafCount, columnOrder;
    /** The definition level of values that are not null; 0 if neither the element nor a group above can be null. */
    final int maxDefinition;
    /** The SchemaElement. */
    final byte[] thrift;
    /** Names from below the root, NUL between them. */
    byte[] path;
    /** Of the slice. */
    int children;
    /** The form's data about the element. */
    final Object source;

    Element(
            boolean isNode,
            int number,
            int index,
            int parent,
            int firstLeaf,
            int leafCount,
            int columnOrder,
            int maxDefinition,
            byte[] thrift,
            byte[] path,
            Object source) {
        this.isNode = isNode;
        this.number = number;
        this.index = index;
        this.parent = parent;
        this.firstLeaf = firstLeaf;
        this.leafCount = leafCount;
        this.columnOrder = columnOrder;
        this.maxDefinition = maxDefinition;
        this.thrift = thrift;
        this.path = path;
        this.source = source;
    }

    /** Return true if the leaves of another element are among those below this one. */
    boolean holds(Element other) {
        return other.firstLeaf >= firstLeaf && other.firstLeaf + other.leafCount <= firstLeaf + leafCount;
    }

    boolean isRoot() {
        return isNode && number == 0;
    }
}
