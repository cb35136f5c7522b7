package dev.parquetext.footer;

import java.io.IOException;

/** The structs of some columns and rows, whose values are decoded column by column (docs/formats.md, 15.4). */
final class PackedTile {
    private static final int PLACED = Wire.ROLE_PLACED, BOUND = Wire.ROLE_BOUND;
    private static final int NO_ROLE = PackedBook.NO_ROLE;

    /** Gives the contents of a tile's parts, each of which is read once: those of the areas of roles, and {@link #RESTS}. */
    interface Parts {
        PackedContent open(int part) throws IOException, NotSliced;

        /** Ends the reading of a part. */
        void close(PackedContent content) throws NotSliced;
    }

    /** The part with the rests of long texts. */
    static final int RESTS = Wire.ROLE_WORDS + 1;

    final PackedBook book;
    final int columns, rows;
    private final Parts parts;
    private final Allowance allowance;
    private final PackedTable[] tables; // by role
    private final long[][] values; // of the column, by role and row
    private final PackedWords words;
    private final long[][] positions; // by chain and row: where the next column's bytes are expected
    private final PackedTable[] firsts; // by chain
    private boolean hasBounds;
    private boolean[] moving; // roles that move the chains, and those that they are predicted from
    private byte[] templates;
    private int templatesAt, templatesForm;
    private int next; // the column that the positions are of

    // Of the decoded column:
    private int column;
    private PackedBook.Template only; // of all rows; null if they have several
    private boolean[] has; // roles

    PackedTile(PackedBook book, int columns, int rows, Parts parts, Allowance allowance, long limit)
            throws IOException, NotSliced {
        this.book = book;
        this.columns = columns;
        this.rows = rows;
        this.parts = parts;
        this.allowance = allowance;
        allowance.take((long) book.chains.length * rows);
        tables = new PackedTable[book.roles.length];
        values = new long[book.roles.length][];
        firsts = new PackedTable[book.chains.length];
        positions = new long[book.chains.length][rows];
        words = new PackedWords(this, allowance, limit);
        PackedContent content = parts.open(PLACED);
        readTemplates(content);
        for (int i = 0; i < firsts.length; i++) firsts[i] = new PackedTable(content, 1, rows);
        readTables(content, PLACED);
        parts.close(content);
        findMoving();
        begin();
    }

    private void readTemplates(PackedContent content) throws NotSliced {
        int[] counts = {1, columns, columns * rows};
        templatesForm = content.u8();
        if (templatesForm > Wire.TEMPLATES_BY_STRUCT) throw content.damaged("templates of form " + templatesForm);
        int count = counts[templatesForm], at = content.take(count);
        for (int i = 0; i < count; i++)
            if (content.bytes.u8(at + i) >= book.templates.length)
                throw content.damaged("template " + content.bytes.u8(at + i));
        templates = content.bytes.data;
        templatesAt = content.bytes.begin + at;
    }

    private void readTables(PackedContent content, int area) throws NotSliced {
        for (int role = 0; role < tables.length; role++)
            if (book.roles[role].area == area) tables[role] = new PackedTable(content, columns, rows);
    }

    void readBounds() throws IOException, NotSliced {
        if (hasBounds) return;
        PackedContent content = parts.open(BOUND);
        readTables(content, BOUND);
        parts.close(content);
        hasBounds = true;
    }

    /** Read the texts of all columns, which are otherwise read with the first column that has some. */
    void readWords() throws IOException, NotSliced {
        words.read();
        words.readRests();
    }

    PackedContent open(int part) throws IOException, NotSliced {
        return parts.open(part);
    }

    void close(PackedContent content) throws NotSliced {
        parts.close(content);
    }

    // ---- templates

    private PackedBook.Template template(int row) {
        return only != null ? only : book.templates[templateAt(row)];
    }

    private int templateAt(int row) {
        return templates[templatesAt + column * rows + row] & 0xFF;
    }

    private void lookAt(int number) {
        column = number;
        only = null;
        if (templatesForm != Wire.TEMPLATES_BY_STRUCT) {
            int at = templatesForm == Wire.TEMPLATES_ONE ? 0 : number;
            only = book.templates[templates[templatesAt + at] & 0xFF];
            has = only.has;
            return;
        }
        PackedBook.Template first = template(0);
        boolean isOne = true;
        for (int row = 1; row < rows && isOne; row++) isOne = template(row) == first;
        has = first.has;
        if (isOne) {
            only = first;
            return;
        }
        has = new boolean[book.roles.length];
        for (int row = 0; row < rows; row++) {
            boolean[] more = template(row).has;
            for (int role = 0; role < more.length; role++) has[role] |= more[role];
        }
    }

    /** Return true if the struct in a row of the decoded column has a value of a role. */
    boolean has(int role, int row) {
        return only != null ? has[role] : book.templates[templateAt(row)].has[role];
    }

    // ---- values

    private static boolean[] of(boolean[] set, int role) {
        if (role != NO_ROLE) set[role] = true;
        return set;
    }

    /** Find the roles that move the chains from which roles are predicted. */
    private void findMoving() {
        moving = new boolean[book.roles.length];
        boolean isAny = false;
        for (int role = 0; role < moving.length; role++) {
            PackedBook.Role each = book.roles[role];
            if (each.predictor != Wire.PREDICTOR_CHAINED || tables[role].isMarked) continue;
            addChain(each.first);
            isAny = true;
        }
        if (!isAny) moving = null;
        else while (addArguments());
    }

