"""Write a modular footer from a scanned Thrift footer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import kernels, wire
from ...errors import Unsupported
from ...thrift import integer, list_header, list_start, read_at
from ...thrift.values import joined
from ..dialect.from_thrift import is_fully_dictionary_encoded
from ..jump_table.index_struct import element_names, element_paths
from ..jump_table.name_hash import placed
from ..regularity import check_regular
from .array_writing import number_array, text_array
from .framing import (
    ALONE_TRAILER,
    ASIDE_MAGIC,
    ASIDE_TRAILER,
    FILE_METADATA,
    PLACEMENT,
    SCHEMA,
    SCHEMA_INDEX,
    STATISTICS,
    largest_count,
    most_chunks,
)

VERSION, ROW_GROUPS, COLUMNS, ROWS, MODULES = 1, 2, 3, 4, 5  # fields of the root
DISCRIMINATOR_BITS = 8
MOST_FILLED = 0.7  # of the slots of the table of names
STRUCT, LIST = wire.TYPE_STRUCT, wire.TYPE_LIST
NUMBERS = {  # of PLACEMENT: one number for each chunk
    1: "data_page_offset",
    4: "total_compressed_size",
    5: "total_uncompressed_size",
    6: "num_values",
    7: "codec",
}
INDEXES = 1 << wire.ENCODING_RLE_DICTIONARY | 1 << wire.ENCODING_PLAIN_DICTIONARY


def build(scan, start: int | None) -> bytes:
    """Return the payload for a scanned footer.

    Parameters
    ----------
    scan : Scan
    start : int, optional
        The payload's offset in a file that has no Thrift footer; if None, the file has one.

    Raises
    ------
    Unsupported
        If the modules cannot express the footer.
    """
    check_expressible(scan)
    fields = {field[0]: field for field in kernels.thrift.fields(scan.data)}
    pieces: list[bytes] = []
    modules: dict[int, tuple[int, int]] = {}

    def add(kind: int | None, data: bytes) -> int:
        """Append a module or a column's statistics, and return its offset."""
        at = sum(map(len, pieces))
        pieces.append(data)
        if kind is not None:
            modules[kind] = at, len(data)
        return at

    schema, first_element = _schema(scan, fields)
    add(FILE_METADATA, _file_metadata(scan, fields))
    add(SCHEMA_INDEX, _schema_index(scan, first_element))
    offsets = [len(pieces[0]) + len(pieces[1])]
    columns = [column_statistics(scan, leaf) for leaf in range(scan.leaf_count)]
    for column in columns:
        offsets.append(offsets[-1] + len(column))
    add(None, b"".join(columns))
    add(STATISTICS, _module([(1, number_array(offsets))]))
    add(PLACEMENT, _placement(scan))
    add(SCHEMA, schema)
    root = add(None, _root(scan, modules))
    end = ASIDE_TRAILER.pack(root, ASIDE_MAGIC) if start is None else ALONE_TRAILER.pack(start, root)
    payload = b"".join([*pieces, end])
    count = largest_count(scan.leaf_count, scan.row_group_count)
    if count > most_chunks(len(payload)):
        message = f"{count} chunks, columns or row groups need only {len(payload)} bytes, which readers refuse"
        raise Unsupported(message, expected=most_chunks(len(payload)), found=count, code=wire.UNSUPPORTED_VALUE)
    return payload


def check_expressible(scan) -> None:
    """Raise Unsupported for a footer that the modules cannot express."""
    check_regular(scan)
    if not scan.element_count:
        raise Unsupported(
            "a footer without a schema cannot be expressed by a modular footer", code=wire.UNSUPPORTED_VALUE
        )
    chunks = zip(scan.chunks("present"), scan.chunks("dictionary_page_offset"), strict=True)
    for chunk, (present, dictionary) in enumerate(chunks):
        problem = None
        if present & wire.PRESENT_PLACED != wire.PRESENT_PLACED:
            problem = "lacks metadata that readers require"
        elif present & wire.PRESENT_FILE_PATH:
            problem = "has its values in another file"
        elif present & wire.PRESENT_DICTIONARY_PAGE_OFFSET and dictionary < 0:
            problem = "has a negative dictionary_page_offset"
        if problem:
            raise _unsupported(scan, chunk, problem)
    for name in (*NUMBERS.values(), "type"):
        numbers = scan.chunks(name)
        if len(numbers) and min(numbers) < 0:
            chunk = next(chunk for chunk, number in enumerate(numbers) if number < 0)
            raise _unsupported(scan, chunk, f"has a negative {name}")
    if any(rows < 0 for rows in scan.row_groups("num_rows")) or scan.num_rows < 0:
        raise Unsupported(
            "a negative number of rows cannot be expressed by a modular footer", code=wire.UNSUPPORTED_VALUE
        )
    leaves, types = scan.leaf_count, scan.chunks("type")
    for leaf in range(leaves):
        of_leaf = types[leaf::leaves]
        if len(of_leaf) and min(of_leaf) != max(of_leaf):
            raise _unsupported(scan, leaf, "has another physical type than other chunks of the column")


