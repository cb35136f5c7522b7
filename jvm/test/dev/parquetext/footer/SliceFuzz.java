package dev.parquetext.footer;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;

/**
 * Slices of files that were changed at random: arguments are a seed, how many changes of each kind, and files. A change
 * gives the slice of the unchanged file or none; one whose checksums were made right again, any slice or none. Prints
 * what went otherwise.
 */
public final class SliceFuzz {
    private static final int MOST_NAMES = 20, MOST_SEARCHED = 64 << 10;

    private final Random random;
    private final byte[] sound;
    private final String name;
    private final List<Projection> projections = new ArrayList<>();
    private final List<byte[]> expected = new ArrayList<>();
    private final Located located;
    private int sliced, not;

    private SliceFuzz(Path path, Random random) throws IOException, NotSliced {
        this.random = random;
        name = path.getFileName().toString();
        sound = Files.readAllBytes(path);
        located = Locator.locate(new FileBytes(source(sound)));
        List<String> names = names();
        for (String name : names) projections.add(new Projection(List.of(name), random.nextBoolean(), 1));
        projections.add(new Projection(names, false, 1));
        projections.add(new Projection(List.of(), true, 1));
        for (Projection projection : projections) expected.add(Slicer.slice(source(sound), projection).footer);
        expected.add(Slicer.schemaOnly(source(sound)).footer);
    }

    private List<String> names() throws IOException, NotSliced {
        FileBytes file = new FileBytes(source(sound));
        Located here = Locator.locate(file);
        FooterReader reader = Form.open(file, here);
        List<String> names = new ArrayList<>();
        for (Element element : new Columns(file, here, reader).all())
            if (element.parent == 0 && !element.isNode)
                names.add(new String(element.path, StandardCharsets.UTF_8));
        return names.size() <= MOST_NAMES ? names : names.subList(0, MOST_NAMES);
    }

    private static ByteSource source(byte[] data) {
        return new ByteSource() {
            @Override
            public long length() {
                return data.length;
            }

            @Override
            public byte[] read(long offset, int length) throws IOException {
                if (offset < 0 || length < 0 || offset > data.length - length) throw new EOFException();
                return Arrays.copyOfRange(data, (int) offset, (int) offset + length);
            }
        };
    }

    /** Asks for all slices of a changed file. */
    private void check(byte[] data, String change, boolean isResigned, boolean isThriftChanged) {
        for (int i = 0; i < expected.size(); i++) {
            boolean isSchema = i == projections.size();
            try {
                ByteSource file = source(data);
                byte[] found = (isSchema ? Slicer.schemaOnly(file) : Slicer.slice(file, projections.get(i))).footer;
                sliced++;
                if (isResigned || isSchema && isThriftChanged || Arrays.equals(found, expected.get(i))) continue;
                System.out.println(name + ", slice " + i + ": another slice after " + change);
            } catch (NotSliced why) {
                not++;
            } catch (IOException | RuntimeException | Error wrong) {
                System.out.println(name + ", slice " + i + ": " + wrong + " after " + change);
                StackTraceElement[] trace = wrong.getStackTrace();
                for (int at = 0; at < Math.min(4, trace.length); at++) System.out.println("    " + trace[at]);
            }
        }
    }

    private boolean isInThrift(long begin, long end) {
        return begin < located.footer + located.thriftLength && end > located.footer;
    }

    private void flipEach(int step) {
        for (int at = random.nextInt(step); at < sound.length; at += step) {
            byte[] data = sound.clone();
            data[at] ^= (byte) (1 << random.nextInt(8));
            check(data, "a flip at " + at, false, isInThrift(at, at + 1));
        }
    }

    private void truncate(int count) {
        for (int i = 0; i < count; i++) {
            int size = random.nextInt(sound.length);
            check(Arrays.copyOf(sound, size), "a cut at " + size, false, false);
        }
    }

    private void splice(int count) {
        for (int i = 0; i < count; i++) {
            byte[] data = sound.clone();
            int length = 1 + random.nextInt(Math.min(200, sound.length / 2));
            int from = random.nextInt(sound.length - length), to = random.nextInt(sound.length - length);
            System.arraycopy(sound, from, data, to, length);
            check(data, length + " bytes of " + from + " put at " + to, false, isInThrift(to, to + length));
        }
    }

    // ---- changes under right checksums

    private static int word(byte[] data, int at) {
        return data[at] & 0xFF | (data[at + 1] & 0xFF) << 8 | (data[at + 2] & 0xFF) << 16 | data[at + 3] << 24;
    }

    private static void sign(byte[] data, int[] range) {
        CRC32 crc = new CRC32();
        crc.update(data, range[0], range[1] - range[0]);
        int value = (int) crc.getValue();
        if (range.length > 3) {
            int begin = range[0] - Wire.PACKED_CRC_BYTES;
            value = PackedFile.crc(new Bytes(data, begin, range[1] - begin, 0), range[3]);
        }
        for (int i = 0; i < 4; i++) data[range[2] + i] = (byte) (value >> 8 * i);
    }

    private static void signAround(byte[] data, int at, List<int[]> ranges) {
        for (int[] range : ranges) if (at >= range[0] && at < range[1]) sign(data, range);
    }

