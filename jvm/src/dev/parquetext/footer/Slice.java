package dev.parquetext.footer;

/**
 * A Thrift FileMetaData of the wanted columns alone: whole top-level columns, all row groups; offsets are the file's
 * own.
 */
public final class Slice {
    public final byte[] footer;
    public final String form;
    public final long bytesRead;
    public final int reads;

    /**
     * @param footer the struct, without the length and magic that follow it in a file
     * @param form the form it was made from: {@code flat}, {@code index}, {@code packed} or {@code par3}
     * @param bytesRead of the file
     * @param reads ranges of the file that were asked for
     */
    public Slice(byte[] footer, String form, long bytesRead, int reads) {
        this.footer = footer;
        this.form = form;
        this.bytesRead = bytesRead;
        this.reads = reads;
    }
}
