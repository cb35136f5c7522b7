package dev.parquetext.spark.scan;

import dev.parquetext.footer.NotSliced;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the first file that is read without a slice, for each reason. */
final class FallBacks {
    private static final Logger LOG = LoggerFactory.getLogger(FallBacks.class);
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();
    private static final Set<NotSliced.Reason> EXPECTED = EnumSet.of(
            NotSliced.Reason.NO_BLOCK, NotSliced.Reason.TOO_MANY_COLUMNS, NotSliced.Reason.ENCRYPTED);

    private FallBacks() {}

    /** Return true if an intact file may be read without a slice: it was never upgraded, or a slice would not help. */
    static boolean isExpected(Throwable reason) {
        if (!(reason instanceof NotSliced)) return false;
        return EXPECTED.contains(((NotSliced) reason).reason());
    }

    static void tell(Path file, Throwable reason) {
        boolean known = reason instanceof NotSliced;
        if (!TOLD.add(known ? ((NotSliced) reason).reason().name() : reason.getClass().getName())) return;
        String message = "{} is read by its whole footer ({}); this is not logged again for further files";
        if (isExpected(reason)) LOG.info(message, file, reason.getMessage());
        else if (known) LOG.warn(message, file, reason.getMessage());
        else LOG.warn(message, file, reason.getMessage(), reason);
    }
}
