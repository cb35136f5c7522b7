"""The residue of a Thrift struct, which the tables do not contain: skeleton and literals (docs/formats.md, 3.6).

A skeleton is a list of operations that write the struct: runs of literal bytes, values that tables contain (facts), and
values that are in the literals. Facts are compared as Thrift bytes. A value is omitted from the skeleton only if its
fact restores exactly the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from .. import wire
from ..errors import ParquetextError
from . import varint
from .bits import signed
from .extension import MARKERS
from .scan_chunk import METADATA_FIELDS, fields_of
from .thrift import INTEGERS, Walk
from .thrift_write import binary, integer, struct, struct_list

LONGEST_RUN = 0x80  # lower operations are runs
LONGEST_VARINT = 10
LAST_TYPE = wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY  # all other types count as one physical type
SAME, SAME_SKELETON = 0, 1  # first number of a record; from 2 on it is the pool reference of a new skeleton
_FIXED_LITERALS = {wire.OP_DOUBLE: 8, wire.OP_UUID: 16}
_FACTS_BY_NUMBER = (wire.OP_KEY, wire.OP_VALUE)
NO_LISTS: dict = {}

# Fact -> bytes; the keys of KEY and VALUE contain the pair's number.
Values = Mapping[int | tuple[int, int], bytes]

FOOTER, ROW_GROUP, CHUNK, METADATA, STATISTICS, ENCODING_STATS, SIZES, KEY_VALUE, OTHER = range(9)

# (struct, field, type) -> the fact to compare the field's value with. All other values are literals, except those
# below, which rarely differ between chunks and are stored in the skeleton.
_FACTS = {
    (kind, id, type): getattr(wire, f"OP_{name.upper()}")
    for kind, fields in (
        (FOOTER, fields_of("FILE_META_DATA", i32="version", binary="created_by", list="column_orders")),
        (ROW_GROUP, fields_of("ROW_GROUP", i64="total_byte_size num_rows file_offset", i16="ordinal")),
        (
            CHUNK,
            fields_of(
                "COLUMN_CHUNK",
                i64="offset_index_offset column_index_offset",
                i32="offset_index_length column_index_length",
            ),
        ),
        (METADATA, {id: field for id, field in METADATA_FIELDS.items() if field[0] != wire.TYPE_LIST}),
        (STATISTICS, fields_of("STATISTICS", binary="max min", i64="null_count distinct_count")),
    )
    for id, (type, name) in fields.items()
} | {
    (FOOTER, wire.FILE_META_DATA_NUM_ROWS, wire.TYPE_I64): wire.OP_ALL_ROWS,
    (ROW_GROUP, wire.ROW_GROUP_TOTAL_COMPRESSED_SIZE, wire.TYPE_I64): wire.OP_GROUP_COMPRESSED_SIZE,
    (METADATA, wire.COLUMN_META_DATA_PATH_IN_SCHEMA, wire.TYPE_LIST): wire.OP_PATH,
    (STATISTICS, wire.STATISTICS_MAX_VALUE, wire.TYPE_BINARY): wire.OP_MAX,
    (STATISTICS, wire.STATISTICS_MIN_VALUE, wire.TYPE_BINARY): wire.OP_MIN,
}
_FILE_OFFSET_RULES = (wire.OP_FIRST_PAGE, wire.OP_DATA_PAGE_OFFSET, wire.OP_CHUNK_END)
_CONSTANT = {
    (CHUNK, wire.COLUMN_CHUNK_FILE_PATH),
    (METADATA, wire.COLUMN_META_DATA_TYPE),
    (METADATA, wire.COLUMN_META_DATA_ENCODINGS),
    (METADATA, wire.COLUMN_META_DATA_PATH_IN_SCHEMA),
    (METADATA, wire.COLUMN_META_DATA_CODEC),
    (METADATA, wire.COLUMN_META_DATA_KEY_VALUE_METADATA),
    (ENCODING_STATS, wire.PAGE_ENCODING_STATS_PAGE_TYPE),
    (ENCODING_STATS, wire.PAGE_ENCODING_STATS_ENCODING),
    (ROW_GROUP, wire.ROW_GROUP_SORTING_COLUMNS),
}
# Nested structs, in a field or as items of a list.
_NESTED = {
    (CHUNK, wire.COLUMN_CHUNK_META_DATA, wire.TYPE_STRUCT): METADATA,
    (METADATA, wire.COLUMN_META_DATA_STATISTICS, wire.TYPE_STRUCT): STATISTICS,
    (METADATA, wire.COLUMN_META_DATA_ENCODING_STATS, wire.TYPE_LIST): ENCODING_STATS,
    (METADATA, wire.COLUMN_META_DATA_SIZE_STATISTICS, wire.TYPE_STRUCT): SIZES,
    (FOOTER, wire.FILE_META_DATA_KEY_VALUE_METADATA, wire.TYPE_LIST): KEY_VALUE,
}
# Lists whose header is in the skeleton and whose items are one fact.
_LISTS = {
    (FOOTER, wire.FILE_META_DATA_SCHEMA): wire.OP_ELEMENTS,
    (FOOTER, wire.FILE_META_DATA_ROW_GROUPS): wire.OP_ROW_GROUPS,
    (ROW_GROUP, wire.ROW_GROUP_COLUMNS): wire.OP_CHUNKS,
}
_PAIR_PARTS = {wire.KEY_VALUE_KEY: wire.OP_KEY, wire.KEY_VALUE_VALUE: wire.OP_VALUE}


# ---- facts


def column_orders(orders: list[int]) -> bytes:
    """Return the list of ColumnOrder unions for the leaves' orders: one empty struct each."""
    unions = (struct([(order, wire.TYPE_STRUCT, b"\0")]) for order in orders)
    return struct_list(list(unions))