    private void addChain(int number) {
        PackedBook.Chain chain = book.chains[number];
        of(of(of(moving, chain.length), chain.first), chain.second);
    }

    private boolean addArguments() {
        int before = count(moving);
        for (int role = 0; role < moving.length; role++) {
            PackedBook.Role each = book.roles[role];
            if (!moving[role] || each.predictor == Wire.PREDICTOR_ALONE) continue;
            if (each.predictor == Wire.PREDICTOR_CHAINED) addChain(each.first);
            else of(moving, each.first);
            if (each.predictor == Wire.PREDICTOR_DIFFERENCE) of(moving, each.second);
        }
        return count(moving) > before;
    }

    private static int count(boolean[] set) {
        int count = 0;
        for (boolean one : set) count += one ? 1 : 0;
        return count;
    }

    private void begin() {
        for (int i = 0; i < firsts.length; i++) firsts[i].column(0, positions[i]);
        next = 0;
    }

    /** Decode the values of a column's structs. */
    void decode(int number) throws IOException, NotSliced {
        if (number < next) begin();
        if (moving == null) next = number;
        for (; next < number; next++) {
            lookAt(next);
            decode(moving, PLACED);
            advance();
        }
        lookAt(number);
        decode(null, PLACED);
        if (hasArea(BOUND)) {
            readBounds();
            decode(null, BOUND);
        }
        if (hasArea(Wire.ROLE_WORDS)) words.decode(number);
        advance();
        next = number + 1;
    }

    private boolean hasArea(int area) {
        for (int role = 0; role < has.length; role++) if (has[role] && book.roles[role].area == area) return true;
        return false;
    }

    /** Decode the wanted roles of an area that the column has; all of them if {@code wanted} is null. */
    private void decode(boolean[] wanted, int area) throws NotSliced {
        for (int role = 0; role < has.length; role++) {
            PackedBook.Role each = book.roles[role];
            if (!has[role] || each.area != area || wanted != null && !wanted[role]) continue;
            allowance.take(rows);
            if (values[role] == null) values[role] = new long[rows];
            tables[role].column(column, values[role]);
            if (each.predictor != Wire.PREDICTOR_ALONE && !tables[role].isMarked) addPredicted(role, each);
        }
    }

    private void addPredicted(int role, PackedBook.Role of) {
        if (of.predictor != Wire.PREDICTOR_CHAINED) {
            add(role, of.first, values[of.first], 1);
            if (of.predictor == Wire.PREDICTOR_DIFFERENCE) add(role, of.second, values[of.second], -1);
            return;
        }
        PackedBook.Chain chain = book.chains[of.first];
        long[] own = values[role], expected = positions[of.first], begins = values[chain.first];
        boolean isSecond = role == chain.second && has[chain.first];
        for (int row = 0; row < rows; row++)
            own[row] += isSecond && has(chain.first, row) ? begins[row] : expected[row];
    }

    /** Add the values of another role, as far as there are some, times {@code factor}. */
    private void add(int role, int other, long[] more, int factor) {
        long[] own = values[role];
        if (!has[other]) return;
        for (int row = 0; row < rows; row++) if (has(other, row)) own[row] += factor * more[row];
    }

    /** Move the chains past the column. */
    private void advance() {
        if (moving == null) return;
        for (int i = 0; i < positions.length; i++) {
            PackedBook.Chain chain = book.chains[i];
            if (!moving[chain.length] || !moving[chain.first] || chain.second != NO_ROLE && !moving[chain.second])
                continue;
            if (chain.second != NO_ROLE && has[chain.second]) advance(positions[i], chain.second, chain.length);
            if (has[chain.first]) advance(positions[i], chain.first, chain.length);
        }
    }

    /** Move a chain past the structs that have a value of {@code begin}. */
    private void advance(long[] position, int begin, int length) {
        long[] begins = values[begin], lengths = values[length];
        for (int row = 0; row < rows; row++) {
            if (!has(begin, row)) continue;
            position[row] = begins[row] + (has(length, row) ? lengths[row] : 0);
        }
    }

    // ---- structs

    /**
     * Write a struct of the decoded column.
     *
     * @return the offset at which a row group's list of columns is left out; -1 if it has none
     */
    int put(int row, byte[] path, ThriftOut out) throws NotSliced {
        PackedBook.Template template = template(row);
        int columnsAt = -1, begin = out.size();
        for (int i = 0; i < template.kinds.length; i++) {
            int kind = template.kinds[i], role = template.roles[i];
            if (kind == Wire.STEP_LITERAL) out.put(template.literals[i]);
            else if (kind == Wire.STEP_INTEGER) out.integer(values[role][row]);
            else if (kind == Wire.STEP_PATH) out.put(path, 0, path.length);
            else if (kind == Wire.STEP_COLUMNS) columnsAt = out.size();
            else if (kind >= Wire.STEP_LITTLE) putFixed(kind, template.sizes[i], values[role][row], out);
            else words.put(role, row, kind == Wire.STEP_TEXT, out);
        }
        allowance.take((long) out.size() - begin + template.kinds.length);
        return columnsAt;
    }

    private static void putFixed(int kind, int size, long number, ThriftOut out) throws NotSliced {
        int bits = 8 * size;
        boolean isReal = kind == Wire.STEP_FLOAT || kind == Wire.STEP_DOUBLE;
        if (isReal && (number >>> bits - 1 & 1) != 0) number ^= (1L << bits - 1) - 1;
        out.number(number, size, kind == Wire.STEP_BIG);
    }
}
