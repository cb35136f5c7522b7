package dev.parquetext.footer;

/** The block that a file is best opened by. */
final class Located {
    final Form form;
    final long footer;
    final long thriftLength;
    final long payload;
    final int length;

    /**
     * @param form of the block
     * @param footer the offset of the Thrift footer in the file; of PAR3 that of the payload
     * @param thriftLength bytes of the Thrift footer that belong to its struct, or, if the block is within it, that are
     *     before the payload; 0 of PAR3, which has none
     * @param payload the offset of the payload in the file
     * @param length of the payload, in bytes
     */
    Located(Form form, long footer, long thriftLength, long payload, int length) {
        this.form = form;
        this.footer = footer;
        this.thriftLength = thriftLength;
        this.payload = payload;
        this.length = length;
    }

    /** How much a slice may be at most: of a sound file it is far less. */
    long proportion() {
        return 4 * (length + thriftLength) + (1 << 20);
    }
}