# Facts of a chunk with the presence bits that they need, and facts of members for which -1 means absent.
_PRESENT = [
    (getattr(wire, f"OP_{name.upper()}"), name, bits)
    for names, bits in (
        (
            "type codec num_values total_uncompressed_size total_compressed_size data_page_offset",
            wire.PRESENT_METADATA,
        ),
        ("index_page_offset", wire.PRESENT_INDEX_PAGE_OFFSET),
        ("dictionary_page_offset", wire.PRESENT_DICTIONARY_PAGE_OFFSET),
        ("null_count", wire.PRESENT_NULL_COUNT),
        ("distinct_count", wire.PRESENT_DISTINCT_COUNT),
        ("bloom_filter_offset", wire.PRESENT_BLOOM_FILTER_OFFSET),
        ("bloom_filter_length", wire.PRESENT_BLOOM_FILTER_OFFSET | wire.PRESENT_BLOOM_FILTER_LENGTH),
    )
    for name in names.split()
]
_PLACES = [
    (getattr(wire, f"OP_{name.upper()}"), name)
    for name in ("offset_index_offset", "offset_index_length", "column_index_offset", "column_index_length")
]


def first_page(present: int, data_page_offset: int, dictionary_page_offset: int) -> int:
    """Compute FIRST_PAGE by the frozen rule of the format (docs/formats.md, 3.6), which is not `chunks.begin`."""
    has_dictionary = present & wire.PRESENT_DICTIONARY_PAGE_OFFSET
    return (
        dictionary_page_offset if has_dictionary and 0 < dictionary_page_offset < data_page_offset else data_page_offset
    )


def chunk_fields(fact: Mapping[str, int], path: bytes, min: bytes | None, max: bytes | None) -> dict[Any, bytes]:
    """Return the facts in the tables of a chunk, as Thrift bytes; `path` is made by `path_list`."""
    present = fact["present"]
    fields = {op: integer(fact[name]) for op, name, bits in _PRESENT if present & bits == bits}
    fields |= {op: integer(fact[name]) for op, name in _PLACES if fact[name] != -1}
    if present & wire.PRESENT_METADATA:
        first = first_page(present, fact["data_page_offset"], fact["dictionary_page_offset"])
        fields[wire.OP_PATH] = path
        fields[wire.OP_FIRST_PAGE] = integer(first)
        fields[wire.OP_CHUNK_END] = integer(signed(first + fact["total_compressed_size"]))
        if present & wire.PRESENT_NULL_COUNT:
            fields[wire.OP_NON_NULL] = integer(signed(fact["num_values"] - fact["null_count"]))
    if min is not None:
        fields[wire.OP_MIN] = binary(min)
    if max is not None:
        fields[wire.OP_MAX] = binary(max)
    return fields


