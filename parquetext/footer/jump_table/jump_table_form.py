"""Read a Thrift footer by its jump table: the schema and what follows the row groups, and only the requested chunks.

Each offset is checked against its target before it is used: row groups follow each other without a gap, and a chunk is
one whole struct of the column.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import Any

from ... import kernels, wire
from ...errors import Damaged, Malformed, ParquetextError, wire_error
from ...storage import can_gather
from ...thrift import integer, list_header
from ...thrift.values import names_of_path
from ..elements import parse_element
from ..file_range import FileRange
from ..model import FindsColumns, Node
from ..skeleton import COLUMNS, with_row_groups
from ..thrift_form import ThriftForm
from .index_struct import FooterIndex
from .pointer import FIELD, POINTER_BYTES, damaged

REMOTE_SHARE = 4  # the whole footer is fetched if one leaf in this many is requested
LOCAL_SHARE = 200  # scanning this many chunks costs as much as one by the jump table, checks included
FEW_PARTS = 64  # ranges that are read one by one; for more, the whole footer is read
ROW_GROUP_SIZES = (wire.ROW_GROUP_TOTAL_BYTE_SIZE, wire.ROW_GROUP_NUM_ROWS)
NO_CHUNKS = bytes([wire.TYPE_STRUCT])  # an empty list
PATH = (wire.COLUMN_CHUNK_META_DATA, wire.COLUMN_META_DATA_PATH_IN_SCHEMA)
FILE_OFFSET = (wire.COLUMN_CHUNK_FILE_OFFSET,)
TYPE = (wire.COLUMN_CHUNK_META_DATA, wire.COLUMN_META_DATA_TYPE)


class Metadata(FileRange):
    """The bytes of a Thrift footer in a file, read in parts; see `FileRange` for the parameters.

    Attributes
    ----------
    share : int
        The whole footer is read if one leaf in this many is requested.
    """

    def __init__(self, handle, offset: int, length: int, known: bytes, known_end: int):
        super().__init__(handle, offset, length, known, known_end)
        self._whole: Any = None
        self.share = REMOTE_SHARE if can_gather(handle) else LOCAL_SHARE

    def at(self, begin: int, end: int) -> memoryview:
        """Return a range; raise Damaged if it is not within the metadata."""
        if not 0 <= begin <= end <= self.length:
            raise damaged(f"bytes {begin} to {end} of metadata of {self.length}", self.offset, self.length, end)
        if self._whole is not None:
            return self._whole[begin:end]
        return self.in_file(self.offset + begin, end - begin)

    def ranges(self, ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
        """Return several ranges, with few requests."""
        if len(ranges) > FEW_PARTS:
            self.whole()
        if self._whole is None and can_gather(self._handle):
            return self._handle.gather([partial(self.at, *one) for one in ranges])
        return [self.at(*one) for one in ranges]

    def whole(self) -> memoryview:
        """Return all metadata, which are kept from now on."""
        if self._whole is None:
            self._whole = self.at(0, self.length)
        return self._whole


class JumpTableForm(FindsColumns):
    """A footer that is read by its jump table, with the interface of `model.FooterReader`.

    Schema, key-values and fields of row groups are those of a *skeleton*: the footer without column chunks. If a
    look-up would cost more than a scan of the whole footer, and after many look-ups, that is used instead.

    Raises
    ------
    Damaged
        If the jump table does not lead to the row groups, or if it has other counts than the footer.
    Malformed
        If the footer is malformed.
    """

    def __init__(self, metadata: Metadata, index: FooterIndex):
        self._metadata, self._index = metadata, index
        self._parts: tuple[bytes, list[bytes], bytes] | None = None
        self._skeleton: ThriftForm | None = None
        self._held: ThriftForm | None = None
        self._expected = 0
        if metadata.share > index.leaves:
            self.hold()
        else:
            self._skeleton = self._without_chunks()
        self._check_counts()
        if self._held is None and index.leaves:
            self._structs([index.leaves - 1], range(index.row_groups))  # the last ones show that the groups end there

    version = property(attrgetter("_form.version"))
    num_rows = property(attrgetter("_form.num_rows"))
    node_count = property(attrgetter("_form.node_count"))
    key_value_count = property(attrgetter("_form.key_value_count"))
    created_by = property(attrgetter("_form.created_by"))
    io = property(attrgetter("_metadata.io"))

    @property
    def leaf_count(self) -> int:
        return self._index.leaves

    @property
    def row_group_count(self) -> int:
        return self._index.row_groups

    # ---- the footer without its chunks --------------------------------------------------------------------------

    @property
    def _form(self) -> ThriftForm:
        """Return the form that answers everything except questions about chunks."""
        form = self._held or self._skeleton
        assert form is not None
        return form

    def _check_counts(self) -> None:
        form, expected = self._form, (self.leaf_count, self.row_group_count)
        if (form.leaf_count, form.row_group_count) != expected:
            found = form.leaf_count, form.row_group_count
            message = f"it has {expected} leaves and row groups, the footer {found}"
            raise self._damaged(
                message, 0, *next(pair for pair in zip(found, expected, strict=True) if len({*pair}) > 1)
            )

    def _without_chunks(self) -> ThriftForm:
        """Return the scan of the footer without chunks."""
        front, tails, rest = self._split()
        try:
            return ThriftForm(b"".join((front, *(COLUMNS + NO_CHUNKS + tail for tail in tails), rest)))
        except Malformed as error:
            raise self._damaged(f"the footer without its chunks is malformed: {error.message}", 0) from None

    def _damaged(self, message: str, at: int, expected: int | None = None, found: int | None = None) -> Damaged:
        """Return the error for a jump table that does not fit the metadata at an offset in them."""
        return damaged(message, self._metadata.offset + at, expected, found)

    def _split(self) -> tuple[bytes, list[bytes], bytes]:
        """Return the bytes before the first row group, those after the chunks of each, and those after the last."""
        if self._parts is None:
            index, count = self._index, self.row_group_count
            if not count:
                self._parts = bytes(self._metadata.whole()), [], b""
                return self._parts
            bounds = [*(index.begin(number) for number in range(count)), self._metadata.length]
            self._check_order(bounds)
            ranges = [(0, bounds[0]), *((index.end(number), bounds[number + 1]) for number in range(count))]
            front, *gaps = self._metadata.ranges(ranges)
            expected = COLUMNS + list_header(self.leaf_count)
            begin = self._walked(partial(_row_groups_begin, front, count), 0)
            if bytes(front[begin:]) != expected:
                raise self._misplaced(0, begin + len(expected), bounds[0])
            tails, rest = [], b""
            for number, gap in enumerate(gaps):
                at = ranges[number + 1][0]
                end = self._walked(partial(_row_group_end, gap), at)
                tails.append(bytes(gap[:end]))
                rest = bytes(gap[end:])
                if number < count - 1 and rest != expected:
                    raise self._misplaced(number + 1, at + end + len(expected), bounds[number + 1])
            self._parts = bytes(front[:begin]), tails, rest
        return self._parts

    def _misplaced(self, row_group: int, expected: int, found: int) -> Damaged:
        """Return the error for a row group whose first chunk does not begin at the offset that its fields lead to."""
        if expected == found:
            return self._damaged(f"row group {row_group} has no list of {self.leaf_count} chunks", found)
        message = f"row group {row_group}: its first chunk is at {expected}, and the jump table says {found}"
        return self._damaged(message, found, expected, found)

    def _check_order(self, bounds: Sequence[int]) -> None:
        """Raise Damaged if the chunks of a row group overlap others: bytes between them would be read repeatedly."""
        for number, (begin, following) in enumerate(pairwise(bounds)):
            end = self._index.end(number)
            if not begin <= end <= following:
                message = f"row group {number}: chunks from {begin} to {end}, the next from {following}"
                raise self._damaged(message, begin, begin if end < begin else following, end)

    def _walked(self, walk: Callable[[], int], at: int) -> int:
        """Return the result of a walk over metadata from an offset on; the jump table led there if it fails."""
        try:
            return walk()
        except ParquetextError as error:
            raise self._damaged(f"no fields of the footer begin at {at}: {error.message}", at) from None
        except IndexError:
            raise self._damaged(f"no fields of the footer begin at {at}: they are cut", at) from None

    # ---- chunks ---------------------------------------------------------------------------------------------------

    def chunk_structs(self, leaf: int, first: int, count: int) -> list[bytes]:
        """Return the ColumnChunk structs of a leaf in row groups ``[first, first + count)``, after checking them."""
        return self._structs([leaf], range(first, first + count))[leaf]

    def _structs(self, leaves: Sequence[int], numbers: Sequence[int]) -> dict[int, list[bytes]]:
        """Return the ColumnChunk structs of leaves, one for each of these row groups, after checking them."""
        self._split()  # which checks the bounds of row groups
        index = self._index
        for number in numbers:
            last = index.begin(number)
            for leaf in sorted({*leaves}):
                begin, end = index.chunk(number, leaf)
                self._check_range(f"row group {number}, leaf {leaf}: a chunk", begin, end, last, index.end(number))
                last = end
        parts = self._metadata.ranges([index.chunk(number, leaf) for leaf in leaves for number in numbers])
        found = {}
        for at, leaf in enumerate(leaves):
            found[leaf] = structs = [bytes(part) for part in parts[at * len(numbers) : (at + 1) * len(numbers)]]
            self._check_structs(leaf, numbers, structs)
        if all(_has_path(struct) for structs in found.values() for struct in structs):
            return found
        return self._scanned_structs(leaves, numbers)

    def _check_range(self, name: str, begin: int, end: int, least: int, most: int) -> None:
        """Raise Damaged for a range that is empty, or not within the one that is left for it."""
        if end <= begin:
            raise self._damaged(f"{name} of {end - begin} bytes at {begin}, at least 1", begin, 1, end - begin)
        if not least <= begin < end <= most:
            numbers = (least, begin) if begin < least else (most, end)
            raise self._damaged(f"{name} from {begin} to {end}, not within {least} to {most}", begin, *numbers)

    def _scanned_structs(self, leaves: Sequence[int], numbers: Sequence[int]) -> dict[int, list[bytes]]:
        """Return the structs by a scan: a chunk without its path cannot be told from another one of its type."""
        self.hold()
        self._check_counts()
        scan = self._form.scan
        if not scan.regular:
            raise self._damaged("a row group does not have one chunk per leaf", 0)
        offsets, lengths, data = scan.chunks("chunk_offset"), scan.chunks("chunk_length"), memoryview(scan.data)
        found: dict[int, list[bytes]] = {}
        for leaf in leaves:
            places = [number * self.leaf_count + leaf for number in numbers]
            found[leaf] = [bytes(data[offsets[at] : offsets[at] + lengths[at]]) for at in places]
        return found

    def _check_structs(self, leaf: int, numbers: Sequence[int], structs: Sequence[bytes]) -> None:
        """Raise Damaged unless each struct is a chunk of the leaf."""
        node = self._form.node(leaf)
        path, physical = names_of_path(node.path), parse_element(node.thrift).type
        for number, struct in zip(numbers, structs, strict=True):
            if not _is_chunk(struct, path, None if physical is None else integer(physical)):
                offset = self._index.chunk(number, leaf)[0]
                raise self._damaged(f"row group {number}, leaf {leaf}: no chunk of this column at {offset}", offset)

    def column(self, leaf: int, first: int = 0, count: int | None = None):
        from ..column_footer import column_footer  # late: it needs the registry, which needs this module

        self._expect(1)
        if self._held is not None:
            return self._held.column(leaf)
        if not 0 <= leaf < self.leaf_count:
            raise IndexError(leaf)
        footer = column_footer(self, leaf, first, self.row_group_count - first if count is None else count)
        return kernels.scan.scan(footer).column(0)

    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
        options = {"arrow_schema": arrow_schema, "key_values": key_values}
        leaves, row_groups = list(leaves), list(row_groups)
        if row_groups:
            self._expect(len(leaves))
        if self._held is not None or not row_groups:
            return self._form.slice(leaves, row_groups, **options)
        if not all(0 <= number < self.row_group_count for number in row_groups):
            raise IndexError(row_groups)
        without_chunks = self._form.slice(leaves, [], **options)  # which also checks the leaves
        form = ThriftForm(self._with_chunks(without_chunks, leaves, row_groups))
        return form.slice(range(len(leaves)), range(len(row_groups)), **options)

    def _with_chunks(self, footer: bytes, leaves: Sequence[int], row_groups: Sequence[int]) -> bytes:
        """Return a footer of these leaves, without row groups, with these row groups."""
        numbers, tails = sorted({*row_groups}), dict(enumerate(self._split()[1]))
        found = self._structs(leaves, numbers)
        structs = {leaf: dict(zip(numbers, found[leaf], strict=True)) for leaf in leaves}
        return with_row_groups(footer, structs, tails, leaves, row_groups)

    def row_groups(self, name: str) -> memoryview:
        if name == "chunk_count":
            return memoryview(array("I", [self.leaf_count] * self.row_group_count))
        return self._form.row_groups(name)

    # ---- names ----------------------------------------------------------------------------------------------------

    def find_name(self, name: bytes) -> list[int]:
        """Return the ids of all leaves, then all groups, with this path; dots and NULs are equal.

        They are those of the schema, which is scanned anyway: the table of names may list one of several equal names.
        """
        return self._form.find_name(name)

    def find_columns(self, names: list) -> list[tuple | None]:
        if len(names) * self._metadata.share > self.leaf_count:
            self.hold()
        return super().find_columns(names)

    def find_field_id(self, field_id: int) -> list[int]:
        return self._form.find_field_id(field_id)

    # ---- the rest -------------------------------------------------------------------------------------------------

    def node(self, identity: int) -> Node:
        return self._form.node(identity)

    def key_value(self, index: int) -> tuple[bytes, bytes | None]:
        return self._form.key_value(index)

    def sorting_columns(self, row_group: int) -> list[tuple[int, bool, bool]]:
        return self._form.sorting_columns(row_group)

    def _expect(self, leaves: int) -> None:
        """Scan the whole footer if that costs less than reading this many further leaves by the jump table."""
        self._expected += leaves
        if self._expected * self._metadata.share > self.leaf_count:
            self.hold()

    def hold(self) -> None:
        """Scan the whole footer, and keep it."""
        if self._held is None:
            try:
                self._held = ThriftForm(self._metadata.whole())
            except ParquetextError as error:
                raise error.at(None, self._metadata.offset) from None

    def close(self) -> None:
        self._parts = self._skeleton = self._held = None


def _header(data: memoryview, at: int, last: int) -> tuple[int, int, int]:
    """Return id and type of the field whose header is at `at`, and the offset of its value; type 0 is the stop."""
    byte = data[at]
    if byte and not byte & 15:
        raise wire_error(wire.BAD_TYPE, at)
    if byte >> 4 or not byte:
        return last + (byte >> 4), byte & 15, at + 1
    id, at = kernels.varint.decode32(data, at + 1)
    return kernels.varint.zigzag_decode(id), byte & 15, at


def _row_groups_begin(front: memoryview, count: int) -> int:
    """Return the offset of the first row group in the bytes before its first chunk."""
    at, id = POINTER_BYTES, FIELD
    while True:
        id, type, value = _header(front, at, id)
        if not type:
            raise Malformed("the footer ends before its row groups", offset=at)
        if id == wire.FILE_META_DATA_ROW_GROUPS and type == wire.TYPE_LIST:
            break
        at = kernels.thrift.skip(front, value, type)
    header = list_header(count)
    if bytes(front[value : value + len(header)]) != header:
        raise Malformed(f"not a list of {count} row groups", offset=value)
    return value + len(header)


def _row_group_end(data: memoryview) -> int:
    """Return the offset after the stop of a row group whose chunks precede `data`.

    The fields that it must have distinguish it from a chunk, from whose begin on bytes are fields of a row group, too.
    """
    at, id = 0, wire.ROW_GROUP_COLUMNS
    types: dict[int, int] = {}
    while True:
        id, type, value = _header(data, at, id)
        if not type:
            break
        types[id] = type
        at = kernels.thrift.skip(data, value, type)
    if any(types.get(needed) != wire.TYPE_I64 for needed in ROW_GROUP_SIZES):
        raise Malformed("a row group without its size and its number of rows", offset=0)
    return value


def _has_path(struct: bytes) -> bool:
    return kernels.thrift.path(struct, PATH) is not None


def _is_chunk(struct: bytes, path: bytes, physical: bytes | None) -> bool:
    """Return True if bytes are one ColumnChunk of a column with this path and type.

    Fields that readers require must be there: the end of a struct is a struct, too, with other ids.
    """
    try:
        if kernels.thrift.struct_end(struct) != len(struct):
            return False
        begin, type, found = (kernels.thrift.path(struct, steps) for steps in (FILE_OFFSET, TYPE, PATH))
    except ParquetextError:
        return False
    if begin is None or begin[0] != wire.TYPE_I64 or type is None or type[0] != wire.TYPE_I32:
        return False
    has_path = found is None or struct[found[1] : found[2]] == path  # writers may omit it
    return has_path and struct[type[1] : type[2]] == physical