def _unsupported(scan, chunk: int, problem: str) -> Unsupported:
    row_group, leaf = divmod(chunk, scan.leaf_count)
    message = f"row group {row_group}, leaf {leaf}: the chunk {problem}, which a modular footer cannot express"
    return Unsupported(message, offset=scan.chunks("chunk_offset")[chunk], code=wire.UNSUPPORTED_VALUE)


def _module(arrays: Sequence[tuple[int, bytes]]) -> bytes:
    return joined([(id, STRUCT, array) for id, array in arrays]) + b"\0"


def _by_column(scan, name: str) -> list[int]:
    """Return a number of all chunks, column by column."""
    numbers = scan.chunks(name)
    return [number for leaf in range(scan.leaf_count) for number in numbers[leaf :: scan.leaf_count]]


def _schema(scan, fields) -> tuple[bytes, int]:
    """Return the module SCHEMA, and the distance of its elements from those in the footer."""
    begin, end = fields[wire.FILE_META_DATA_SCHEMA][3:]
    lists = [(1, LIST, bytes(scan.data[begin:end]))]
    if scan.has_column_orders:
        begin_orders, end_orders = fields[wire.FILE_META_DATA_COLUMN_ORDERS][3:]
        lists.append((2, LIST, bytes(scan.data[begin_orders:end_orders])))
    return joined(lists) + b"\0", 1 - begin


def _file_metadata(scan, fields) -> bytes:
    found = []
    if scan.created_by is not None:
        begin, end = fields[wire.FILE_META_DATA_CREATED_BY][3:]
        found.append((1, wire.TYPE_BINARY, bytes(scan.data[begin:end])))
    if scan.has_key_values:
        begin, end = fields[wire.FILE_META_DATA_KEY_VALUE_METADATA][3:]
        found.append((2, LIST, bytes(scan.data[begin:end])))
    return joined(found) + b"\0"


def _schema_index(scan, shift: int) -> bytes:
    leaves, elements = list(scan.leaves), scan.element_count
    paths = element_paths(scan)
    bits = max(len(leaves), 1).bit_length()
    table = _hash_table([paths[element] for element in leaves], bits)
    fields = [
        (1, STRUCT, number_array(table)),
        (2, wire.TYPE_BYTE, bytes([DISCRIMINATOR_BITS])),
        (3, wire.TYPE_BYTE, bytes([bits])),
        (4, STRUCT, number_array([offset + shift for offset in scan.elements("bytes_offset")])),
    ]
    if elements != len(leaves) + 1:
        parents = [max(parent, 0) for parent in scan.elements("parent")]
        fields += [(5, STRUCT, number_array(leaves)), (6, STRUCT, number_array(parents))]
    is_ascii = all(name.isascii() for name in element_names(scan))
    fields.append((7, wire.TYPE_FALSE if is_ascii else wire.TYPE_TRUE, b""))
    return joined(fields) + b"\0"


def _hash_table(paths: Sequence[bytes], bits: int) -> list[int]:
    """Return the slots of the table of names."""
    slots = 1
    while len(paths) > MOST_FILLED * slots:
        slots *= 2
    hashes = [*map(kernels.modular.hash_of, paths)]
    tags = [hashed >> 64 - DISCRIMINATOR_BITS << bits for hashed in hashes]
    return [number and tags[number - 1] | number for number in placed(hashes, slots)]


def _placement(scan) -> bytes:
    arrays = {id: number_array(_by_column(scan, name)) for id, name in NUMBERS.items()}
    present, dictionaries = _by_column(scan, "present"), _by_column(scan, "dictionary_page_offset")
    first, offsets = [0], []
    for bits, offset in zip(present, dictionaries, strict=True):
        if bits & wire.PRESENT_DICTIONARY_PAGE_OFFSET:
            offsets.append(offset)
        first.append(len(offsets))
    arrays[2], arrays[3] = number_array(first), number_array(offsets)
    types = scan.chunks("type")
    physical = scan.elements("type")
    arrays[8] = number_array(
        [types[leaf] if len(types) else max(physical[element], 0) for leaf, element in enumerate(scan.leaves)]
    )
    arrays[9] = number_array(_fully_dictionary(scan))
    arrays[10] = number_array(list(scan.row_groups("num_rows")))
    return _module(sorted(arrays.items()))


