package dev.parquetext.footer;

/** The roles, chains and templates of one kind of struct (docs/formats.md, 15.2). */
final class PackedBook {
    static final int NO_ROLE = Wire.PACKED_NO_ROLE;
    private static final int[] MOST_PREDICTOR = {
        Wire.PREDICTOR_CHAINED, Wire.PREDICTOR_DIFFERENCE, Wire.PREDICTOR_SAME
    }; // by area

    /** The values of one path of fields, and the values that they are predicted from. */
    static final class Role {
        final int area, predictor, first, second;

        Role(int area, int predictor, int first, int second) {
            this.area = area;
            this.predictor = predictor;
            this.first = first;
            this.second = second;
        }
    }

    /** Bytes of structs that follow each other in the file: the roles of their lengths and begins. */
    static final class Chain {
        final int length, first, second;

        Chain(int length, int first, int second) {
            this.length = length;
            this.first = first;
            this.second = second;
        }
    }

    /** The steps that write a struct. */
    static final class Template {
        final byte[] kinds, sizes;
        final int[] roles;
        /** The bytes of a step that writes them; else null. */
        final Bytes[] literals;
        /** All of its roles. */
        final boolean[] has;

        Template(int count, int roles) {
            kinds = new byte[count];
            sizes = new byte[count];
            this.roles = new int[count];
            has = new boolean[roles];
            literals = new Bytes[count];
        }
    }

    final Role[] roles;
    final Chain[] chains;
    final Template[] templates;

    PackedBook(PackedContent content) throws NotSliced {
        roles = new Role[content.u8()];
        chains = new Chain[content.u8()];
        templates = new Template[content.u8()];
        for (int i = 0; i < roles.length; i++) roles[i] = readRole(content, i);
        for (int i = 0; i < chains.length; i++) chains[i] = readChain(content);
        for (int i = 0; i < templates.length; i++) templates[i] = readTemplate(content);
    }

    private Role readRole(PackedContent content, int number) throws NotSliced {
        Role role = new Role(content.u8(), content.u8(), content.u8(), content.u8());
        if (role.area > Wire.ROLE_WORDS || role.predictor > MOST_PREDICTOR[role.area])
            throw content.damaged("a role with predictor " + role.predictor + " of area " + role.area);
        boolean hasFirst = role.predictor == Wire.PREDICTOR_SAME || role.predictor == Wire.PREDICTOR_DIFFERENCE;
        if (hasFirst && !isEarlier(role.first, number, role.area)
                || role.predictor == Wire.PREDICTOR_DIFFERENCE && !isEarlier(role.second, number, role.area)
                || role.predictor == Wire.PREDICTOR_CHAINED && role.first >= chains.length)
            throw content.damaged("a prediction from " + role.first + " and " + role.second);
        return role;
    }

    private boolean isEarlier(int role, int number, int area) {
        return role < number && roles[role].area == area;
    }

    private Chain readChain(PackedContent content) throws NotSliced {
        Chain chain = new Chain(content.u8(), content.u8(), content.u8());
        if (!isPlaced(chain.length) || !isPlaced(chain.first) || chain.second != NO_ROLE && !isPlaced(chain.second))
            throw content.damaged("a chain of other roles");
        if (chain.first >= chain.second) throw content.damaged("a chain whose first begin is decoded last");
        return chain;
    }

    private boolean isPlaced(int role) {
        return isEarlier(role, roles.length, Wire.ROLE_PLACED);
    }

    private Template readTemplate(PackedContent content) throws NotSliced {
        Template template = new Template(content.u8(), roles.length);
        boolean hasColumns = false;
        for (int i = 0; i < template.kinds.length; i++) {
            int kind = content.u8();
            template.kinds[i] = (byte) kind;
            if (kind > Wire.STEP_DOUBLE || kind == Wire.STEP_COLUMNS && hasColumns)
                throw content.damaged("a step of kind " + kind);
            hasColumns |= kind == Wire.STEP_COLUMNS;
            if (kind == Wire.STEP_LITERAL || kind == Wire.STEP_COLUMNS) {
                long length = content.varint();
                template.literals[i] = content.bytes.part(content.take(length), (int) length);
            } else if (kind != Wire.STEP_PATH) {
                readValue(content, template, i);
            }
        }
        return template;
    }

    private void readValue(PackedContent content, Template template, int step) throws NotSliced {
        int kind = template.kinds[step], role = content.u8();
        if (!isEarlier(role, roles.length, areaOf(kind))) throw content.damaged("a step with role " + role);
        template.roles[step] = role;
        template.has[role] = true;
        if (kind < Wire.STEP_LITTLE) return;
        int size = content.u8();
        if (size < 1 || size > 8) throw content.damaged("a number of " + size + " bytes");
        template.sizes[step] = (byte) size;
    }

    private static int areaOf(int kind) {
        if (kind >= Wire.STEP_LITTLE) return Wire.ROLE_BOUND;
        return kind == Wire.STEP_INTEGER ? Wire.ROLE_PLACED : Wire.ROLE_WORDS;
    }
}
