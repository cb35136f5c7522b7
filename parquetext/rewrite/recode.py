"""Re-encode a column chunk's values into V2 pages of another encoding."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

import pyarrow as pa

from .. import kernels, wire
from ..encoding.chunk_reader import Chunk, ChunkReader, Levels, Stretch
from ..encoding.codecs import compress
from ..encoding.registry import Encoding
from ..errors import ParquetextError, Unsupported
from ..footer.path_sizes import check_paths
from ..records import frozen
from ..thrift import values

PAGE_BYTES = 1 << 20  # of a page's values before encoding
ROWS_STEP = 1 << 10  # rows per page are a multiple of it, so that encodings get complete vectors
FIRST_ROWS = 1 << 10


@frozen
class Kind:
    """A leaf's physical type, and the size of a value in bytes if it is fixed, else 0."""

    physical: int
    width: int


@frozen
class Leaf:
    """A leaf of a schema for the chunk reader; entries without a value within a list get no slots."""

    leaf: int
    path: str
    levels: Levels
    kind: Kind


@frozen
class Recoded:
    """A complete page, header included, and its counts."""

    data: bytes
    uncompressed_length: int
    entries: int
    nulls: int
    rows: int


def leaves_of(scan) -> list[Leaf]:
    """Return the leaves of a scanned footer; LimitExceeded if their paths take very much memory."""
    check_paths(scan)
    names = ("type", "type_length", "max_definition", "max_repetition", "parent", "name_offset", "name_length")
    types, lengths, definitions, repetitions, parents, offsets, sizes = map(scan.elements, names)

    def path(element: int) -> str:
        found = []
        while element > 0:
            name = bytes(scan.data[offsets[element] : offsets[element] + sizes[element]])
            found.append(name.decode("utf-8", "replace"))
            element = parents[element]
        return ".".join(reversed(found))

    found = []
    for number, element in enumerate(scan.leaves):
        definition, repetition, type = definitions[element], repetitions[element], types[element]
        levels = Levels(definition, repetition, definition if repetition else 0)
        width = lengths[element] if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY else wire.WIDTH_IN_PAGES.get(type, 0)
        found.append(Leaf(number, path(element), levels, Kind(type, width)))
    return found


def recode(source, chunk: Chunk, rows_per_page: int, encoding: Encoding, codec: int) -> Iterator[Recoded]:
    """Yield the chunk's pages in another encoding, in order; all but the last one have `rows_per_page` rows.

    At most one page, and the memory for decoding the chunk's pages, are needed at a time.

    Raises
    ------
    Malformed, Damaged, Unsupported
        If the chunk cannot be read, or if a page would exceed 2 GiB.
    """
    reader = opened(source, chunk)
    for first in range(0, chunk.num_rows, rows_per_page):
        rows = min(rows_per_page, chunk.num_rows - first)
        yield from pages_of(chunk, take(reader, chunk, rows), rows, encoding, [codec])


