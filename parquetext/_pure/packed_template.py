"""Templates: the Thrift bytes of a struct without its values (docs/formats.md, 15.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .. import wire
from . import varint
from .packed_content import Content
from .thrift import BOOLEANS, Walk
from .thrift_write import path_list

LITERAL, INTEGER, PATH, COLUMNS = wire.STEP_LITERAL, wire.STEP_INTEGER, wire.STEP_PATH, wire.STEP_COLUMNS
TEXT, RAW = wire.STEP_TEXT, wire.STEP_RAW
LITTLE, BIG, FLOAT, DOUBLE = wire.STEP_LITTLE, wire.STEP_BIG, wire.STEP_FLOAT, wire.STEP_DOUBLE
PLACED, BOUND, WORDS = wire.ROLE_PLACED, wire.ROLE_BOUND, wire.ROLE_WORDS  # the tile's part with a role's values
FIXED = (LITTLE, BIG, FLOAT, DOUBLE)
INTEGERS = (wire.TYPE_I16, wire.TYPE_I32, wire.TYPE_I64)
MOST_STEPS, STEP_BITS = 4, 16

META = wire.COLUMN_CHUNK_META_DATA
PATH_IN_SCHEMA = (META, wire.COLUMN_META_DATA_PATH_IN_SCHEMA)
ENCODING_STATS = (META, wire.COLUMN_META_DATA_ENCODING_STATS)
COLUMNS_PATH = (wire.ROW_GROUP_COLUMNS,)
CONSTANT_FIELDS = {
    (META, wire.COLUMN_META_DATA_TYPE),
    (META, wire.COLUMN_META_DATA_CODEC),
    (META, wire.COLUMN_META_DATA_ENCODINGS),
}
CONSTANT_ITEM_FIELDS = {wire.PAGE_ENCODING_STATS_PAGE_TYPE, wire.PAGE_ENCODING_STATS_ENCODING}
SIZES = (META, wire.COLUMN_META_DATA_SIZE_STATISTICS)
HISTOGRAMS = {
    (*SIZES, wire.SIZE_STATISTICS_REPETITION_LEVEL_HISTOGRAM),
    (*SIZES, wire.SIZE_STATISTICS_DEFINITION_LEVEL_HISTOGRAM),
}
STATISTICS = (META, wire.COLUMN_META_DATA_STATISTICS)
BOUND_FIELDS = {(*STATISTICS, getattr(wire, f"STATISTICS_{name}")) for name in ("MIN", "MAX", "MIN_VALUE", "MAX_VALUE")}


class Operation(NamedTuple):
    """A step in which a template writes bytes: a literal, or a value of a role in a form.

    `role` is the code of a path of fields while templates are made, and a number afterwards.
    """

    kind: int
    literal: bytes = b""
    role: int = 0
    size: int = 0


HAVE_NO_ROLE = (LITERAL, PATH, COLUMNS)


class Parsed(NamedTuple):
    """A struct as a template, and the values of its roles: an integer, or a text's begin and end."""

    operations: tuple[Operation, ...]
    values: list[Any]


def code_of(path: tuple[int, ...]) -> int:
    """Return the code of a path of field ids and positions in lists; 0 for a path that has none."""
    if len(path) > MOST_STEPS or any(step >> STEP_BITS > 0 for step in path):
        return 0
    code = 0
    for step in path:
        code = code << STEP_BITS | step & (1 << STEP_BITS) - 1
    return code


