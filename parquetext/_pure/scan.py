"""Scan a complete Thrift footer into flat arrays."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from .. import wire
from ..errors import ParquetextError, wire_error
from .bounds import Leaf
from .chunks import CHUNK_MEMBERS, PLACES_MEMBERS, Chunks, begins
from .extension import MARKER_BYTES, MARKERS
from .flat_names import GROUP
from .records import Records, checked, members
from .scan_chunk import ChunkReader, fields_of
from .schema import build_tree

__all__ = ["Scan", "scan", "scan_plainly"]

LARGEST = (1 << 32) - 1
ARROW_SCHEMA = b"ARROW:schema"
IN_FOOTER, IN_COLUMN_ORDERS, IN_LISTED_STRUCT = 1, 2, 3  # as in scan_chunk
NO_FIELD_ID = -1 << 31

ELEMENT_MEMBERS = members(
    ranges="bytes name logical_type",
    i="type type_length repetition num_children converted_type field_id parent first_leaf leaf_count",
    B="max_definition max_repetition column_order sort_order",
)
ROW_GROUP_MEMBERS = members(
    ranges="bytes columns sorting_columns",
    q="num_rows total_byte_size file_offset total_compressed_size",
    i="ordinal",
    I="chunk_count",
)
KEY_VALUE_MEMBERS = members(ranges="bytes key value", B="has_value")

ELEMENT_FIELDS = fields_of(
    "SCHEMA_ELEMENT",
    i32="type type_length repetition_type=repetition num_children converted_type field_id",
    binary="name",
    struct="logical_type",
)
ROW_GROUP_FIELDS = fields_of(
    "ROW_GROUP",
    i64="total_byte_size num_rows file_offset total_compressed_size",
    list="sorting_columns",
    i16="ordinal",
)
KEY_VALUE_FIELDS = fields_of("KEY_VALUE", binary="key value")


def scan(data, *, strict: bool = True) -> Scan:
    """Scan the FileMetaData at ``data[0]``.

    A field whose type differs from parquet.thrift is skipped like an unknown field. If a field is repeated, the last
    one counts, as in Thrift libraries. Numbers are not checked.

    Parameters
    ----------
    data : bytes-like
        The footer; more bytes may follow the struct.
    strict : bool
        If False, scan a footer that contradicts its structure (required fields are absent, or schema elements are not a
        tree) as far as possible, and store the contradiction in `Scan.problem`.

    Raises
    ------
    Malformed
        If the bytes are not a complete Thrift struct, or, with `strict`, if the footer contradicts its structure.
    """
    scanned = Scan(data)
    if strict and scanned.problem is not None:
        raise scanned.problem
    return scanned


def scan_plainly(data) -> Scan:
    """Return ``scan(data, strict=False)``; the twin has only one decoder."""
    return scan(data, strict=False)


class ScanArrays:
    """Access to records of elements, row groups, key-values and chunks, and to the elements of the leaves."""

    data: bytes
    leaves: Sequence[int]
    _elements: Records
    _row_groups: Records
    _key_values: Records
    _chunks: Records
    end: int  # offset after the struct
    regular: bool  # True if each row group has one chunk per leaf

    element_count = property(lambda self: len(self._elements))
    row_group_count = property(lambda self: len(self._row_groups))
    chunk_count = property(lambda self: len(self._chunks))
    key_value_count = property(lambda self: len(self._key_values))
    leaf_count = property(lambda self: len(self.leaves))

    def content(self, records: Callable[[str], memoryview], name: str, index: int) -> bytes:
        """Return the bytes of a range of one record; `records` is a method of this object, such as `elements`."""
        offset = records(f"{name}_offset")[index]
        return bytes(self.data[offset : offset + records(f"{name}_length")[index]])

    def pair(self, index: int) -> tuple[bytes, bytes | None]:
        """Return the key and the value of a pair; the value is None if it is absent."""
        value = self.content(self.key_values, "value", index) if self.key_values("has_value")[index] else None
        return self.content(self.key_values, "key", index), value

    def arrow_schema(self) -> int | None:
        """Return the number of the first ARROW:schema with a value, or None."""
        pairs = enumerate(map(self.pair, range(self.key_value_count)))
        return next((index for index, (key, value) in pairs if key == ARROW_SCHEMA and value is not None), None)

    def elements(self, name: str) -> memoryview:
        """Return one member of all schema elements, in preorder."""
        return self._elements.view(name)

    def row_groups(self, name: str) -> memoryview:
        """Return one member of all row groups."""
        return self._row_groups.view(name)

    def key_values(self, name: str) -> memoryview:
        """Return one member of all key-values."""
        return self._key_values.view(name)

    def chunks(self, name: str) -> memoryview:
        """Return one member of all chunks, row-group major."""
        return self._chunks.view(name)


class Scan(ScanArrays):
    """A Thrift footer as arrays over its schema elements, row groups, chunks and key-values.

    Attributes
    ----------
    data : bytes-like
        The footer; all ranges count from its start.
    version : int
        -1 if the footer has none.
    num_rows : int
    end : int
        Offset after the struct's stop, including its extension.
    element_count, leaf_count, row_group_count, chunk_count, key_value_count : int
    regular : bool
        True if every row group has one chunk per leaf.
    encrypted : int
        Crypto fields: bit 0 in the footer, bit 1 in chunks.
    has_extension : bool
        True if a field of the struct begins with an extension's marker, or if a marker follows the stop.
    has_key_values, has_column_orders : bool
    created_by : bytes or None
    column_orders : (offset, length)
        The list value; (0, 0) if there is none.
    problem : ParquetextError or None
        The contradiction of the structure, in a scan that is not strict.
    """

    def __init__(self, data):
        self.data, self.problem = data, None
        self.version, self.num_rows, self.encrypted, self.created_by = -1, -1, 0, None
        self.has_extension = False
        self.has_key_values, self.has_column_orders, self.column_orders = False, False, (0, 0)
        self.created_by_position = (0, 0)
        self._elements, self._row_groups = Records(ELEMENT_MEMBERS), Records(ROW_GROUP_MEMBERS)
        self._key_values = Records(KEY_VALUE_MEMBERS)
        self._chunks, self._places = Records(CHUNK_MEMBERS), Records(PLACES_MEMBERS)
        self._view = memoryview(data).cast("B")
        if len(self._view) > LARGEST:
            raise wire_error(wire.TOO_LARGE, 0, LARGEST, len(self._view))
        _Footer(self).read()

    def find_name(self, name: bytes) -> list[int]:
        """Return the ids of the leaves, then of the groups, with the path `name`; '.' and NUL are the same."""
        wanted, leaves, first_leaf = name.replace(b"\0", b"."), set(self.leaves), self.elements("first_leaf")
        found = [element for element in range(1, self.element_count) if self._reads_like(element, wanted)]
        return [first_leaf[element] for element in found if element in leaves] + [
            GROUP | element - first_leaf[element] for element in found if element not in leaves
        ]

    def _reads_like(self, element: int, wanted: bytes) -> bool:
        """Return True if an element's path, compared from its end, is `wanted`."""
        columns, left = self._elements.columns, len(wanted)
        while (parent := columns["parent"][element]) >= 0:
            offset = columns["name_offset"][element]
            own = bytes(self._view[offset : offset + columns["name_length"][element]]).replace(b"\0", b".")
            if not wanted.endswith(own, 0, left):
                return False
            left -= len(own)
            if parent == 0:
                return left == 0
            if left == 0 or wanted[left - 1] != ord("."):
                return False
            element, left = parent, left - 1
        return False

    def chunk_begins(self) -> memoryview:
        """Return the begin of the first page of each chunk, as `chunks.begin` computes it: ``q``, row-group major."""
        return begins(self.chunks("data_page_offset"), self.chunks("dictionary_page_offset"))

    def places(self, name: str) -> memoryview:
        """Return one member of the locations of all chunks' indexes and filters, row-group major; -1 if absent."""
        return self._places.view(name)

    def check_regular(self) -> None:
        """Raise IRREGULAR if a row group does not have one chunk per leaf."""
        for count, offset in zip(self.row_groups("chunk_count"), self.row_groups("columns_offset"), strict=True):
            if count != self.leaf_count:
                raise wire_error(wire.IRREGULAR, offset, self.leaf_count, count)

    def column(self, leaf: int) -> Chunks:
        """Return the `Chunks` of one leaf; raise IRREGULAR if a row group does not have one chunk per leaf."""
        checked(leaf, self.leaf_count)
        self.check_regular()
        records = self._chunks.every(leaf, self.leaf_count)
        records.columns |= self._places.every(leaf, self.leaf_count).columns
        element = self._elements.columns
        return Chunks(records, self.data, Leaf(*(element[name][self.leaves[leaf]] for name in Leaf._fields)))

    def _note(self, code: int, offset: int, expected: int, found: int = 0) -> None:
        """Keep the first contradiction."""
        if self.problem is None:
            problem = wire_error(code, offset, expected, found)
            assert isinstance(problem, ParquetextError)
            self.problem = problem