def group_fields(fact: Mapping[str, int], chunks: bytes) -> dict[Any, bytes]:
    """Return the facts in the RowGroup table, and the chunks' bytes."""
    fields = {
        wire.OP_NUM_ROWS: integer(fact["num_rows"]),
        wire.OP_TOTAL_BYTE_SIZE: integer(fact["total_byte_size"]),
        wire.OP_CHUNKS: chunks,
    }
    for op, name in (
        (wire.OP_FILE_OFFSET, "file_offset"),
        (wire.OP_GROUP_COMPRESSED_SIZE, "total_compressed_size"),
        (wire.OP_ORDINAL, "ordinal"),
    ):
        if fact[name] != -1 and (name != "ordinal" or -(2**15) <= fact[name] < 2**15):
            fields[op] = integer(fact[name])
    return fields


def footer_fields(footer, pairs: Iterable[tuple[bytes, bytes | None]], orders: list[int] | None) -> dict[Any, bytes]:
    """Return the facts of a scan or reader outside of its schema and row groups; None for no column orders."""
    fields: dict[Any, bytes] = {
        wire.OP_VERSION: integer(footer.version),
        wire.OP_ALL_ROWS: integer(footer.num_rows),
    }
    created_by = footer.created_by
    if created_by is not None:
        fields[wire.OP_CREATED_BY] = binary(created_by)
    for index, (key, value) in enumerate(pairs):
        fields[wire.OP_KEY, index] = binary(key)
        if value is not None:
            fields[wire.OP_VALUE, index] = binary(value)
    if orders is not None:
        fields[wire.OP_COLUMN_ORDERS] = column_orders(orders)
    return fields


# ---- from Thrift


