package dev.parquetext.footer;

import java.io.IOException;

/** The forms of footers from which slices are made: the name, the UUID of the block, and the reader. */
enum Form {
    FLAT("flat", Wire.UUID_FLAT_FOOTER, FlatReader::new),
    INDEX("index", Wire.UUID_FOOTER_INDEX, IndexReader::new),
    PACKED("packed", Wire.UUID_PACKED_FOOTER, PackedReader::new),
    /** A flat footer in place of the Thrift footer, without a block. */
    PAR3("par3", "", FlatReader::new);

    /** Opens a footer. */
    private interface Opener {
        FooterReader open(FileBytes file, Located located) throws IOException, NotSliced;
    }

    final String title;
    final byte[] uuid;
    private final Opener opener;

    Form(String title, String hex, Opener opener) {
        this.title = title;
        this.opener = opener;
        uuid = bytes(hex);
    }

    /** The bytes of an even number of hexadecimal digits. */
    static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++)
            bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }

    /** Return the form whose blocks have a UUID; null if there is none. */
    static Form of(Bytes uuid) {
        for (Form form : values()) if (uuid.holds(form.uuid)) return form;
        return null;
    }

    /** Open the located footer. */
    static FooterReader open(FileBytes file, Located located) throws IOException, NotSliced {
        return located.form.opener.open(file, located);
    }
}
