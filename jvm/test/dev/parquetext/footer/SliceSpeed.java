package dev.parquetext.footer;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;

/**
 * The CPU time that a slice takes, reads included, at first and once Java is warm: arguments are a file, gap, rounds,
 * and names of columns.
 */
public final class SliceSpeed {
    private SliceSpeed() {}

    public static void main(String[] arguments) throws Exception {
        List<String> all = List.of(arguments);
        Projection projection = new Projection(all.subList(3, all.size()), false, 1);
        int rounds = Integer.parseInt(arguments[2]);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        List<Long> times = new ArrayList<>();
        Slice slice = null;
        try (LocalSource file = new LocalSource(arguments[0], Integer.parseInt(arguments[1]))) {
            for (int i = 0; i < rounds; i++) {
                long begin = clock.getCurrentThreadCpuTime();
                slice = Slicer.slice(file, projection);
                times.add(clock.getCurrentThreadCpuTime() - begin);
            }
            List<Long> warm = new ArrayList<>(times.subList(rounds / 2, rounds));
            warm.sort(null);
            System.out.printf(
                    "first %,d ns, warm median %,d ns, least %,d ns; %d reads in %d rounds of %,d bytes; %,d bytes%n",
                    times.get(0),
                    warm.get(warm.size() / 2),
                    warm.get(0),
                    slice.reads,
                    file.rounds / rounds,
                    slice.bytesRead,
                    slice.footer.length);
        }
    }
}