class StructParser:
    """Divide structs of one leaf into templates and values.

    Parameters
    ----------
    data : bytes-like
        The Thrift footer.
    path : bytes
        The leaf's path, with NUL between its names.
    type : int
        Its physical type; -1 for structs that are no chunks.
    columns : (int, int)
        For a row group, the begin and the end of its chunks.
    """

    def __init__(self, data, path: bytes = b"", type: int = -1, columns: tuple[int, int] = (-1, -1)):
        self.data, self.walk = memoryview(data), Walk(data, 0, wire.MAX_DEPTH)
        self.path, self.type, self.columns = path_list(path), type, columns

    def parse(self, at: int) -> Parsed:
        """Divide the struct at `at`."""
        self.operations: list[Operation] = []
        self.values: list[Any] = []
        self.pending = at
        end = self.struct(at, ())
        self.flush(end)
        return Parsed(tuple(self.operations), self.values)

    def flush(self, end: int) -> None:
        """Turn the bytes since the last value into a literal."""
        if end > self.pending:
            self.operations.append(Operation(LITERAL, bytes(self.data[self.pending : end])))

    def add(self, operation: Operation, begin: int, end: int, *value: Any) -> int:
        self.flush(begin)
        self.operations.append(operation)
        self.values += value
        self.pending = end
        return end

    def struct(self, at: int, path: tuple[int, ...]) -> int:
        id = 0
        while True:
            id, type, at = self.walk.field_header(at, id)
            if not type:
                return at
            at = self.value(type, at, (*path, id))

    def value(self, type: int, at: int, path: tuple[int, ...]) -> int:
        """Divide a value; one that is not written in the shortest way stays literal."""
        if type in BOOLEANS:
            return at
        if type == wire.TYPE_STRUCT:
            return self.struct(at, path)
        if type == wire.TYPE_LIST:
            return self.list(at, path)
        if type in INTEGERS:
            return self.integer(at, path)
        if type == wire.TYPE_BINARY:
            return self.binary(at, path)
        return self.walk.skip(at, type, len(path))

    def integer(self, at: int, path: tuple[int, ...]) -> int:
        value, end = self.walk.number(at, 64)
        code = code_of(path)
        is_constant = path[:2] in CONSTANT_FIELDS or (path[:2] == ENCODING_STATS and path[-1] in CONSTANT_ITEM_FIELDS)
        if is_constant or not code or end - at != varint.size(value):
            return end
        return self.add(Operation(INTEGER, role=code), at, end, varint.zigzag_decode(value))

    def binary(self, at: int, path: tuple[int, ...]) -> int:
        size, begin = self.walk.number(at)
        end = self.walk.skip(at, wire.TYPE_BINARY, 0)
        code = code_of(path)
        if not code or begin - at != varint.size(size):
            return end
        form = self.form_of(size, path)
        if form == TEXT:
            return self.add(Operation(TEXT, role=code), at, end, (begin, end))
        return self.add(Operation(form, role=code, size=size), at, end, number_of(form, bytes(self.data[begin:end])))

    def form_of(self, size: int, path: tuple[int, ...]) -> int:
        """Return the form of a bound of a fixed width, or TEXT."""
        if path not in BOUND_FIELDS or wire.WIDTH_OF_TYPE.get(self.type, size) != size:
            return TEXT
        if self.type in (wire.PHYSICAL_BOOLEAN, wire.PHYSICAL_INT32, wire.PHYSICAL_INT64):
            return LITTLE
        if self.type in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE):
            return FLOAT if self.type == wire.PHYSICAL_FLOAT else DOUBLE
        return BIG if self.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and 1 <= size <= 8 else TEXT

    def list(self, at: int, path: tuple[int, ...]) -> int:
        if path == PATH_IN_SCHEMA and self.data[at : at + len(self.path)] == self.path:
            return self.add(Operation(PATH), at, at + len(self.path))
        type, count, item = self.walk.list_header(at)
        if path == COLUMNS_PATH and item == self.columns[0]:
            return self.add(Operation(COLUMNS, bytes(self.data[at:item])), at, self.columns[1])
        if path[:2] in CONSTANT_FIELDS or type in BOOLEANS:
            return self.walk.skip(at, wire.TYPE_LIST, len(path))
        for number in range(count):
            step = count - 1 - number if path in HISTOGRAMS else number
            item = self.value(type, item, (*path, step))
        return item


# ---- values of a fixed width


def number_of(form: int, data: bytes) -> int:
    """Return a bound as an integer in the order of its type."""
    if form == BIG:
        return int.from_bytes(data, "big", signed=True)
    value = int.from_bytes(data, "little", signed=True)
    return value if form == LITTLE or value >= 0 else value ^ (1 << 8 * len(data) - 1) - 1


