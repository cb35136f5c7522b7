package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The schema at the begin of a Thrift footer, which has no checksum: for names without a hash, as readers without a
 * flat footer read it.
 */
final class ThriftSchema {
    private static final int OF_ELEMENT = 48; // bytes, mostly more than it takes
    private static final int LEAST = 4096;

    final Bytes list;
    final List<Bytes> topLevel;

    /**
     * @param list the list of elements, header and all
     * @param topLevel names of the root's children
     */
    ThriftSchema(Bytes list, List<Bytes> topLevel) {
        this.list = list;
        this.topLevel = topLevel;
    }

    private static int guess(Located located, int elements) {
        return (int) Math.min(located.thriftLength, LEAST + (long) OF_ELEMENT * elements);
    }

    /** Has the schema read in the next round, as much of it as it mostly takes. */
    static void want(FileBytes file, Located located, int elements) {
        file.want(located.footer, guess(located, elements));
    }

    /** Reads the schema, of {@code elements} elements. */
    static ThriftSchema read(FileBytes file, Located located, int elements) throws IOException, NotSliced {
        int size = guess(located, elements);
        while (true) {
            Bytes bytes = file.get(located.footer, size);
            try {
                return parse(bytes, elements);
            } catch (NotSliced broken) {
                if (size == located.thriftLength) throw broken;
            }
            size = (int) Math.min(Math.min(located.thriftLength, 2L * size), Integer.MAX_VALUE);
        }
    }

    private static ThriftSchema parse(Bytes bytes, int elements) throws NotSliced {
        ThriftIn in = new ThriftIn(bytes, 0);
        for (int last = 0; in.field(last); last = in.id) {
            if (in.id != Wire.THRIFT_FILE_META_DATA_SCHEMA || in.type != Wire.TYPE_LIST) {
                in.skip();
                continue;
            }
            int begin = in.at, count = in.list();
            if (count != elements || in.itemType != Wire.TYPE_STRUCT)
                throw bytes.damaged("a schema of " + count + " elements, not " + elements, begin);
            List<Bytes> names = names(in, count);
            return new ThriftSchema(bytes.part(begin, in.at - begin), names);
        }
        throw bytes.damaged("a footer without a schema", 0);
    }

    private static List<Bytes> names(ThriftIn in, int count) throws NotSliced {
        List<Bytes> names = new ArrayList<>();
        long below = 0; // elements that are still to come below a top-level one
        for (int i = 0; i < count; i++) {
            Bytes name = in.bytes.part(0, 0);
            int children = 0;
            for (int last = 0; in.field(last); last = in.id) {
                if (in.id == Wire.THRIFT_SCHEMA_ELEMENT_NAME && in.type == Wire.TYPE_BINARY) name = in.binary();
                else if (in.id == Wire.THRIFT_SCHEMA_ELEMENT_NUM_CHILDREN && in.type == Wire.TYPE_I32)
                    children = in.i32();
                else in.skip();
            }
            if (i > 0 && below == 0) names.add(name);
            if (i > 0) below += Math.max(0, children) - (below > 0 ? 1 : 0);
        }
        return names;
    }
}
