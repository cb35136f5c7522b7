package dev.parquetext.footer;

/**
 * The block that a file is best opened by.
 *
 * @param form {@code flat}, {@code index} or {@code par3}
 * @param footer where the Thrift footer begins in the file; of PAR3 the payload
 * @param thriftLength bytes of the Thrift footer that belong to its struct, or, where the block lies within, that are
 *     in front of the payload; 0 of PAR3, which has none
 * @param payload where the payload begins in the file
 * @param length of the payload, in bytes
 */
record Located(String form, long footer, long thriftLength, long payload, int length) {
    /** How much a slice may be at most: of a sound file it is far less. */
    long proportion() {
        return 4 * (length + thriftLength) + (1 << 20);
    }
}
