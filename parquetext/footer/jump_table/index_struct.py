"""The index of a jump table, the struct FileMetadataFooterIndex: check, read and build it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ... import kernels, wire
from ...errors import Damaged, ParquetextError, Unsupported
from ...records import frozen
from ...thrift import binary, integer
from ...thrift.values import joined
from ..regularity import check_regular
from .name_hash import NameHash, built
from .pointer import PLAIN, ZSTD, damaged, largest_index

LEAVES, ROW_GROUPS, CHUNKS, FIELD_OFFSETS, SCHEMA = 1, 2, 3, 4, 5  # fields of FileMetadataFooterIndex
ELEMENTS, OFFSETS, CHILDREN, NAMES, FIELD_IDS, NON_ASCII = 1, 2, 3, 4, 5, 6  # of SchemaLayout
SLOTS, DISCRIMINATOR_BITS, TABLE = 1, 2, 3  # of NameHashTable
NO_IDS, IDENTITY, EXPLICIT = 1, 2, 3  # of FieldIdMapping
WIDEST = 8
NO_FIELD_ID = -1 << 31
MOST_DISCRIMINATOR_BITS = 32


@frozen
class Packed:
    """Unsigned little-endian numbers of equal width."""

    data: memoryview
    width: int

    def __getitem__(self, index: int) -> int:
        at = index * self.width
        return int.from_bytes(self.data[at : at + self.width], "little")

    def __iter__(self) -> Iterator[int]:
        return (self[index] for index in range(len(self.data) // self.width if self.width else 0))


class FooterIndex(NamedTuple):
    """The content of an index; the sizes of its parts fit together.

    Attributes
    ----------
    leaves, row_groups : int
    chunks : Packed
        Offsets in the metadata: for each row group, one per leaf and the end of the last chunk.
    elements : int
        Number of schema elements; 0 without a schema layout.
    element_offsets, children : Packed or None
    names : NameHash or None
    """

    leaves: int
    row_groups: int
    chunks: Packed
    elements: int = 0
    element_offsets: Packed | None = None
    children: Packed | None = None
    names: NameHash | None = None

    def chunk(self, row_group: int, leaf: int) -> tuple[int, int]:
        """Return begin and end of a chunk."""
        at = row_group * (self.leaves + 1) + leaf
        return self.chunks[at], self.chunks[at + 1]

    def begin(self, row_group: int) -> int:
        """Return the offset of a row group's first chunk."""
        return self.chunks[row_group * (self.leaves + 1)]

    def end(self, row_group: int) -> int:
        """Return the offset after a row group's last chunk."""
        return self.chunks[row_group * (self.leaves + 1) + self.leaves]


def decompressed(data, version: int, metadata_length: int):
    """Return the struct of an index; its size is limited by that of the metadata.

    Raises
    ------
    Damaged
        If the bytes are not of the version's codec, or decompress to too many.
    """
    if version == PLAIN:
        return data
    import pyarrow as pa  # late: most indexes are plain

    limit = largest_index(metadata_length)
    try:
        if version == ZSTD:
            found = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read(limit + 1)
            size = len(found)
        else:
            size = kernels.page.lz4_size(data)
            found = pa.Codec("lz4_raw").decompress(data, size, asbytes=True) if 0 < size <= limit else b""
    except (OSError, ParquetextError, pa.ArrowException) as error:
        raise damaged(f"its index cannot be decompressed: {error}", 0) from None
    if size > limit:
        raise damaged(f"its index decompresses to more than {limit} bytes, to at least {size}", 0, limit, size)
    return found