class _Maker:
    """A walk over one struct that makes its skeleton and literals.

    `lists` contains the positions of the items of known lists; `inexact` are fields that must become false.
    """

    def __init__(
        self, data, fields: Values, lists: Mapping[tuple[int, int], tuple[int, int]], inexact: Collection[int]
    ):
        self.data, self.facts, self.lists, self.inexact = data, fields, lists, inexact
        self.walk = Walk(data, 0, wire.MAX_DEPTH)
        self.ops, self.literals, self.waiting = bytearray(), bytearray(), bytearray()
        self.pairs = self.left_out = 0

    def run(self, at: int, end: int) -> None:
        self.waiting += self.data[at:end]

    def op(self, op: int, argument: bytes = b"") -> None:
        for start in range(0, len(self.waiting), LONGEST_RUN):
            piece = self.waiting[start : start + LONGEST_RUN]
            self.ops.append(len(piece) - 1)
            self.ops += piece
        self.waiting.clear()
        if op:
            self.ops.append(op)
            self.ops += argument

    def literal(self, op: int, at: int, end: int) -> None:
        self.op(op)
        self.literals += self.data[at:end]

    def fact(self, ops: tuple[int, ...], at: int, end: int) -> bool:
        """Add the operation of one of these facts, and return True, if the value equals the fact."""
        for op in ops:
            if self.facts.get(op) == self.data[at:end]:
                self.op(op)
                return True
        return False

    def struct(self, at: int, kind: int) -> int:
        id = 0
        while True:
            header = at
            id, type, at = self.walk.field_header(header, id)
            if kind == FOOTER and bytes(self.data[header:at]) in MARKERS:
                end = self.walk.skip(at, type, 0)
                if self.data[end] == 0:  # blocks, ours and others', are not part of the footer
                    self.left_out = end - header
                    self.run(end, end + 1)
                    return end + 1
            self.run(header, at)
            if kind == STATISTICS and type == wire.TYPE_TRUE and id in self.inexact:
                self.waiting[header - at] ^= wire.TYPE_TRUE ^ wire.TYPE_FALSE
            if type == 0:
                return at
            at = self.field(kind, id, type, at)

    def field(self, kind: int, id: int, type: int, at: int) -> int:
        if type == wire.TYPE_LIST and (kind, id) in self.lists:
            first, end = self.lists[kind, id]
            if self.walk.list_header(at)[2] == first:
                self.run(at, first)
                self.op(_LISTS[kind, id])
                return end
        end = self.walk.skip(at, type, 0)
        if self.fact(self.candidates(kind, id, type), at, end):
            return end
        if (kind, id) in _CONSTANT:
            self.run(at, end)
        elif (
            kind == KEY_VALUE
            and type == wire.TYPE_BINARY
            and id in _PAIR_PARTS
            and self.facts.get((_PAIR_PARTS[id], self.pairs)) == self.data[at:end]
        ):
            self.op(_PAIR_PARTS[id], varint.encode(self.pairs))
        elif kind == SIZES and id == wire.SIZE_STATISTICS_DEFINITION_LEVEL_HISTOGRAM and type == wire.TYPE_LIST:
            self.histogram(at)
        else:
            self.any(type, at, end, _NESTED.get((kind, id, type), OTHER))
        return end

    def candidates(self, kind: int, id: int, type: int) -> tuple[int, ...]:
        if kind == CHUNK and id == wire.COLUMN_CHUNK_FILE_OFFSET and type == wire.TYPE_I64:
            return _FILE_OFFSET_RULES
        op = _FACTS.get((kind, id, type))
        return () if op is None else (op,)

    def histogram(self, at: int) -> None:
        """Write the histogram of a level. If the level is 0 or 1, its counts follow from the number of nulls."""
        type, count, item = self.walk.list_header(at)
        self.run(at, item)
        rules = (wire.OP_NULL_COUNT, wire.OP_NON_NULL) if count == 2 and type == wire.TYPE_I64 else ()
        for index in range(count):
            end = self.walk.skip(item, type, 0, item=True)
            if not self.fact(rules[index : index + 1], item, end):
                self.any(type, item, end, OTHER, item=True)
            item = end

    def any(self, type: int, at: int, end: int, kind: int, item: bool = False) -> None:
        """Write a value that no table contains: its structure into the skeleton, its scalars into the literals."""
        if type in INTEGERS:
            self.literal(wire.OP_VARINT, at, end)
        elif type == wire.TYPE_DOUBLE:
            self.literal(wire.OP_DOUBLE, at, end)
        elif type == wire.TYPE_BINARY:
            self.literal(wire.OP_BINARY, at, end)
        elif type == wire.TYPE_UUID:
            self.literal(wire.OP_UUID, at, end)
        elif type == wire.TYPE_STRUCT:
            self.struct(at, kind)
        elif type in (wire.TYPE_LIST, wire.TYPE_SET, wire.TYPE_MAP):
            self.container(type, at, kind)
        else:
            self.run(at, end)  # a byte, or a boolean in a list

    def container(self, type: int, at: int, kind: int) -> None:
        *kinds, count, first = self.walk.map_header(at) if type == wire.TYPE_MAP else self.walk.list_header(at)
        self.run(at, first)
        for _ in range(count):
            for item in kinds:
                end = self.walk.skip(first, item, 0, item=True)
                self.any(item, first, end, kind, item=True)
                first = end
            self.pairs += kind == KEY_VALUE


class Residue(NamedTuple):
    """A struct's skeleton and literals, and the number of extension bytes that they omit."""

    skeleton: bytes
    literals: bytes
    left_out: int


def residue_of(
    data,
    at: int,
    kind: int,
    fields: Values,
    *,
    lists: Mapping[tuple[int, int], tuple[int, int]] = NO_LISTS,
    inexact: Collection[int] = (),
) -> Residue:
    """Return the residue of the struct at `at`."""
    maker = _Maker(data, fields, lists, inexact)
    maker.struct(at, kind)
    maker.op(0)
    return Residue(bytes(maker.ops), bytes(maker.literals), maker.left_out)


