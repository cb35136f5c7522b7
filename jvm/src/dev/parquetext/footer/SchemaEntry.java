package dev.parquetext.footer;

/** A leaf or node of a form that gives the Thrift bytes of its schema element. */
abstract class SchemaEntry {
    static final int NODE_BIT = 0x80000000; // of the numbers of nodes in names

    final boolean isNode;
    final int number;

    /** Of the element: in preorder; node above it; column order and level; leaves below it, or itself. */
    int index, parent, columnOrder, maxDefinition, firstLeaf, leafCount;
    /** The SchemaElement, and the name in it; null before it is read. */
    Bytes thrift, name;

    SchemaEntry(int id) {
        isNode = (id & NODE_BIT) != 0;
        number = id & ~NODE_BIT;
    }

    boolean isRoot() {
        return isNode && number == 0;
    }

    /** Read the SchemaElement, which must be a whole struct; its name is empty if there is none. */
    void readElement(Bytes element) throws NotSliced {
        ThriftIn in = new ThriftIn(element, 0);
        name = element.part(0, 0);
        for (int last = 0; in.field(last); last = in.id) {
            if (in.id == Wire.THRIFT_SCHEMA_ELEMENT_NAME && in.type == Wire.TYPE_BINARY) name = in.binary();
            else in.skip();
        }
        if (in.at != element.size) throw element.damaged("a schema element that is not exactly one struct", in.at);
        thrift = element;
    }

    boolean isTopLevel(byte[] wanted) {
        return parent == 0 && !isRoot() && name.holds(wanted);
    }
}
