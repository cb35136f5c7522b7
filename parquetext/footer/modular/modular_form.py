"""Read a modular footer: counts from its root, and the modules that a look-up needs, when it needs them."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import Any

from ... import kernels, wire
from ...errors import Damaged, Malformed, ParquetextError
from ...thrift import integer, list_header, list_start
from ...thrift.values import joined, names_of_path
from ..elements import parse_element
from ..model import GROUP, FindsColumns, Node
from ..skeleton import column_order, with_row_groups
from ..thrift_form import ThriftForm
from .framing import (
    FILE_METADATA,
    PLACEMENT,
    SCHEMA,
    SCHEMA_INDEX,
    STATISTICS,
    TRAILER_BYTES,
    Root,
    absolute_base,
    largest_count,
    located,
    most_chunks,
    read_frame,
)
from .generations import check_generation
from .payload import Payload

NO_CHUNKS = bytes([wire.TYPE_STRUCT])  # an empty list
OF_THE_TYPE = b"\x1c\0\0"  # a ColumnOrder: the order that the type defines
LIST_OF_ELEMENTS = b"\x19"  # the header of field 1, a list, at the begin of the schema
REPEATED, REQUIRED = 2, 0
LAST_BYTES = TRAILER_BYTES + 256  # of a payload, with its root
FEW_SEARCHES = 4  # of the schema's bytes; more take longer than parsing the schema


class ModularForm(FindsColumns):
    """A modular footer with the interface of `model.FooterReader`.

    Parameters
    ----------
    payload : Payload

    Raises
    ------
    Unsupported
        If it is of an older generation.
    Malformed, Damaged
        If its frame or its root is wrong; offsets count from the file's start.
    """

    is_lossless = False

    def __init__(self, payload: Payload):
        self._payload, self._searches = payload, 0
        try:
            self._open()
        except ParquetextError as error:
            raise error.at(None, payload.offset) from None

    def _open(self) -> None:
        payload = self._payload
        begin = max(payload.length - LAST_BYTES, 0)
        last = payload.read(begin, payload.length - begin)
        self.frame = frame = read_frame(last, payload.length)
        if frame.root < begin:
            begin, last = frame.root, payload.read(frame.root, payload.length - frame.root)
        root = last[frame.root - begin : frame.end - begin]
        try:
            self.root = _read_root(root, frame.root)
            self.modules = located(self.root.modules, frame)
        except ParquetextError:
            check_generation(payload.hold(), frame.root, frame.start)
            raise
        self._base = absolute_base(self.root.modules, frame)
        count, limit = largest_count(self.root.columns, self.root.row_groups), most_chunks(payload.length)
        if count > limit:
            message = f"{count} chunks, columns or row groups in a modular footer of {payload.length} bytes"
            raise Damaged(message, offset=frame.root, expected=limit, found=count, code=wire.BAD_VALUE)

    @property
    def version(self) -> int:
        return self.root.version

    @property
    def num_rows(self) -> int:
        return self.root.rows

    @property
    def leaf_count(self) -> int:
        return self.root.columns

    @property
    def row_group_count(self) -> int:
        return self.root.row_groups

    @property
    def is_alone(self) -> bool:
        """Return True if the file has no Thrift footer."""
        return self.frame.is_alone

    @property
    def io(self) -> tuple[int, int]:
        return self._payload.io

    def offset_of(self, at: int) -> int:
        """Return the offset in the file of a byte of the payload."""
        return self._payload.offset + at

    # ---- modules ------------------------------------------------------------------------------------------------

    def module(self, kind: int) -> memoryview:
        """Return the bytes of a module, which must exist."""
        return self._payload.read(*self.modules[kind])

    def _parsed(self, kind: int, parse: Any, *counts: int) -> Any:
        """Return a module as the kernel that parses it has it."""
        try:
            return parse(self.module(kind), *counts)
        except ParquetextError as error:
            raise self.at_module(error, kind) from None

    def at_module(self, error: ParquetextError, kind: int) -> ParquetextError:
        """Return an error whose offset counts from a module with the offset in the file."""
        return error.at(None, self._payload.offset + self.modules[kind][0])

    @cached_property
    def placement(self) -> Any:
        """Return the module with the chunks' sizes and offsets."""
        return self._parsed(PLACEMENT, kernels.modular.Placement, self.leaf_count, self.row_group_count)

    @cached_property
    def schema_index(self) -> Any:
        """Return the index of the schema, or None."""
        if SCHEMA_INDEX not in self.modules:
            return None
        return self._parsed(SCHEMA_INDEX, kernels.modular.SchemaIndex, self.leaf_count)

    @cached_property
    def _file_metadata(self) -> dict[int, bytes]:
        """Return the values of created_by and of the list of key-values by their ids in the module."""
        if FILE_METADATA not in self.modules:
            return {}
        types = {1: wire.TYPE_BINARY, 2: wire.TYPE_LIST}

        def parse(data: memoryview) -> dict[int, bytes]:
            fields = kernels.thrift.fields(data)
            return {id: bytes(data[value:end]) for id, type, _, value, end in fields if types.get(id) == type}

        return self._parsed(FILE_METADATA, parse)

    def statistics_of(self, leaf: int) -> tuple[int, memoryview]:
        """Return the offset in the payload and the bytes of a column's statistics; none if it has no statistics."""
        if STATISTICS not in self.modules:
            return 0, memoryview(b"")
        begin, end = self._parsed(STATISTICS, kernels.modular.statistics_directory, leaf, self.leaf_count)
        begin, end = begin - self._base, end - self._base
        if not 0 <= begin <= end <= self.frame.root:
            message = f"the statistics of leaf {leaf} go from {begin} to {end}, outside of the payload"
            at = self._payload.offset + self.modules[STATISTICS][0]
            raise Damaged(message, offset=at, expected=self.frame.root, found=end, code=wire.BAD_OFFSET)
        return begin, self._payload.read(begin, end - begin)

    # ---- the schema ---------------------------------------------------------------------------------------------

    @property
    def schema_scan(self) -> Any:
        """Return the scan of the footer without its chunks."""
        return self._skeleton.scan

    @property
    def first_element(self) -> int:
        """Return the offset of the root of the schema in its module."""
        data = self.module(SCHEMA)
        _, _, _, value, _ = next(field for field in kernels.thrift.fields(data) if field[0] == 1)
        return list_start(data, value)[1]

    @cached_property
    def _skeleton(self) -> ThriftForm:
        """Return the footer without its chunks."""
        form = self._parsed(SCHEMA, lambda data: ThriftForm(self._without_chunks(data)))
        if form.leaf_count != self.leaf_count:
            message = f"the schema has {form.leaf_count} leaves, the root of the footer {self.leaf_count}"
            raise Damaged(message, offset=self._payload.offset + self.frame.root, code=wire.BAD_VALUE)
        return form

    def _without_chunks(self, schema: memoryview) -> bytes:
        parts = {field[0]: field for field in kernels.thrift.fields(schema)}
        if 1 not in parts or parts[1][1] != wire.TYPE_LIST:
            raise Malformed("a modular footer whose module schema has no list of elements", offset=0)
        groups = [b"\x19" + NO_CHUNKS + self._tail(number) for number in range(self.row_group_count)]
        facts = self._file_metadata
        fields = [
            (wire.FILE_META_DATA_VERSION, wire.TYPE_I32, integer(self.version)),
            (wire.FILE_META_DATA_SCHEMA, wire.TYPE_LIST, bytes(schema[parts[1][3] : parts[1][4]])),
            (wire.FILE_META_DATA_NUM_ROWS, wire.TYPE_I64, integer(self.num_rows)),
            (wire.FILE_META_DATA_ROW_GROUPS, wire.TYPE_LIST, list_header(len(groups)) + b"".join(groups)),
        ]
        if 2 in facts:
            fields.append((wire.FILE_META_DATA_KEY_VALUE_METADATA, wire.TYPE_LIST, facts[2]))
        if 1 in facts:
            fields.append((wire.FILE_META_DATA_CREATED_BY, wire.TYPE_BINARY, facts[1]))
        if 2 in parts and parts[2][1] == wire.TYPE_LIST:
            orders = bytes(schema[parts[2][3] : parts[2][4]])
            fields.append((wire.FILE_META_DATA_COLUMN_ORDERS, wire.TYPE_LIST, orders))
        return joined(fields) + b"\0"

    @cached_property
    def _sizes(self) -> tuple[memoryview, memoryview]:
        """Return the bytes and the rows of all row groups."""
        return self.row_groups("total_byte_size"), self.row_groups("num_rows")

    def _tail(self, number: int) -> bytes:
        """Return the bytes of a row group that follow its chunks."""
        return b"".join((b"\x16", integer(self._sizes[0][number]), b"\x16", integer(self._sizes[1][number]), b"\0"))

    @cached_property
    def _flat(self) -> Any:
        """Return the index of the schema if there are no groups, else None; the schema's begin has to confirm it."""
        index = self.schema_index
        if index is None or not index.is_flat or not self.leaf_count:
            return None
        begin, length = self.modules[SCHEMA]
        header = LIST_OF_ELEMENTS + list_header(index.elements)
        end = index.element_offset(1)
        if index.element_offset(0) != len(header) or not len(header) < end <= length:
            return None
        data = self._payload.read(begin, end)
        root = _whole_struct(data[len(header) :])
        is_flat = data[: len(header)] == header and root and parse_element(root).num_children == self.leaf_count
        return index if is_flat else None

    @cached_property
    def _orders_of_types(self) -> bool | None:
        """Return True if all columns of a flat schema have the order of their type, False if they have none."""
        begin, length = self.modules[SCHEMA]
        at = self._element_at(self.leaf_count)
        data = self._payload.read(begin + at, length - at)
        rest = bytes(data[kernels.thrift.struct_end(data) :])
        if rest == b"\0":
            return False
        return True if rest == b"\x19" + list_header(self.leaf_count) + OF_THE_TYPE * self.leaf_count + b"\0" else None

    def _element_at(self, element: int) -> int:
        """Return the offset of an element in the module with the schema, after checking it."""
        at, length = self._flat.element_offset(element), self.modules[SCHEMA][1]
        if at >= length:
            message = f"schema element {element} begins at {at}, the schema has {length} bytes"
            offset = self._payload.offset + self.modules[SCHEMA_INDEX][0]
            raise Damaged(message, offset=offset, expected=length, found=at, code=wire.BAD_OFFSET)
        return at

    def _flat_element(self, leaf: int) -> bytes | None:
        """Return the struct of a leaf by the index of a flat schema; None if it does not lead to one."""
        begin, length = self.modules[SCHEMA]
        at = self._element_at(leaf + 1)
        end = self._element_at(leaf + 2) if leaf + 1 < self.leaf_count else length
        if end <= at:
            return None
        data = self._payload.read(begin + at, end - at)
        return _whole_struct(data, has_more=leaf + 1 == self.leaf_count)

    def _flat_node(self, leaf: int) -> Node | None:
        """Return the node of a leaf without reading the whole schema, or None if that is not possible."""
        if "_skeleton" in self.__dict__ or self._flat is None or not 0 <= leaf < self.leaf_count:
            return None
        struct, has_orders = self._flat_element(leaf), self._orders_of_types
        if struct is None or has_orders is None:
            return None
        element = parse_element(struct)
        if element.type is None or element.num_children:
            return None
        repetition = element.repetition or REQUIRED
        order = wire.ORDER_TYPE_ORDER if has_orders else 0
        levels = int(repetition != REQUIRED), int(repetition == REPEATED)
        return Node(struct, element.name.encode("utf-8", "surrogateescape"), 0, leaf + 1, leaf, 1, order, *levels)

    @property
    def node_count(self) -> int:
        return 1 if "_skeleton" not in self.__dict__ and self._flat is not None else self._skeleton.node_count

    def node(self, identity: int) -> Node:
        """Return the node of an id."""
        return (None if identity & GROUP else self._flat_node(identity)) or self._skeleton.node(identity)

    def find_name(self, name: bytes) -> list[int]:
        """Return the ids of all leaves, then all groups, with this path; dots and NULs are equal.

        The index of a flat schema finds a name without a dot; otherwise the schema is searched.
        """
        return self._indexed(name) or self._skeleton.find_name(name)

    def _indexed(self, name: bytes) -> list[int]:
        """Return the leaf to which the index leads if no other leaf can have this name, else none.

        After a few names it is none, so that the schema is parsed.
        """
        if (
            self._searches == FEW_SEARCHES
            or "_skeleton" in self.__dict__
            or self._flat is None
            or b"." in name
            or b"\0" in name
        ):
            return []
        try:
            leaves = self._flat.candidates(name)
        except ParquetextError as error:
            raise self.at_module(error, SCHEMA_INDEX) from None
        nodes = {leaf: self._flat_node(leaf) for leaf in leaves}
        found = [leaf for leaf, node in nodes.items() if node is not None and node.path == name]
        self._searches += 1
        return found if len(found) == 1 and self._occurs_once(name) else []

    def _occurs_once(self, name: bytes) -> bool:
        """Return True if only one element of the schema can have this name, without parsing the others.

        The index may list one of several equal names. Each has the name's bytes after the last byte of its length,
        which is 0 if the length has more bytes than it needs.
        """
        schema = bytes(self.module(SCHEMA))
        if _is_single(schema, name):
            return True
        last = kernels.varint.encode(len(name))[-1:]
        return _is_single(schema, last + name) and b"\0" + name not in schema

    def find_field_id(self, field_id: int) -> list[int]:
        return self._skeleton.find_field_id(field_id)

    # ---- chunks -------------------------------------------------------------------------------------------------

    def structs(self, leaf: int, first: int, count: int, **options: Any) -> tuple[bytes, memoryview]:
        """Return the structs of a leaf's chunks, with statistics, and their lengths.

        Bounds are the deprecated ones if the schema has no order of columns.
        """
        begin, statistics = self.statistics_of(leaf) if 0 <= leaf < self.leaf_count else (0, memoryview(b""))
        deprecated = len(statistics) > 0 and not self.node(leaf).column_order
        try:
            return self.placement.structs(leaf, first, count, statistics, deprecated=deprecated, **options)
        except ParquetextError as error:
            if error.code == wire.BAD_ARGUMENT:
                raise IndexError(leaf, first, count) from None
            message = f"the chunks of leaf {leaf} cannot be read: {error.message}"
            raise Damaged(message, offset=self._payload.offset + begin, code=error.code) from None

    def chunk_structs(self, leaf: int, first: int, count: int) -> list[bytes]:
        """Return the ColumnChunk structs of a leaf in row groups ``[first, first + count)``, with their paths."""
        data, lengths = self.structs(leaf, first, count, path=names_of_path(self.node(leaf).path))
        return _split(data, lengths)

    def column(self, leaf: int, first: int = 0, count: int | None = None):
        count = self.row_group_count - first if count is None else count
        groups, _ = self.structs(leaf, first, count, in_row_groups=True)
        node = self.node(leaf)
        element = node.thrift
        parts = [b"\x15\x02\x19\x2c\x48\x01r\x15\x02\0", element, b"\x16\0\x19", list_header(count), groups]
        if node.column_order:
            parts += [bytes([3 << 4 | wire.TYPE_LIST]), list_header(1), column_order(node.column_order)]
        return kernels.scan.scan(b"".join([*parts, b"\0"])).column(0)

    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
        options = {"arrow_schema": arrow_schema, "key_values": key_values}
        leaves, row_groups = list(leaves), list(row_groups)
        if not all(0 <= number < self.row_group_count for number in row_groups):
            raise IndexError(row_groups)
        without_chunks = self._skeleton.slice(leaves, [], **options)  # which also checks the leaves
        if not row_groups:
            return without_chunks
        form = ThriftForm(self._with_chunks(without_chunks, leaves, row_groups))
        return form.slice(range(len(leaves)), range(len(row_groups)), **options)

    def _with_chunks(self, footer: bytes, leaves: list[int], row_groups: list[int]) -> bytes:
        """Return a footer of these leaves, without row groups, with these row groups."""
        numbers = sorted({*row_groups})
        structs = {leaf: self._in_row_groups(leaf, numbers) for leaf in leaves}
        tails = {number: self._tail(number) for number in numbers}
        return with_row_groups(footer, structs, tails, leaves, row_groups)

    def _in_row_groups(self, leaf: int, numbers: list[int]) -> dict[int, bytes]:
        """Return the structs of a leaf's chunks in row groups, by number; each run of numbers is read at once."""
        found: dict[int, bytes] = {}
        at = 0
        while at < len(numbers):
            end = at + 1
            while end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
                end += 1
            data, lengths = self.structs(leaf, numbers[at], end - at)
            found.update(zip(numbers[at:end], _split(data, lengths), strict=True))
            at = end
        return found

    def to_thrift(self) -> bytes:
        """Return a Thrift footer with all facts of this one."""
        if not self.row_group_count:
            return bytes(self._skeleton.scan.data)
        leaves, numbers = range(self.leaf_count), range(self.row_group_count)
        structs = {leaf: dict(enumerate(self.chunk_structs(leaf, 0, self.row_group_count))) for leaf in leaves}
        tails = {number: self._tail(number) for number in numbers}
        return with_row_groups(bytes(self._skeleton.scan.data), structs, tails, leaves, numbers)

    # ---- the rest -----------------------------------------------------------------------------------------------

    def row_groups(self, name: str) -> memoryview:
        """Return one number of each row group; the footer stores that of rows, and others are -1."""
        if name == "num_rows":
            return self._of_placement(lambda placement: placement.rows())
        if name == "total_byte_size":
            return self._of_placement(lambda placement: placement.row_group_bytes())
        if name == "chunk_count":
            return memoryview(array("I", [self.leaf_count] * self.row_group_count))
        if name == "ordinal":
            return memoryview(array("i", [-1] * self.row_group_count))
        return memoryview(array("q", [-1] * self.row_group_count))

    def _of_placement(self, read: Any) -> memoryview:
        try:
            return read(self.placement)
        except ParquetextError as error:
            raise self.at_module(error, PLACEMENT) from None

    @property
    def created_by(self) -> bytes | None:
        value = self._file_metadata.get(1)
        return None if value is None else value[kernels.varint.decode32(value, 0)[1] :]

    @property
    def key_value_count(self) -> int:
        return self._skeleton.key_value_count if 2 in self._file_metadata else 0

    def key_value(self, index: int) -> tuple[bytes, bytes | None]:
        return self._skeleton.key_value(index)

    def sorting_columns(self, row_group: int) -> list[tuple[int, bool, bool]]:
        """Return an empty list: the footer does not store an order of rows."""
        return []

    def hold(self) -> None:
        """Read all of the footer into memory."""
        self._payload.hold()

    def close(self) -> None:
        """Forget the modules."""
        for name in ("placement", "schema_index", "_skeleton", "_flat", "_file_metadata"):
            self.__dict__.pop(name, None)


def opened(payload) -> ModularForm:
    """Return the form of a payload in memory."""
    return ModularForm(Payload(None, 0, len(payload), payload, len(payload)))


def _read_root(data: memoryview, at: int) -> Root:
    """Return the root, which begins at an offset of the payload."""
    try:
        return Root(*kernels.modular.read_root(data))
    except ParquetextError as error:
        raise error.at(None, at) from None


def _is_single(data: bytes, text: bytes) -> bool:
    at = data.find(text)
    return at >= 0 and data.find(text, at + 1) < 0


def _whole_struct(data: memoryview, *, has_more: bool = False) -> bytes | None:
    """Return the struct that the bytes are, or with which they begin if they have more; None if they are none."""
    try:
        end = kernels.thrift.struct_end(data)
    except Malformed:
        return None
    return bytes(data[:end]) if has_more or end == len(data) else None


def _split(data: bytes, lengths) -> list[bytes]:
    found, at = [], 0
    for length in lengths:
        found.append(data[at : at + length])
        at += length
    return found
