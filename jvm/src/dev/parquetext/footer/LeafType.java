package dev.parquetext.footer;

/** A leaf's physical type and the order of its values, which decide about its bounds (docs/formats.md, 3.2). */
final class LeafType {
    private enum Order {
        UNDEFINED,
        SIGNED,
        UNSIGNED,
        FLOAT16,
        LITTLE_ENDIAN
    }

    /** Bytes of a value of BOOLEAN to DOUBLE. */
    static final int[] WIDTHS = {1, 4, 8, 12, 4, 8};

    private static final int INT32 = 1 << Wire.PHYSICAL_INT32, INT64 = 1 << Wire.PHYSICAL_INT64;
    private static final int BYTES = 1 << Wire.PHYSICAL_BYTE_ARRAY, FIXED = 1 << Wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    private static final int IS_SIGNED = 2; // field of the logical type INTEGER

    /** The physical types that an annotation fits, the length of fixed-length bytes (0: any), and the order. */
    private static final class Annotation {
        final int types;
        final int length;
        final Order order;

        Annotation(int types, int length, Order order) {
            this.types = types;
            this.length = length;
            this.order = order;
        }
    }

    private static final Annotation NONE = new Annotation(0, 0, Order.UNDEFINED);
    private static final Annotation TEXT = new Annotation(BYTES, 0, Order.UNSIGNED);
    private static final Annotation DECIMAL = new Annotation(INT32 | INT64 | BYTES | FIXED, 0, Order.SIGNED);

    private final int type, length;
    private final Order order;

    private LeafType(int type, int length, Order order) {
        this.type = type;
        this.length = length;
        this.order = order;
    }

    /** Read the type of a SchemaElement. The logical type counts before the converted one. */
    static LeafType read(byte[] element) throws NotSliced {
        ThriftIn in = new ThriftIn(new Bytes(element, 0, element.length, 0), 0);
        int type = -1, length = -1;
        Annotation converted = null, logical = null;
        for (int last = 0; in.field(last); ) {
            last = in.id;
            if (in.id == Wire.THRIFT_SCHEMA_ELEMENT_TYPE && in.type == Wire.TYPE_I32) type = in.i32();
            else if (in.id == Wire.THRIFT_SCHEMA_ELEMENT_TYPE_LENGTH && in.type == Wire.TYPE_I32) length = in.i32();
            else if (in.id == Wire.THRIFT_SCHEMA_ELEMENT_CONVERTED_TYPE && in.type == Wire.TYPE_I32)
                converted = ofConverted(in.i32());
            else if (in.id == Wire.THRIFT_SCHEMA_ELEMENT_LOGICAL_TYPE && in.type == Wire.TYPE_STRUCT)
                logical = readLogical(in);
            else in.skip();
        }
        Annotation annotation = logical != null ? logical : converted;
        return new LeafType(type, length, order(type, length, annotation));
    }

    private static Order order(int type, int length, Annotation annotation) {
        if (type < 0 || type > Wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY || type == Wire.PHYSICAL_INT96)
            return Order.UNDEFINED;
        if (annotation == null) return type < Wire.PHYSICAL_BYTE_ARRAY ? Order.SIGNED : Order.UNSIGNED;
        if ((annotation.types >> type & 1) == 0) return Order.UNDEFINED;
        if (type != Wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY) return annotation.order;
        if (annotation.length != 0 && length != annotation.length) return Order.UNDEFINED;
        return annotation.length == 12 ? Order.LITTLE_ENDIAN : annotation.order; // 12: timestamps
    }

    private static Annotation ofConverted(int converted) {
        switch (converted) {
            case Wire.CONVERTED_UTF8:
            case Wire.CONVERTED_ENUM:
            case Wire.CONVERTED_JSON:
            case Wire.CONVERTED_BSON:
                return TEXT;
            case Wire.CONVERTED_DECIMAL:
                return DECIMAL;
            case Wire.CONVERTED_UINT_8:
            case Wire.CONVERTED_UINT_16:
            case Wire.CONVERTED_UINT_32:
                return new Annotation(INT32, 0, Order.UNSIGNED);
            case Wire.CONVERTED_UINT_64:
                return new Annotation(INT64, 0, Order.UNSIGNED);
            case Wire.CONVERTED_DATE:
            case Wire.CONVERTED_TIME_MILLIS:
            case Wire.CONVERTED_INT_8:
            case Wire.CONVERTED_INT_16:
            case Wire.CONVERTED_INT_32:
                return new Annotation(INT32, 0, Order.SIGNED);
            case Wire.CONVERTED_TIME_MICROS:
            case Wire.CONVERTED_TIMESTAMP_MILLIS:
            case Wire.CONVERTED_TIMESTAMP_MICROS:
            case Wire.CONVERTED_INT_64:
                return new Annotation(INT64, 0, Order.SIGNED);
            default:
                return NONE;
        }
    }

    /** Read a LogicalType, a union: its first field decides. */
    private static Annotation readLogical(ThriftIn in) throws NotSliced {
        Annotation found = null;
        for (int last = 0; in.field(last); ) {
            last = in.id;
            boolean isInteger = in.id == Wire.LOGICAL_INTEGER && in.type == Wire.TYPE_STRUCT;
            Annotation next = isInteger ? readInteger(in) : ofLogical(in.id);
            if (!isInteger) in.skip();
            if (found == null) found = next;
        }
        return found == null ? NONE : found;
    }

