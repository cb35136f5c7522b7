package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The ranges of a file that have been read, and those that the next round reads. */
final class FileBytes {
    private static final int MOST_AT_ONCE = 32 << 20;
    private static final long MOST_IN_ALL = 128L << 20;
    private static final int MOST_ALONG = 16 << 20; // bytes of a round; in larger rounds, ranges are merged only across small gaps
    private static final int SMALL_GAP = 32 << 10;
    private static final int STEPS_BACK = 4;

    private static final class Range {
        final long offset;
        final long end;

        Range(long offset, long end) {
            this.offset = offset;
            this.end = end;
        }
    }

    final long size;
    private final ByteSource source;
    private final TreeMap<Long, byte[]> held = new TreeMap<>();
    private final List<Range> wanted = new ArrayList<>();
    private long bytesRead;
    private int reads;

    FileBytes(ByteSource source) {
        this.source = source;
        this.size = source.length();
    }

    long bytesRead() {
        return bytesRead;
    }

    int reads() {
        return reads;
    }

    int firstRead() {
        return source.firstRead();
    }

    /** Return the largest gap, in bytes, that is cheaper to read than to skip with a separate read. */
    int gap() {
        return Math.max(0, source.gap());
    }

    /** Return the size, in bytes, up to which a block is read with one read. */
    int wholeAtMost() {
        return Math.max(64 << 10, Math.min(gap(), 256 << 10));
    }

    /** Store bytes of the file that were read elsewhere. */
    void hold(long offset, byte[] bytes) {
        held.put(offset, bytes);
    }

    boolean has(long offset, int length) {
        return find(offset, length) != null;
    }

    private Bytes find(long offset, int length) {
        Map.Entry<Long, byte[]> entry = held.floorEntry(offset);
        for (int step = 0; entry != null && step < STEPS_BACK; step++) {
            long at = offset - entry.getKey();
            if (at <= entry.getValue().length - length) return new Bytes(entry.getValue(), (int) at, length, offset);
            entry = held.lowerEntry(entry.getKey());
        }
        return null;
    }

    /** Return bytes [offset, offset + length) of the file, from memory if present; otherwise read them. */
    Bytes get(long offset, int length) throws IOException, NotSliced {
        check(offset, length);
        Bytes found = find(offset, length);
        if (found != null) return found;
        return new Bytes(read(Collections.singletonList(new Range(offset, offset + length)))[0], 0, length, offset);
    }

    private void check(long offset, int length) throws NotSliced {
        if (offset < 0 || length < 0 || offset > size || length > size - offset)
            throw NotSliced.damaged("a range of " + length + " bytes exceeds the file", offset);
    }

    /** Request bytes for the next round, except bytes beyond the file and bytes in memory. */
    void want(long offset, int length) {
        long begin = Math.max(0, offset), end = Math.min(size, offset + length);
        if (begin < end && !has(begin, (int) (end - begin))) wanted.add(new Range(begin, end));
    }

    /** Read the requested ranges, in one round. */
    void fetch() throws IOException, NotSliced {
        if (wanted.isEmpty()) return;
        wanted.sort(Comparator.comparingLong(range -> range.offset));
        List<Range> ranges = merged(gap());
        if (ranges.stream().mapToLong(range -> range.end - range.offset).sum() > MOST_ALONG)
            ranges = merged(Math.min(gap(), SMALL_GAP));
        wanted.clear();
        read(ranges);
    }

    /** Return the requested ranges; ranges that are at most {@code gap} apart are merged. */
    private List<Range> merged(int gap) {
        List<Range> ranges = new ArrayList<>();
        Range last = wanted.get(0);
        for (Range next : wanted.subList(1, wanted.size())) {
            long end = Math.max(last.end, next.end);
            if (next.offset - last.end <= gap && end - last.offset <= MOST_AT_ONCE) {
                last = new Range(last.offset, end);
            } else {
                ranges.add(last);
                last = next;
            }
        }
        ranges.add(last);
        return ranges;
    }

    private byte[][] read(List<Range> ranges) throws IOException, NotSliced {
        long[] offsets = new long[ranges.size()];
        int[] lengths = new int[ranges.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = ranges.get(i).offset;
            lengths[i] = (int) Math.min(MOST_AT_ONCE + 1L, ranges.get(i).end - offsets[i]);
            bytesRead += lengths[i];
            if (lengths[i] > MOST_AT_ONCE || bytesRead > MOST_IN_ALL)
                throw new NotSliced(NotSliced.Reason.UNSUPPORTED, "a slice that takes " + bytesRead + " bytes");
        }
        reads += offsets.length;
        byte[][] found =
                offsets.length == 1
                        ? new byte[][] {source.read(offsets[0], lengths[0])}
                        : source.readAll(offsets, lengths);
        for (int i = 0; i < offsets.length; i++) {
            if (found[i].length != lengths[i])
                throw new IOException(
                        "read " + found[i].length + " bytes at " + offsets[i] + ", not " + lengths[i]);
            held.merge(offsets[i], found[i], (old, anew) -> old.length >= anew.length ? old : anew);
        }
        return found;
    }
}
