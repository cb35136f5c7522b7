package dev.parquetext.footer;

import java.io.IOException;

/** The texts of a tile's structs (docs/formats.md, 15.5). */
final class PackedWords {
    private static final int LONG = Wire.WORDS_LONG, HOT = Wire.WORDS_HOT;

    private final PackedTile tile;
    private final PackedBook.Role[] roles;
    private final Allowance allowance;
    private final long limit; // of the texts of a column
    private final Bytes[][] texts; // by role and row; null: no text, or one of no bytes
    private final boolean hasRoles;
    private boolean[] isAlias; // by role
    private PackedContent words, rests;
    private int[] ends, restEnds; // begin of the first column's block, and the ends of all blocks

    PackedWords(PackedTile tile, Allowance allowance, long limit) {
        this.tile = tile;
        this.allowance = allowance;
        this.limit = limit;
        roles = tile.book.roles;
        texts = new Bytes[roles.length][];
        boolean any = false;
        for (PackedBook.Role role : roles) any |= role.area == Wire.ROLE_WORDS;
        hasRoles = any;
    }

    /** Read the begins of the texts, once. */
    void read() throws IOException, NotSliced {
        if (words != null) return;
        PackedContent content = tile.open(Wire.ROLE_WORDS);
        isAlias = new boolean[roles.length];
        for (int role = 0; role < roles.length; role++) {
            if (roles[role].area != Wire.ROLE_WORDS) continue;
            int flag = content.u8();
            if (flag > (roles[role].predictor == Wire.PREDICTOR_SAME ? 1 : 0)) throw content.damaged("a flag of " + flag);
            isAlias[role] = flag != 0;
        }
        if (hasRoles) ends = readEnds(content);
        tile.close(content);
        words = content;
    }

    /** Read the rests of the long texts, once. */
    void readRests() throws IOException, NotSliced {
        if (rests != null) return;
        PackedContent content = tile.open(PackedTile.RESTS);
        if (hasRoles) restEnds = readEnds(content);
        tile.close(content);
        rests = content;
    }

    private int[] readEnds(PackedContent content) throws NotSliced {
        PackedTable table = new PackedTable(content, tile.columns, 1);
        int[] found = new int[tile.columns + 1];
        long[] length = new long[1];
        for (int i = 0; i < tile.columns; i++) {
            found[i] = content.at();
            table.column(i, length);
            content.take(length[0]);
        }
        found[tile.columns] = content.at();
        return found;
    }

    /** Decode the texts of the column whose templates the tile looks at. */
    void decode(int column) throws IOException, NotSliced {
        read();
        int count = 0;
        for (int role = 0; role < roles.length; role++) {
            if (roles[role].area != Wire.ROLE_WORDS) continue;
            texts[role] = new Bytes[tile.rows];
            for (int row = 0; row < tile.rows && !isAlias[role]; row++) if (tile.has(role, row)) count++;
        }
        if (count == 0) return;
        allowance.take(count);
        decodeBlock(column, count);
        for (int role = 0; role < roles.length; role++) {
            if (!isAlias[role]) continue;
            int first = roles[role].first;
            for (int row = 0; row < tile.rows; row++) if (tile.has(first, row)) texts[role][row] = texts[first][row];
        }
    }

    private void decodeBlock(int column, int count) throws IOException, NotSliced {
        PackedContent block = new PackedContent(words.bytes, ends[column], ends[column + 1]);
        long prefixSize = block.varint();
        int prefix = block.bytes.begin + block.take(prefixSize);
        long[] lengths = new long[count];
        new PackedTable(block, 1, count).column(0, lengths);
        long hot = 0, cold = 0;
        for (long length : lengths) {
            if (length < 0 || length > limit) throw block.damaged("a text of " + length + " bytes");
            hot += length > LONG ? HOT : length;
            cold += length > LONG ? length - HOT : 0;
        }
        long all = hot + cold + count * prefixSize;
        if (all > limit) throw block.damaged("texts of " + all + " bytes");
        allowance.take(2 * all);
        byte[] begins = decodeText(block, (int) hot), rest = new byte[0];
        if (cold > 0) {
            readRests();
            rest = decodeText(new PackedContent(rests.bytes, restEnds[column], restEnds[column + 1]), (int) cold);
        }
        join(block.bytes, prefix, (int) prefixSize, lengths, begins, rest, new byte[(int) all]);
    }

    private void join(Bytes from, int prefix, int prefixSize, long[] lengths, byte[] hot, byte[] cold, byte[] out) {
        int at = 0, hotAt = 0, coldAt = 0, number = 0;
        for (int role = 0; role < roles.length; role++) {
            if (roles[role].area != Wire.ROLE_WORDS || isAlias[role]) continue;
            for (int row = 0; row < tile.rows; row++) {
                if (!tile.has(role, row)) continue;
                int size = (int) lengths[number++], here = size > LONG ? HOT : size;
                texts[role][row] = new Bytes(out, at, prefixSize + size, from.origin);
                System.arraycopy(from.data, prefix, out, at, prefixSize);
                System.arraycopy(hot, hotAt, out, at + prefixSize, here);
                System.arraycopy(cold, coldAt, out, at + prefixSize + here, size - here);
                at += prefixSize + size;
                hotAt += here;
                coldAt += size - here;
            }
        }
    }

    private static byte[] decodeText(PackedContent content, int size) throws NotSliced {
        int form = content.u8();
        Bytes bytes = content.bytes;
        switch (form) {
            case Wire.WORDS_RAW:
                if (content.left() != size) throw content.damaged("a text of " + size + " bytes");
                return bytes.copy(content.take(size), size);
            case Wire.WORDS_ALPHABET:
                return decodeAlphabet(content, size);
            case Wire.WORDS_ZSTD:
                int length = content.left();
                return ZstdFrame.decompress(bytes.part(content.take(length), length), size);
            default:
                throw content.damaged("a text of form " + form);
        }
    }

    private static byte[] decodeAlphabet(PackedContent content, int size) throws NotSliced {
        byte[] data = content.bytes.data, out = new byte[size];
        int count = content.u8(), symbols = content.bytes.begin + content.take(count);
        int width = count > 1 ? 32 - Integer.numberOfLeadingZeros(count - 1) : 0;
        int from = content.bytes.begin + content.take(PackedBits.bytes(size, width)), have = 0, waiting = 0;
        if (size > 0 && count == 0) throw content.damaged("texts without symbols");
        for (int i = 0; i < size; i++) {
            for (; have < width; have += 8) waiting |= (data[from++] & 0xFF) << have;
            int symbol = waiting & (1 << width) - 1;
            if (symbol >= count) throw content.damaged("symbol " + symbol + " of " + count);
            out[i] = data[symbols + symbol];
            waiting >>>= width;
            have -= width;
        }
        return out;
    }

    /** Write the text of a role, after its length if {@code isBinary}. */
    void put(int role, int row, boolean isBinary, ThriftOut out) throws NotSliced {
        Bytes text = texts[role][row];
        if (text == null) {
            if (isBinary) out.put(0);
        } else if (isBinary) {
            out.binary(text.data, text.begin, text.size);
        } else {
            out.put(text);
        }
    }
}