def bytes_of(form: int, size: int, value: int) -> bytes:
    """Return the bytes of a bound, whose number may be any."""
    if form in (FLOAT, DOUBLE) and value >> 8 * size - 1 & 1:
        value ^= (1 << 8 * size - 1) - 1
    return (value % (1 << 8 * size)).to_bytes(size, "big" if form == BIG else "little")


def emit(
    operations: Sequence[Operation], values: Sequence[Any], path: bytes = b"", columns: bytes | None = None
) -> bytes:
    """Return the bytes of a struct; `values` has one entry for each operation with a role, in order.

    `columns` are the chunks of a row group; if None, the list is omitted.
    """
    return b"".join(pieces_of(operations, values, path, columns))


def pieces_of(
    operations: Sequence[Operation], values: Sequence[Any], path: bytes = b"", columns: bytes | None = None
) -> Iterator[bytes]:
    """Yield the bytes that each operation writes."""
    left = iter(values)
    for kind, literal, _, size in operations:
        if kind == LITERAL:
            yield literal
        elif kind == PATH:
            yield path_list(path)
        elif kind == COLUMNS:
            yield literal + columns if columns is not None else b""
        elif kind == RAW:
            yield next(left)
        elif kind == TEXT:
            text = next(left)
            yield varint.encode(len(text)) + text
        elif kind == INTEGER:
            yield varint.encode(varint.zigzag_encode(next(left)))
        else:
            yield bytes((size,)) + bytes_of(kind, size, next(left))


def before_columns(operations: Sequence[Operation], values: Sequence[Any]) -> tuple[Sequence[Operation], Sequence[Any]]:
    """Return the operations in front of a row group's chunks, and their values; all of them if it has none."""
    end = next((number for number, operation in enumerate(operations) if operation.kind == COLUMNS), len(operations))
    count = sum(operation.kind not in HAVE_NO_ROLE for operation in operations[:end])
    return operations[:end], values[:count]


# ---- their bytes


def write_operations(operations: Sequence[Operation]) -> bytes:
    pieces = [bytes((len(operations),))]
    for kind, literal, role, size in operations:
        pieces.append(bytes((kind,)))
        if kind in (LITERAL, COLUMNS):
            pieces += (varint.encode(len(literal)), literal)
        elif kind not in HAVE_NO_ROLE:
            pieces.append(bytes((role, size) if kind in FIXED else (role,)))
    return b"".join(pieces)


def read_operations(content: Content, areas: Sequence[int]) -> tuple[Operation, ...]:
    """Read a template; `areas` are those of the roles."""
    operations: list[Operation] = []
    for _ in range(content.byte()):
        at, kind = content.at, content.byte()
        if kind > DOUBLE:
            raise content.fail(wire.BAD_VALUE, at, DOUBLE, kind)
        if kind in (LITERAL, COLUMNS):
            operations.append(Operation(kind, bytes(content.take(content.varint()))))
            if sum(operation.kind == COLUMNS for operation in operations) > 1:
                raise content.fail(wire.BAD_VALUE, at, 1, 2)
        elif kind == PATH:
            operations.append(Operation(kind))
        else:
            operations.append(read_value(content, kind, areas))
    return tuple(operations)


def read_value(content: Content, kind: int, areas: Sequence[int]) -> Operation:
    at, role = content.at, content.byte()
    if role >= len(areas):
        raise content.fail(wire.BAD_VALUE, at, len(areas), role)
    area = BOUND if kind in FIXED else WORDS if kind in (TEXT, RAW) else PLACED
    if areas[role] != area:
        raise content.fail(wire.BAD_VALUE, at, area, areas[role])
    size = 0
    if kind in FIXED:
        at, size = content.at, content.byte()
        if not 1 <= size <= 8:
            raise content.fail(wire.BAD_VALUE, at, 8, size)
    return Operation(kind, role=role, size=size)


def area_of(kind: int) -> int:
    return BOUND if kind in FIXED else WORDS if kind in (TEXT, RAW) else PLACED
