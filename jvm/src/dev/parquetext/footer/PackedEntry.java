package dev.parquetext.footer;

/** A leaf or node of a packed footer (docs/formats.md, 15.1). */
final class PackedEntry extends SchemaEntry {
    private static final int LEVEL = 256;

    /** The element of a number in the run of its cell. */
    PackedEntry(int id, PackedRun run, PackedTail tail) throws NotSliced {
        super(id);
        int at = number % Wire.PACKED_ELEMENTS_PER_CELL;
        long elements = (long) tail.leaves + tail.nodes;
        readElement(run.struct(at));
        parent = below(run.facts[0][at], !isNode ? tail.nodes : Math.max(number, 1));
        index = below(run.facts[1][at], elements);
        below(run.facts[2][at], elements);
        columnOrder = below(run.facts[3][at], LEVEL);
        maxDefinition = below(run.facts[4][at], LEVEL);
        below(run.facts[5][at], LEVEL);
        firstLeaf = isNode ? below(run.facts[6][at], tail.leaves + 1L) : number;
        leafCount = isNode ? below(run.facts[7][at], tail.leaves - firstLeaf + 1L) : 1;
    }

    private int below(long value, long limit) throws NotSliced {
        if (value < 0 || value >= limit) throw thrift.damaged("a number of " + value, 0);
        return (int) value;
    }
}