class _Footer(ChunkReader):
    """One pass over FileMetaData that fills a `Scan`."""

    def __init__(self, scan: Scan):
        super().__init__(scan._view)
        self.scan, self.schema_offset = scan, 0

    def read(self) -> None:
        scan, id, at = self.scan, 0, 0
        seen: set[int] = set()
        while True:
            header = at
            id, type, at = self.walk.field_header(header, id)
            if type == 0:
                break
            scan.has_extension |= bytes(self.data[header:at]) in MARKERS
            at = self.read_field(id, type, at, seen)
        scan.end = at
        scan.has_extension |= bytes(self.data[at : at + MARKER_BYTES]) in MARKERS
        for required in (wire.FILE_META_DATA_SCHEMA, wire.FILE_META_DATA_NUM_ROWS, wire.FILE_META_DATA_ROW_GROUPS):
            if required not in seen:
                scan._note(wire.MISSING_FIELD, 0, required)
        leaves = build_tree(self.data, scan._elements, scan.column_orders, self.schema_offset, scan._note)
        scan.leaves = memoryview(array("I", leaves)).toreadonly()
        scan.regular = all(count == scan.leaf_count for count in scan.row_groups("chunk_count"))

    def read_field(self, id: int, type: int, at: int, seen: set[int]) -> int:
        """Read or skip one field; return the offset after it."""
        scan = self.scan
        lists = {
            wire.FILE_META_DATA_SCHEMA: self.read_schema,
            wire.FILE_META_DATA_ROW_GROUPS: self.read_row_groups,
            wire.FILE_META_DATA_KEY_VALUE_METADATA: self.read_key_values,
            wire.FILE_META_DATA_COLUMN_ORDERS: self.read_column_orders,
        }
        if type == wire.TYPE_LIST and id in lists:
            count, first = self.list_of(at, wire.TYPE_STRUCT, IN_FOOTER)
            if count is None:
                return first
            seen.add(id)
            return lists[id](at, count, first)
        if (id, type) == (wire.FILE_META_DATA_VERSION, wire.TYPE_I32):
            scan.version, end = self.number(type, at)
        elif (id, type) == (wire.FILE_META_DATA_NUM_ROWS, wire.TYPE_I64):
            seen.add(id)
            scan.num_rows, end = self.number(type, at)
        elif (id, type) == (wire.FILE_META_DATA_CREATED_BY, wire.TYPE_BINARY):
            offset, length, end = self.binary(at)
            scan.created_by, scan.created_by_position = bytes(self.data[offset : offset + length]), (offset, length)
        else:
            if (id, type) in (
                (wire.FILE_META_DATA_ENCRYPTION_ALGORITHM, wire.TYPE_STRUCT),
                (wire.FILE_META_DATA_FOOTER_SIGNING_KEY_METADATA, wire.TYPE_BINARY),
            ):
                scan.encrypted |= 1
            end = self.walk.skip(at, type, IN_FOOTER)
        return end

    def read_schema(self, start: int, count: int, at: int) -> int:
        self.schema_offset = start
        self.scan._elements.truncate(0)
        for _ in range(count):
            fields, at = self.struct(at, ELEMENT_FIELDS, {"field_id": NO_FIELD_ID}, IN_LISTED_STRUCT)
            self.scan._elements.append(fields)
        return at

    def read_row_groups(self, start: int, count: int, at: int) -> int:
        for records in (self.scan._row_groups, self.scan._chunks, self.scan._places):
            records.truncate(0)
        for _ in range(count):
            at = self.read_row_group(at)
        return at

    def read_row_group(self, start: int) -> int:
        first_chunk = self.scan.chunk_count
        fields: dict[str, int] = {}

        def read(id: int, type: int, at: int) -> int:
            if (id, type) != (wire.ROW_GROUP_COLUMNS, wire.TYPE_LIST):
                return self.field(id, type, at, ROW_GROUP_FIELDS, fields, IN_LISTED_STRUCT)
            list_start = at
            count, at = self.list_of(at, wire.TYPE_STRUCT, IN_LISTED_STRUCT)
            if count is None:
                return at
            for records in (self.scan._chunks, self.scan._places):
                records.truncate(first_chunk)
            for _ in range(count):
                at = self.read_chunk(at)
            fields.update(columns_offset=list_start, columns_length=at - list_start, chunk_count=count)
            return at

        end = self.walk.each(start, read)
        if "chunk_count" not in fields:
            self.scan._note(wire.MISSING_FIELD, start, wire.ROW_GROUP_COLUMNS)
        if "num_rows" not in fields:
            self.scan._note(wire.MISSING_FIELD, start, wire.ROW_GROUP_NUM_ROWS)
        self.scan._row_groups.append(fields | {"bytes_offset": start, "bytes_length": end - start})
        return end

    def read_chunk(self, at: int) -> int:
        fields, end = self.chunk(at)
        if fields["present"] & wire.PRESENT_CRYPTO:
            self.scan.encrypted |= 2
        self.scan._chunks.append(fields)
        self.scan._places.append(fields)
        return end

    def read_key_values(self, start: int, count: int, at: int) -> int:
        self.scan._key_values.truncate(0)
        for _ in range(count):
            fields, at = self.struct(at, KEY_VALUE_FIELDS, {}, IN_LISTED_STRUCT)
            self.scan._key_values.append(fields | {"has_value": int("value_offset" in fields)})
        self.scan.has_key_values = True
        return at

    def read_column_orders(self, start: int, count: int, at: int) -> int:
        for _ in range(count):
            at = self.walk.skip(at, wire.TYPE_STRUCT, IN_COLUMN_ORDERS)
        self.scan.has_column_orders, self.scan.column_orders = True, (start, at - start)
        return at