    /** Cells of a packed footer, with the begins of their checksums. */
    private void addCells(List<int[]> ranges) throws IOException, NotSliced {
        FileBytes bytes = new FileBytes(source(sound));
        PackedTail tail = PackedTail.open(bytes, located);
        PackedFile file = new PackedFile(bytes, tail, new Allowance(located));
        for (int kind = Wire.CELLS_BOOKS; kind <= Wire.CELLS_SLOTS; kind++) {
            for (int number = 0; number < tail.area(kind).cells && kind != Wire.CELLS_NAMES; number++) {
                int[] cell = file.range(kind, number);
                int begin = (int) located.payload + cell[0], content = begin + Wire.PACKED_CRC_BYTES;
                if (cell[1] - cell[0] > Wire.PACKED_CRC_BYTES)
                    ranges.add(new int[] {
                        content, (int) located.payload + cell[1], begin, PackedFile.start(kind, number)
                    });
            }
        }
    }

    /**
     * Ranges under a checksum before them: begin, end, offset of the checksum, and what this begins with if it is not
     * 0; the tail block last.
     */
    private List<int[]> signed() throws IOException, NotSliced {
        List<int[]> ranges = new ArrayList<>();
        if (located.form == Form.PACKED) addCells(ranges);
        int begin = (int) located.payload, end = begin + located.length;
        for (int at = Math.max(begin, end - MOST_SEARCHED); at < end - 16; at++) {
            CRC32 crc = new CRC32();
            for (int to = at + 4; to < Math.min(end, at + 4096); to++) {
                crc.update(sound[to]);
                if ((int) crc.getValue() == word(sound, at)) ranges.add(new int[] {at + 4, to + 1, at});
            }
        }
        ranges.add(new int[] {end - word(sound, end - 8), end - 4, end - 4});
        return ranges;
    }

    /** Ranges of the Thrift footer under one checksum of an index: its offset, then begin and end of each range. */
    private List<int[]> signedThrift() throws IOException, NotSliced {
        List<int[]> all = new ArrayList<>();
        if (located.form != Form.INDEX) return all;
        FileBytes bytes = new FileBytes(source(sound));
        IndexTail tail = IndexTail.open(bytes, located);
        IndexFile file = new IndexFile(bytes, located, tail);
        for (int node = 0; node < tail.nodes; node++) addElement(all, IndexEntry.of(file, SchemaEntry.NODE_BIT | node));
        for (int leaf = 0; leaf < tail.leaves; leaf++) {
            IndexEntry entry = IndexEntry.of(file, leaf);
            addElement(all, entry);
            IndexFile.Range[] ranges = new IndexChunks(file, entry).ranges(0);
            all.add(thriftOf((int) entry.cell.origin + tail.schemaBytes, ranges));
        }
        return all;
    }

    private void addElement(List<int[]> all, IndexEntry entry) {
        all.add(thriftOf((int) entry.cell.origin + 4, entry.range));
    }

    private int[] thriftOf(int crcAt, IndexFile.Range... ranges) {
        int[] of = new int[1 + 2 * ranges.length];
        of[0] = crcAt;
        for (int i = 0; i < ranges.length; i++) {
            of[1 + 2 * i] = (int) (located.footer + ranges[i].offset);
            of[2 + 2 * i] = of[1 + 2 * i] + ranges[i].length;
        }
        return of;
    }

    private static void signThrift(byte[] data, int[] ranges) {
        CRC32 crc = new CRC32();
        for (int i = 1; i < ranges.length; i += 2) crc.update(data, ranges[i], ranges[i + 1] - ranges[i]);
        for (int i = 0; i < 4; i++) data[ranges[0] + i] = (byte) (crc.getValue() >> 8 * i);
    }

    /** A random byte: mostly one at the edge of the range of numbers. */
    private byte anyByte() {
        int[] edges = {0, 1, 127, 128, 255};
        return (byte) (random.nextBoolean() ? edges[random.nextInt(edges.length)] : random.nextInt(256));
    }

    private void resignThrift(int count, List<int[]> thrift, List<int[]> cells) {
        for (int i = 0; i < count && !thrift.isEmpty(); i++) {
            byte[] data = sound.clone();
            int[] ranges = thrift.get(random.nextInt(thrift.size()));
            int which = ranges.length < 3 ? 0 : 1 + 2 * random.nextInt(ranges.length / 2);
            if (which == 0) continue;
            int at = ranges[which] + random.nextInt(ranges[which + 1] - ranges[which]);
            data[at] = anyByte();
            signThrift(data, ranges);
            signAround(data, ranges[0], cells);
            check(data, "a signed Thrift change at " + at, true, true);
        }
    }

    private void resign(int count, List<int[]> ranges) {
        for (int i = 0; i < count; i++) {
            byte[] data = sound.clone();
            StringBuilder change = new StringBuilder("signed changes at");
            for (int more = 1 + random.nextInt(3); more > 0; more--) {
                int[] range = ranges.get(random.nextInt(ranges.size()));
                int at = range[0] + random.nextInt(range[1] - range[0]);
                data[at] = anyByte();
                change.append(' ').append(at);
                signAround(data, at, ranges);
            }
            check(data, change.toString(), true, true);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Random random = new Random(Long.parseLong(arguments[0]));
        int count = Integer.parseInt(arguments[1]), sliced = 0, not = 0;
        for (String path : Arrays.asList(arguments).subList(2, arguments.length)) {
            SliceFuzz fuzz = new SliceFuzz(Path.of(path), random);
            fuzz.flipEach(Math.max(1, fuzz.sound.length / count));
            fuzz.truncate(count / 4);
            fuzz.splice(count);
            List<int[]> ranges = fuzz.signed();
            fuzz.resign(2 * count, ranges);
            fuzz.resignThrift(2 * count, fuzz.signedThrift(), ranges);
            sliced += fuzz.sliced;
            not += fuzz.not;
        }
        System.out.println("done: " + sliced + " slices, " + not + " none");
    }
}
