package dev.parquetext.footer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Finds the top-level columns of a projection. */
final class Columns {
    private final FileBytes file;
    private final Located located;
    private final FooterReader reader;

    Columns(FileBytes file, Located located, FooterReader reader) {
        this.file = file;
        this.located = located;
        this.reader = reader;
    }

    /**
     * Return the elements with one of the names; none if the file lacks them all. If case does not count, those
     * that differ from a name by case alone are among them: Spark reports such a name as ambiguous.
     */
    List<Element> find(Projection projection) throws IOException, NotSliced {
        List<byte[]> names = new ArrayList<>();
        for (String name : new LinkedHashSet<>(projection.names)) names.add(name.getBytes(StandardCharsets.UTF_8));
        boolean exact = projection.caseSensitive || names.isEmpty();
        if (!exact && located.thriftLength > 0) ThriftSchema.want(file, located, elementCount());
        reader.fetchNames(names);
        List<List<Element>> found = reader.fetchColumns(names);
        List<Element> columns = new ArrayList<>();
        for (List<Element> elements : found) columns.addAll(elements);
        boolean isComplete = found.stream().noneMatch(List::isEmpty);
        if (isComplete && (exact || isLargeAlone())) return columns;
        List<byte[]> others = checkedOthers(names, found, projection.caseSensitive);
        if (!others.isEmpty()) columns.addAll(findAll(others));
        return columns;
    }

    /** Return true if all names select all of a large PAR3 footer, which Spark can read by a slice only. */
    private boolean isLargeAlone() {
        return located.thriftLength == 0 && !file.has(located.payload, located.length);
    }

    private int elementCount() {
        return reader.tail().leaves + reader.tail().nodes;
    }

    /** Return the file's names that differ from wanted ones by case alone; it is damage if one was not found. */
    private List<byte[]> checkedOthers(List<byte[]> names, List<List<Element>> found, boolean caseSensitive)
            throws IOException, NotSliced {
        Map<String, List<byte[]>> wanted = new HashMap<>();
        Set<Integer> hashes = new HashSet<>();
        List<byte[]> others = new ArrayList<>(), missing = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            wanted.computeIfAbsent(lower(names.get(i)), key -> new ArrayList<>()).add(names.get(i));
            hashes.add(lower(names.get(i)).hashCode());
            if (found.get(i).isEmpty()) missing.add(names.get(i));
        }
        for (Bytes each : topLevelNames()) {
            if (!hashes.contains(hashOfLower(each))) continue;
            byte[] name = each.copy(0, each.size);
            if (contains(missing, name)) throw lost();
            List<byte[]> exact = caseSensitive ? null : wanted.get(lower(name));
            if (exact == null || contains(exact, name)) continue;
            exact.add(name);
            others.add(name);
        }
        return others;
    }

    private List<Element> findAll(List<byte[]> names) throws IOException, NotSliced {
        List<Element> columns = new ArrayList<>();
        reader.fetchNames(names);
        for (List<Element> elements : reader.fetchColumns(names)) {
            if (elements.isEmpty()) throw lost();
            columns.addAll(elements);
        }
        return columns;
    }

    private NotSliced lost() {
        return NotSliced.damaged("a name that no hash leads to", located.payload);
    }

    private static boolean contains(List<byte[]> names, byte[] name) {
        return names.stream().anyMatch(other -> Arrays.equals(other, name));
    }

    private static String lower(byte[] name) {
        return new String(name, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
    }

    /** Return {@code lower(name).hashCode()} without a string for ASCII names: wide files have many. */
    private static int hashOfLower(Bytes name) throws NotSliced {
        int hash = 0;
        for (int i = 0; i < name.size; i++) {
            int letter = name.u8(i);
            if (letter > 127) return lower(name.copy(0, name.size)).hashCode();
            hash = 31 * hash + (letter >= 'A' && letter <= 'Z' ? letter + 'a' - 'A' : letter);
        }
        return hash;
    }

    private List<Bytes> topLevelNames() throws IOException, NotSliced {
        if (located.thriftLength > 0) return ThriftSchema.read(file, located, elementCount()).topLevel;
        List<Bytes> names = new ArrayList<>();
        for (Element element : all())
            if (element.parent == 0 && !element.isRoot())
                names.add(new Bytes(element.path, 0, element.path.length, located.payload));
        return names;
    }

    /** All elements, in preorder. */
    List<Element> all() throws IOException, NotSliced {
        List<Element> elements = new ArrayList<>();
        reader.fetchLeaves(IntStream.range(0, reader.tail().leaves).toArray());
        for (int i = 0; i < reader.tail().nodes; i++) elements.add(reader.node(i));
        for (int i = 0; i < reader.tail().leaves; i++) elements.add(reader.leaf(i));
        return elements;
    }
}