def _fully_dictionary(scan) -> list[int]:
    """Return, column by column, 1 for each chunk whose encodings show that all data pages use its dictionary."""
    data, known = scan.data, {}
    found = []
    chunks = zip(_by_column(scan, "encodings"), _by_column(scan, "metadata_offset"), strict=True)
    for encodings, at in chunks:
        if not encodings & INDEXES:
            found.append(0)
            continue
        stats = kernels.thrift.find(data, wire.COLUMN_META_DATA_ENCODING_STATS, at)
        key = encodings, b"" if stats is None else bytes(data[stats[3] : stats[4]])
        if key not in known:
            known[key] = int(is_fully_dictionary_encoded(_encodings_of(data, encodings, stats)))
        found.append(known[key])
    return found


def _encodings_of(data, encodings: int, stats: tuple[int, int, int, int, int] | None) -> dict[str, Any]:
    """Return the encodings of a chunk's metadata, and the statistics of its pages."""
    listed = {"encodings": [number for number in wire.NAMES_OF_ENCODING if encodings >> number & 1]}
    if stats is None or stats[1] != LIST or data[stats[3]] & 15 != STRUCT:
        return listed
    pages = []
    count, at = list_start(data, stats[3])
    for _ in range(count):
        page, at = read_at("PageEncodingStats", data, at)
        pages.append(page)
    return listed | {"encoding_stats": pages}


def column_statistics(scan, leaf: int) -> bytes:
    """Return the ColumnStatistics of a leaf; no bytes if there are none."""
    chunks = scan.column(leaf)
    present = chunks.array("present")
    nulls: list[int | None] = [
        count if bits & wire.PRESENT_NULL_COUNT and count >= 0 else None
        for bits, count in zip(present, chunks.array("null_count"), strict=True)
    ]
    bounds = [
        pair if None not in pair else None for pair in zip(chunks.bound_values(1), chunks.bound_values(2), strict=True)
    ]
    arrays: list[tuple[int, bytes]] = []
    if any(count is not None for count in nulls):
        arrays.append((1, number_array(nulls)))
    if any(pair is not None for pair in bounds):
        arrays += _bound_arrays(bounds, present)
    nans = _nan_counts(scan, chunks)
    if any(count is not None for count in nans):
        arrays.append((7, number_array(nans)))
    return _module(arrays) if arrays else b""


def _common(low: bytes, high: bytes) -> bytes:
    """Return the longest common prefix of two texts."""
    if low[:1] != high[:1]:
        return b""
    most = min(len(low), len(high))
    return low[: next((at for at in range(most) if low[at] != high[at]), most)]


def _bound_arrays(bounds: Sequence[Any], present: Sequence[int]) -> list[tuple[int, bytes]]:
    prefixes = [None if pair is None else _common(*pair) for pair in bounds]
    low, high = (
        [
            None if pair is None else pair[side][len(prefix or b"") :]
            for pair, prefix in zip(bounds, prefixes, strict=True)
        ]
        for side in (0, 1)
    )
    exact = [
        [
            int(bool(bits & is_exact)) if pair is not None and bits & known else None
            for pair, bits in zip(bounds, present, strict=True)
        ]
        for known, is_exact in (
            (wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
            (wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
        )
    ]
    return [
        (2, text_array(prefixes)),
        (3, text_array(low)),
        (4, text_array(high)),
        (5, number_array(exact[0])),
        (6, number_array(exact[1])),
    ]


def _nan_counts(scan, chunks) -> list[int | None]:
    """Return the numbers of NaNs that the chunks store."""
    found: list[int | None] = []
    sizes = zip(chunks.array("statistics_offset"), chunks.array("statistics_length"), strict=True)
    for offset, length in sizes:
        field = kernels.thrift.find(scan.data, wire.STATISTICS_NAN_COUNT, offset) if length else None
        if field is None or field[1] != wire.TYPE_I64:
            found.append(None)
            continue
        count = kernels.varint.zigzag_decode(kernels.varint.decode64(scan.data, field[3])[0])
        found.append(count if count >= 0 else None)
    return found


def _root(scan, modules: dict[int, tuple[int, int]]) -> bytes:
    entries = []
    for kind, (offset, length) in sorted(modules.items()):
        location = joined([(1, wire.TYPE_I64, integer(offset)), (2, wire.TYPE_I64, integer(length))]) + b"\0"
        entries.append(joined([(1, wire.TYPE_I32, integer(kind)), (2, STRUCT, location)]) + b"\0")
    fields = [
        (VERSION, wire.TYPE_I32, integer(scan.version)),
        (ROW_GROUPS, wire.TYPE_I32, integer(scan.row_group_count)),
        (COLUMNS, wire.TYPE_I32, integer(scan.leaf_count)),
        (ROWS, wire.TYPE_I64, integer(scan.num_rows)),
        (MODULES, LIST, list_header(len(entries)) + b"".join(entries)),
    ]
    return joined(fields) + b"\0"