def read_index(data, metadata_length: int) -> FooterIndex:
    """Read an index, and check counts, lengths and widths.

    Raises
    ------
    Damaged
        If the struct is malformed, lacks a required field, or if sizes contradict each other.
    """
    data = memoryview(data).cast("B")
    try:
        end = kernels.thrift.struct_end(data)
        if end != len(data):
            raise damaged(f"its index has {len(data)} bytes, and its struct {end}", 0, end, len(data))
        fields = _Fields(data, 0)
        leaves, row_groups, chunks = fields.number(LEAVES), fields.number(ROW_GROUPS), fields.binary(CHUNKS)
        layout = fields.struct(SCHEMA)
        if leaves is None or row_groups is None or chunks is None:
            raise damaged("its index lacks the number of leaves, of row groups, or the offsets of chunks", 0)
        for count in (leaves, row_groups):
            if not 0 <= count < metadata_length:
                message = f"{row_groups} row groups of {leaves} leaves in {metadata_length} bytes"
                raise damaged(message, 0, metadata_length, count)
        index = FooterIndex(leaves, row_groups, _packed(chunks, row_groups * (leaves + 1), "chunks"))
        return index if layout is None else _with_layout(index, layout, metadata_length)
    except Damaged:
        raise
    except ParquetextError as error:
        raise damaged(
            f"its index is malformed: {error.message}", error.offset or 0, error.expected, error.found
        ) from None


def _with_layout(index: FooterIndex, layout: _Fields, metadata_length: int) -> FooterIndex:
    elements, offsets, children = layout.number(ELEMENTS), layout.binary(OFFSETS), layout.binary(CHILDREN)
    if elements is None or offsets is None:
        raise damaged("its schema lacks the number of elements, or their offsets", 0)
    least = index.leaves + 1
    if not least <= elements < metadata_length:
        message = f"a schema of {elements} elements, of which {index.leaves} are leaves, in {metadata_length} bytes"
        raise damaged(f"{message}: at least {least}", 0, least if elements < least else metadata_length, elements)
    if children is None and elements != least:
        raise damaged(f"a flat schema of {elements} elements: root and leaves are {least}", 0, least, elements)
    return index._replace(
        elements=elements,
        element_offsets=_packed(offsets, elements, "schema elements"),
        children=None if children is None else _packed(children, elements, "numbers of children"),
        names=_names(layout.struct(NAMES)),
    )


def _names(fields: _Fields | None) -> NameHash | None:
    if fields is None:
        return None
    slots, bits, table = fields.number(SLOTS), fields.number(DISCRIMINATOR_BITS) or 0, fields.binary(TABLE)
    if slots is None or table is None:
        raise damaged("its table of names lacks the number of slots, or the slots", 0)
    if slots < 1:
        raise damaged(f"a table of names with {slots} slots: at least 1", 0, 1, slots)
    width = _packed(table, slots, "slots").width
    most = min(8 * width - 1, MOST_DISCRIMINATOR_BITS)
    if not 0 <= bits <= most:
        raise damaged(f"{bits} discriminator bits in slots of {width} bytes: at most {most}", 0, most, bits)
    return NameHash(slots, width, bits, table)


def _packed(data: memoryview, count: int, what: str) -> Packed:
    width, rest = divmod(len(data), count) if count else (0, len(data))
    if rest or (count and not 1 <= width <= WIDEST):
        raise damaged(f"{len(data)} bytes for the offsets of {count} {what}", 0, count, len(data))
    return Packed(data, width)


class _Fields:
    """The fields of a struct in an index by their ids."""

    def __init__(self, data: memoryview, at: int):
        self._data = data
        self._found = {field[0]: field for field in kernels.thrift.fields(data, at)}

    def _value(self, id: int, type: int) -> int | None:
        field = self._found.get(id)
        return field[3] if field is not None and field[1] == type else None

    def number(self, id: int) -> int | None:
        at = self._value(id, wire.TYPE_I32)
        return None if at is None else kernels.varint.zigzag_decode(kernels.varint.decode32(self._data, at)[0])

    def binary(self, id: int) -> memoryview | None:
        at = self._value(id, wire.TYPE_BINARY)
        if at is None:
            return None
        length, begin = kernels.varint.decode32(self._data, at)
        return self._data[begin : begin + length]

    def struct(self, id: int) -> _Fields | None:
        at = self._value(id, wire.TYPE_STRUCT)
        return None if at is None else _Fields(self._data, at)


# ---- building -------------------------------------------------------------------------------------------------------


def build_index(scan, shift: int) -> bytes:
    """Build the struct from a scanned footer that `shift` bytes will precede.

    Raises
    ------
    Unsupported
        If a row group does not have one chunk per leaf, or if a group has no children.
    """
    check_regular(scan)
    fields = [
        (LEAVES, wire.TYPE_I32, integer(scan.leaf_count)),
        (ROW_GROUPS, wire.TYPE_I32, integer(scan.row_group_count)),
        (CHUNKS, wire.TYPE_BINARY, binary(_pack([offset + shift for offset in chunk_offsets(scan)]))),
        (SCHEMA, wire.TYPE_STRUCT, _layout(scan, shift)),
    ]
    return joined(fields) + b"\0"