def rows_per_page(source, chunk: Chunk, **bounds) -> int:
    """Return the number of rows with about 1 MiB of values; for byte arrays, estimate it from the first 1,024 rows."""
    width, rows = chunk.leaf.kind.width, chunk.num_rows
    size = max(1, width * chunk.num_values)
    if not width:
        rows = min(rows, FIRST_ROWS)
        found = take(opened(source, chunk, **bounds), chunk, rows)
        size = max(1, memoryview(found.values).nbytes + 4 * found.slots)
    return max(1, min(PAGE_BYTES * rows // size // ROWS_STEP * ROWS_STEP or PAGE_BYTES * rows // size, chunk.num_rows))


def opened(source, chunk: Chunk, **bounds) -> ChunkReader:
    """Open a chunk at its first row; `bounds` are the memory bounds of `ChunkReader`."""
    reader = ChunkReader(chunk.leaf, source, levels=True, checks_crc=True, **bounds)
    reader.begin(chunk)
    reader.open(Stretch(chunk.begin, chunk.end, 0, chunk.num_rows))
    return reader


def take(reader: ChunkReader, chunk: Chunk, rows: int):
    """Decode and return the next rows."""
    reader.read(rows)
    found = reader.take()
    if len(found) != 1:
        raise Unsupported(f"row group {chunk.row_group}, column {chunk.leaf.path}: {rows} rows take more than 2 GiB")
    return found[0]


def pages_of(chunk: Chunk, decoded, rows: int, encoding: Encoding, codecs: Iterable[int]) -> Iterator[Recoded]:
    """Yield decoded rows as a page in an encoding, once for each codec."""
    own, kind = chunk.leaf.levels, chunk.leaf.kind
    repetition = _levels(decoded.repetition, decoded.entries, own.repetition)
    definition = _levels(decoded.definition, decoded.entries, own.definition)
    count, stored = decoded.slots - decoded.nulls, _values(kind, decoded)
    if not encoding.is_built_in:
        stored = _as_bytes(kind, stored, count)
    assert encoding.encode is not None  # only encodings that can be written are chosen: `edits.encoding_names`
    plain = encoding.encode(stored, count, kind.physical, kind.width)
    _compare(chunk, encoding, plain, stored, count)
    for codec in codecs:
        packed = compress(codec, plain)
        is_compressed = len(packed) < len(plain)
        yield _assembled(decoded, rows, encoding, (repetition, definition), plain, packed if is_compressed else None)


def _assembled(
    decoded, rows: int, encoding: Encoding, levels: tuple[bytes, bytes], plain: bytes, packed: bytes | None
) -> Recoded:
    """Assemble a page; its values are compressed if `packed` is given."""
    repetition, definition = levels
    count, is_compressed = decoded.slots - decoded.nulls, packed is not None
    body = b"".join((*levels, plain if packed is None else packed))
    header = {
        "type": wire.PAGE_DATA_PAGE_V2,
        "uncompressed_page_size": len(repetition) + len(definition) + len(plain),
        "compressed_page_size": len(body),
        "crc": _signed(kernels.checksum.crc32(body)),
        "data_page_header_v2": {
            "num_values": decoded.entries,
            "num_nulls": decoded.entries - count,
            "num_rows": rows,
            "encoding": encoding.id,
            "definition_levels_byte_length": len(definition),
            "repetition_levels_byte_length": len(repetition),
            "is_compressed": is_compressed,
        },
    }
    data = values.write("PageHeader", header) + body
    return Recoded(
        data,
        len(data) + len(plain) - len(body) + len(repetition) + len(definition),
        decoded.entries,
        decoded.entries - count,
        rows,
    )


def _signed(crc: int) -> int:
    return crc - (1 << 32) if crc >> 31 else crc


def _levels(found, entries: int, highest: int) -> bytes:
    """Return levels in RLE without a length prefix; if `found` is None, all levels are the highest."""
    if not highest:
        return b""
    return kernels.encode.levels(array("H", [highest]) * entries if found is None else found, entries, highest)


def _values(kind: Kind, decoded):
    """Return the non-null values in the form that encoders take."""
    is_binary = kind.physical == wire.PHYSICAL_BYTE_ARRAY
    if not decoded.nulls:
        return (decoded.offsets, decoded.values) if is_binary else decoded.values
    buffers = (decoded.valid, decoded.offsets, decoded.values) if is_binary else (decoded.valid, decoded.values)
    array = pa.Array.from_buffers(_arrow(kind), decoded.slots, [pa.py_buffer(buffer) for buffer in buffers])
    found = array.drop_null()
    if found.offset:
        raise AssertionError("values that begin within a buffer")
    return tuple(found.buffers()[1:]) if is_binary else found.buffers()[1] or b""


def are_same(chunk: Chunk, one, other) -> bool:
    """Return True if both results have the same levels and values, bit for bit."""
    own, kind, count = chunk.leaf.levels, chunk.leaf.kind, one.slots - one.nulls
    if (one.entries, one.slots, one.nulls) != (other.entries, other.slots, other.nulls):
        return False
    for name, highest in (("repetition", own.repetition), ("definition", own.definition)):
        found = [_levels(getattr(decoded, name), decoded.entries, highest) for decoded in (one, other)]
        if found[0] != found[1]:
            return False
    return not count or _are_equal(kind, _values(kind, one), _values(kind, other), count)


def _as_bytes(kind: Kind, stored, count: int) -> bytes | tuple[bytes, bytes]:
    """Return exactly `count` values, without excess bytes, as the registry promises to external encodings."""
    if kind.physical == wire.PHYSICAL_BYTE_ARRAY:
        offsets = _head(stored[0], 4 * (count + 1)) or bytes(4)
        return offsets, _head(stored[1], int.from_bytes(offsets[-4:], "little"))
    return _head(stored, count * kind.width if kind.width else (count + 7) // 8)


def _head(buffer, size: int) -> bytes:
    """Return the buffer's first bytes; Arrow has no buffer if there are no values."""
    return b"" if buffer is None else bytes(memoryview(buffer)[:size])


def _arrow(kind: Kind) -> pa.DataType:
    """Return an Arrow type with this value width, without the logical type."""
    if kind.physical == wire.PHYSICAL_BOOLEAN:
        return pa.bool_()
    if not kind.width:
        return pa.binary()
    return {4: pa.int32(), 8: pa.int64()}.get(kind.width) or pa.binary(kind.width)


def _compare(chunk: Chunk, encoding: Encoding, data: bytes, stored, count: int) -> None:
    """Raise unless the encoding round-trips the values: an encoding may be registered by the user."""
    kind = chunk.leaf.kind
    again = encoding.decode(data, count, kind.physical, kind.width)
    if not _are_equal(kind, stored, again, count):
        raise ParquetextError(
            f"row group {chunk.row_group}, column {chunk.leaf.path}: {encoding.name} does not give its values back"
        )


def _are_equal(kind: Kind, left, right, count: int) -> bool:
    """Return True if both sides have the same values, bit for bit."""
    if kind.physical == wire.PHYSICAL_BYTE_ARRAY:
        arrays = [pa.Array.from_buffers(pa.binary(), count, [None, *map(pa.py_buffer, side)]) for side in (left, right)]
        return arrays[0].equals(arrays[1])
    if not kind.width:
        left, right = (
            kernels.encode.encode(wire.ENCODING_PLAIN, kind.physical, 0, side, count) for side in (left, right)
        )
        return left == right
    size = count * kind.width
    left, right = (pa.py_buffer(side) for side in (left, right))
    return min(left.size, right.size) >= size and left.slice(0, size).equals(right.slice(0, size))