def fits(skeleton: bytes, data, at: int, end: int, fields: Values) -> bytes | None:
    """Return the literals with which a skeleton reproduces the bytes [at, end); None if it does not."""
    literals, position = bytearray(), 0
    while position < len(skeleton):
        op, position = skeleton[position], position + 1
        if op < LONGEST_RUN:
            expected = skeleton[position : position + op + 1]
            position += op + 1
        elif op in fields:
            expected = fields[op]
        elif (stop := literal_end(op, data, at, end)) is not None:
            expected = data[at:stop]
            literals += expected
        else:
            return None
        if data[at : at + len(expected)] != expected:
            return None
        at += len(expected)
    return bytes(literals) if at == end else None


def literal_end(op: int, data, at: int, end: int) -> int | None:
    """Return the end of the literal at `at` if one of that kind ends at or before `end`; otherwise None."""
    if op in _FIXED_LITERALS:
        return at + _FIXED_LITERALS[op] if end - at >= _FIXED_LITERALS[op] else None
    if op not in (wire.OP_VARINT, wire.OP_BINARY):
        return None
    stop = at
    while stop < end and data[stop] >= 0x80:
        stop += 1
    stop += 1
    if stop > end or stop - at > LONGEST_VARINT:
        return None
    if op == wire.OP_VARINT:
        return stop
    length = sum((data[at + i] & 0x7F) << 7 * i for i in range(stop - at))
    return stop + length if length <= end - stop else None


def _kind_of_type(type: int | None) -> int | None:
    return type if type is None or 0 <= type <= LAST_TYPE else LAST_TYPE + 1


class Skeletons:
    """The skeletons of one payload. Each is once in the pool."""

    def __init__(self, pool):
        self.pool = pool
        self.of_type: dict[int | None, bytes] = {}  # physical type -> the skeleton last used for a chunk

    def last(self, type: int | None) -> bytes | None:
        """Return the skeleton to try for a chunk."""
        return self.of_type.get(_kind_of_type(type))

    def position(self, skeleton: bytes) -> int:
        return self.pool.add(skeleton)


class Residues:
    """The consecutive records of one cell's structs (docs/formats.md, 3.6)."""

    def __init__(self, skeletons: Skeletons, data):
        self.skeletons, self.data = skeletons, data
        self.records = bytearray()
        self.skeleton: bytes | None = None
        self.literals = b""

    def add(self, at: int, end: int, kind: int, fields: Values, *, type: int | None = None, **options) -> None:
        """Add the struct [at, end).

        It uses the last skeleton of its type (for a chunk) or of the previous row group, if that fits, else a new one.
        """
        known = self.skeleton if type is None else self.skeletons.last(type)
        literals = None
        if known is not None and not options.get("inexact"):
            literals = fits(known, self.data, at, end, fields)
        if known is None or literals is None:
            known, literals, _ = residue_of(self.data, at, kind, fields, **options)
        if known == self.skeleton:
            self.records += bytes([SAME]) if literals == self.literals else bytes([SAME_SKELETON]) + literals
        else:
            self.records += varint.encode(self.skeletons.position(known)) + literals
        self.skeleton, self.literals = known, literals
        if type is not None:
            self.skeletons.of_type[_kind_of_type(type)] = known


# ---- back to Thrift


class Broken(Exception):
    """A skeleton does not match its facts and literals. `op` is the failing operation."""

    def __init__(self, op: int):
        self.op = op


def rebuild(skeleton, literals, at: int, fields: Values, out: bytearray, budget) -> int:
    """Append the struct that the skeleton makes of facts and literals; return the offset after the literals used.

    The literals begin at `at`. `budget` is called before bytes are appended.
    """
    position, size = 0, len(skeleton)
    while position < size:
        op, position = skeleton[position], position + 1
        if op < LONGEST_RUN:
            piece = skeleton[position : position + op + 1]
            position += op + 1
            if position > size:
                raise Broken(op)
        elif op in _FACTS_BY_NUMBER:
            try:
                number, position = varint.decode32(skeleton, position)
                piece = fields[op, number]
            except (ParquetextError, KeyError):
                raise Broken(op) from None
        elif op in fields:
            piece = fields[op]
        elif (stop := literal_end(op, literals, at, len(literals))) is not None:
            piece, at = literals[at:stop], stop
        else:
            raise Broken(op)
        budget(1 + len(piece))
        out += piece
    return at