def chunk_offsets(scan) -> Iterator[int]:
    """Yield the offsets of chunks in the order of an index."""
    leaves, offsets = scan.leaf_count, scan.chunks("chunk_offset")
    begins, lengths = scan.row_groups("columns_offset"), scan.row_groups("columns_length")
    for row_group in range(scan.row_group_count):
        yield from offsets[row_group * leaves : (row_group + 1) * leaves]
        yield begins[row_group] + lengths[row_group]


def _layout(scan, shift: int) -> bytes:
    children = child_counts(scan)
    if children.count(0) != scan.leaf_count:
        message = "a group without children has no place in a jump table"
        leaves = set(scan.leaves)
        empty = next(element for element, count in enumerate(children) if not count and element not in leaves)
        offset = scan.elements("bytes_offset")[empty]
        raise Unsupported(message, offset=offset, expected=1, found=0, code=wire.UNSUPPORTED_VALUE)
    slots, table = built(element_paths(scan))
    names = joined([(SLOTS, wire.TYPE_I32, integer(slots)), (TABLE, wire.TYPE_BINARY, binary(table))]) + b"\0"
    is_ascii = all(bytes(name).isascii() for name in element_names(scan))
    fields = [
        (ELEMENTS, wire.TYPE_I32, integer(len(children))),
        (OFFSETS, wire.TYPE_BINARY, binary(_pack([offset + shift for offset in scan.elements("bytes_offset")]))),
        (CHILDREN, wire.TYPE_BINARY, binary(_pack(children))),
        (NAMES, wire.TYPE_STRUCT, names),
    ]
    mapping = _field_ids(scan)
    if mapping is not None:
        fields.append((FIELD_IDS, wire.TYPE_STRUCT, mapping))
    fields.append((NON_ASCII, wire.TYPE_FALSE if is_ascii else wire.TYPE_TRUE, b""))
    return joined(fields) + b"\0"


def child_counts(scan) -> list[int]:
    """Return the number of children of each schema element."""
    parents = list(scan.elements("parent"))
    children = [0] * len(parents)
    for parent in parents[1:]:
        children[parent] += 1
    return children


def element_names(scan) -> Iterator[bytes]:
    """Yield the names of all schema elements."""
    data = memoryview(scan.data)
    for start, length in zip(scan.elements("name_offset"), scan.elements("name_length"), strict=True):
        yield bytes(data[start : start + length])


def element_paths(scan) -> list[bytes]:
    """Return the paths of all schema elements, names below the root with NUL between them."""
    paths = [b""]
    for name, parent in zip([*element_names(scan)][1:], scan.elements("parent")[1:], strict=True):
        paths.append(paths[parent] + b"\0" + name if parent else name)
    return paths


def _field_ids(scan) -> bytes | None:
    """Return the union for the leaves' field ids, or None if an id repeats."""
    ids = scan.elements("field_id")
    pairs = [(ids[element], leaf) for leaf, element in enumerate(scan.leaves) if ids[element] != NO_FIELD_ID]
    if not pairs:
        return joined([(NO_IDS, wire.TYPE_STRUCT, b"\0")]) + b"\0"
    if len(pairs) == scan.leaf_count and all(id == leaf for id, leaf in pairs):
        return joined([(IDENTITY, wire.TYPE_STRUCT, b"\0")]) + b"\0"
    if len({id for id, _ in pairs}) < len(pairs):
        return None
    content: list[Any] = [kernels.varint.encode(len(pairs)), bytes([wire.TYPE_I32 << 4 | wire.TYPE_I32])]
    content += [integer(number) for pair in pairs for number in pair]
    return joined([(EXPLICIT, wire.TYPE_MAP, b"".join(content))]) + b"\0"


def _pack(numbers: Sequence[int]) -> bytes:
    width = (max(numbers, default=0).bit_length() + 7) // 8 or 1
    return b"".join(number.to_bytes(width, "little") for number in numbers)
