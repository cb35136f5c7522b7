package dev.parquetext.footer;

/** The reason for which a file is read without a slice. */
public final class NotSliced extends Exception {
    private static final long serialVersionUID = 1;

    public enum Reason {
        /** The file has no block of a known form, or is no Parquet file. */
        NO_BLOCK,
        /** Bytes of the block, or of the reference to it, violate the format. */
        DAMAGED,
        /** The footer, or a wanted column, is encrypted. */
        ENCRYPTED,
        /** More of the columns are wanted than {@link Projection#mostShare} says. */
        TOO_MANY_COLUMNS,
        /** A layout of a later version. */
        UNKNOWN_LAYOUT,
        /** A slice cannot express it, or it would take more memory or work than a footer should. */
        UNSUPPORTED
    }

    private final Reason reason;

    NotSliced(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    /** Damage at a byte of the file. */
    static NotSliced damaged(String what, long offset) {
        return new NotSliced(Reason.DAMAGED, what + " at byte " + offset);
    }

    public Reason reason() {
        return reason;
    }
}