    private static Annotation readInteger(ThriftIn in) throws NotSliced {
        Order order = Order.UNSIGNED;
        for (int last = 0; in.field(last); last = in.id) {
            if (in.id == IS_SIGNED) order = in.type == Wire.TYPE_TRUE ? Order.SIGNED : Order.UNSIGNED;
            in.skip();
        }
        return new Annotation(INT32 | INT64, 0, order);
    }

    private static Annotation ofLogical(int logical) {
        switch (logical) {
            case Wire.LOGICAL_STRING:
            case Wire.LOGICAL_ENUM:
            case Wire.LOGICAL_JSON:
            case Wire.LOGICAL_BSON:
                return TEXT;
            case Wire.LOGICAL_UUID:
                return new Annotation(FIXED, 16, Order.UNSIGNED);
            case Wire.LOGICAL_DECIMAL:
                return DECIMAL;
            case Wire.LOGICAL_DATE:
                return new Annotation(INT32, 0, Order.SIGNED);
            case Wire.LOGICAL_TIME:
                return new Annotation(INT32 | INT64, 0, Order.SIGNED);
            case Wire.LOGICAL_TIMESTAMP:
                return new Annotation(INT64 | FIXED, 12, Order.SIGNED);
            case Wire.LOGICAL_FLOAT16:
                return new Annotation(FIXED, 2, Order.FLOAT16);
            default:
                return NONE;
        }
    }

    boolean isByteArray() {
        return type == Wire.PHYSICAL_BYTE_ARRAY || type == Wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    }

    /** Return true if bytes can be a value of the type. A number without bytes is none: readers take it for 0. */
    boolean isValue(byte[] value) {
        if (isByteArray() && order == Order.SIGNED && value.length == 0) return false;
        if (type == Wire.PHYSICAL_BYTE_ARRAY) return true;
        if (type == Wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY) return value.length == length;
        if (type < 0 || type >= WIDTHS.length || value.length != WIDTHS[type]) return false;
        return type != Wire.PHYSICAL_BOOLEAN || (value[0] & 0xFF) <= 1;
    }

    /** Return true if the deprecated {@code min} and {@code max} have the order of the values. */
    boolean hasDeprecatedOrder() {
        return order == Order.SIGNED && !isByteArray();
    }

    /** Return true if values of the type have an order. */
    boolean hasOrder() {
        return order != Order.UNDEFINED;
    }

    /** Return true if a value is a NaN. */
    boolean isNan(byte[] value) {
        boolean isFloat = type == Wire.PHYSICAL_FLOAT || type == Wire.PHYSICAL_DOUBLE || order == Order.FLOAT16;
        return isFloat && magnitude(number(value)) > infinity();
    }

    /** Return true if a value is above another one in the type's order; false if it has none, and for NaNs. */
    boolean isAbove(byte[] value, byte[] other) {
        if (order == Order.UNDEFINED) return false;
        if (order == Order.LITTLE_ENDIAN) return isNumberAbove(reversed(value), reversed(other));
        if (type == Wire.PHYSICAL_FLOAT || type == Wire.PHYSICAL_DOUBLE || order == Order.FLOAT16)
            return isFloatAbove(number(value), number(other));
        if (isByteArray() && order == Order.SIGNED) return isNumberAbove(value, other);
        if (isByteArray()) return isTextAbove(value, other);
        return order == Order.UNSIGNED
                ? Long.compareUnsigned(number(value), number(other)) > 0
                : number(value) > number(other);
    }

    private static boolean isTextAbove(byte[] value, byte[] other) {
        for (int i = 0; i < value.length && i < other.length; i++)
            if (value[i] != other[i]) return (value[i] & 0xFF) > (other[i] & 0xFF);
        return value.length > other.length;
    }

    /** Compare big-endian numbers in two's complement, of any lengths above 0. */
    private static boolean isNumberAbove(byte[] value, byte[] other) {
        int sign = value[0] >> 7, otherSign = other[0] >> 7;
        if (sign != otherSign) return sign > otherSign;
        for (int left = Math.max(value.length, other.length); left > 0; left--) {
            int digit = left > value.length ? sign & 0xFF : value[value.length - left] & 0xFF;
            int otherDigit = left > other.length ? sign & 0xFF : other[other.length - left] & 0xFF;
            if (digit != otherDigit) return digit > otherDigit;
        }
        return false;
    }

    /** Compare floating-point numbers by their bits: magnitudes ascend as integers do, and zeros are equal. */
    private boolean isFloatAbove(long value, long other) {
        long one = magnitude(value), two = magnitude(other);
        if (one > infinity() || two > infinity()) return false;
        return (value < 0 ? -one : one) > (other < 0 ? -two : two);
    }

    private long infinity() {
        return type == Wire.PHYSICAL_FLOAT ? 0x7F800000L : type == Wire.PHYSICAL_DOUBLE ? 0x7FFL << 52 : 0x7C00;
    }

    /** All bits of a floating-point number but the sign. */
    private long magnitude(long bits) {
        return bits & ((infinity() & -infinity()) - 1 | infinity());
    }

    /** The signed little-endian number in 1 to 8 bytes. */
    private static long number(byte[] value) {
        long number = value[value.length - 1];
        for (int i = value.length - 1; i-- > 0; ) number = number << 8 | value[i] & 0xFF;
        return number;
    }

    private static byte[] reversed(byte[] value) {
        byte[] bytes = new byte[value.length];
        for (int i = 0; i < bytes.length; i++) bytes[i] = value[bytes.length - 1 - i];
        return bytes;
    }
}
