"""Compare the values of copies in other encodings with the values of the original column chunks, bit for bit."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from ...encoding.chunk_reader import Chunk, ChunkReader, Stretch, chunk_of
from ...encoding.pages import VAST_BYTES
from ...encoding.stored_arrays import stored_array
from ...errors import ParquetextError, Unsupported
from ...findings import Finding
from ...reading.execute.proportion import refuse_much_in_python
from ...rewrite.recode import leaves_of
from .copy_checks import Copy

BITS = {2: pa.uint16(), 4: pa.uint32(), 8: pa.uint64()}
Same = Callable[[pa.Array, pa.Array], bool]


def first_difference(one: pa.Array, other: pa.Array) -> int | None:
    """Return the first row in which two arrays of the same length differ; None if they are equal.

    Floating-point numbers are compared by their bits, NaN and -0.0 too; dictionaries are compared by their values,
    extension types by their storage. Bytes under a null are ignored.
    """
    if _same(one, other):
        return None
    begin, end = 0, len(one)
    while end - begin > 1:
        middle = (begin + end) // 2
        if _same(one.slice(begin, middle - begin), other.slice(begin, middle - begin)):
            begin = middle
        else:
            end = middle
    return begin


def _same(one: pa.Array, other: pa.Array) -> bool:
    one, other = _stored(one), _stored(other)
    if len(one) != len(other):
        return False
    for is_kind, same in _NESTED:
        if is_kind(one.type):
            return is_kind(other.type) and one.is_valid().equals(other.is_valid()) and same(one, other)
    if pa.types.is_floating(one.type) and one.type == other.type:
        bits = BITS[one.type.bit_width // 8]
        one, other = one.view(bits), other.view(bits)
    return one.equals(other)


def _stored(array: pa.Array) -> pa.Array:
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_map(array.type):  # which Arrow does not flatten
        return array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field])))
    return _stored(array.dictionary_decode()) if pa.types.is_dictionary(array.type) else array


def _same_structs(one: pa.StructArray, other: pa.StructArray) -> bool:
    if one.type.num_fields != other.type.num_fields:
        return False
    return all(_same(*pair) for pair in zip(one.flatten(), other.flatten(), strict=True))


def _same_lists(one: pa.Array, other: pa.Array) -> bool:
    """Return the same lengths of lists that are not null, and the same items of these."""
    return one.value_lengths().equals(other.value_lengths()) and _same(one.flatten(), other.flatten())


def _same_fixed_lists(one: pa.FixedSizeListArray, other: pa.FixedSizeListArray) -> bool:
    return one.type.list_size == other.type.list_size and _same(one.flatten(), other.flatten())


_NESTED: list[tuple[Callable[[pa.DataType], bool], Same]] = [
    (pa.types.is_struct, _same_structs),
    (pa.types.is_list, _same_lists),
    (pa.types.is_large_list, _same_lists),
    (pa.types.is_fixed_size_list, _same_fixed_lists),
]


DIFFERENT, UNCOMPARED = "copy-differs", "copy-uncompared"
MOST_ROWS = 1 << 16
BATCH_BYTES = 1 << 22
MOST_BYTES, MOST_OF_BYTE = 1 << 24, 64  # in memory, for a batch of rows, or for each byte of pages
LEAST_WIDTH = 8
SHOWN = 60  # characters of a value


def compare_copies(source, scan, copies: Sequence[Copy]) -> Iterator[Finding]:
    """Decode both and compare levels and values; memory is that of a batch of rows, and of a page of each."""
    copies = [copy for copy in copies if copy.is_readable]
    try:
        refuse_much_in_python(2 * sum(copy.facts.num_values for copy in copies))
    except Unsupported as error:
        yield Finding(UNCOMPARED, error.message, is_note=True)
        return
    leaves = leaves_of(scan) if copies else []
    for copy in copies:
        try:
            chunk = chunk_of(scan, leaves[copy.leaf], copy.row_group, copy.row_group, source.size)
            message = _long_rows(chunk, copy) or _compare(source, chunk, copy)
        except ParquetextError as error:
            yield Finding(UNCOMPARED, error.message, error.offset, copy.label, isinstance(error, Unsupported))
            continue
        if message:
            yield message


def _long_rows(chunk: Chunk, copy: Copy) -> Finding | None:
    """Return a note if a row may take too much memory to be compared, else None."""
    width = max(chunk.leaf.kind.width, LEAST_WIDTH)
    longest = width * (1 + (chunk.num_values - chunk.num_rows if chunk.leaf.levels.repetition else 0))
    if longest <= max(MOST_BYTES, MOST_OF_BYTE * min(chunk.size, copy.facts.length)):
        return None
    message = f"a row may take {longest} bytes, far more than the chunk has: its values are not compared"
    return Finding(UNCOMPARED, message, place=copy.label, is_note=True)


def _compare(source, chunk: Chunk, copy: Copy) -> Finding | None:
    """Return the first values in which they differ."""
    ours, theirs = _opened(source, chunk.by(copy.facts)), _opened(source, chunk)
    width = max(chunk.leaf.kind.width, LEAST_WIDTH)
    most = min(MOST_ROWS, max(1, MOST_BYTES // width))
    row = value = 0
    rows = 1
    while row < chunk.num_rows:
        rows = min(rows, most, chunk.num_rows - row)
        one, other = _taken(ours, rows), _taken(theirs, rows)
        if message := _difference(chunk, one, other, value):
            return Finding(DIFFERENT, message, copy.facts.offset, f"{copy.label}, rows {row} to {row + rows - 1}")
        row, value = row + rows, value + one.slots
        # Texts that a few bytes repeat may be long: batches grow as far as they are small.
        grown = memoryview(one.values).nbytes + one.entries
        rows = max(1, min(4 * rows, rows * BATCH_BYTES // max(grown, 1)))
    ours.close()  # the chunk's pages, and bytes after them, are checked by the page tier
    return None


def _opened(source, chunk: Chunk) -> ChunkReader:
    reader = ChunkReader(chunk.leaf, source, levels=True, checks_crc=True, most_page=VAST_BYTES)
    reader.begin(chunk)
    reader.open(Stretch(chunk.begin, chunk.end, 0, chunk.num_rows))
    return reader


def _taken(reader: ChunkReader, rows: int):
    reader.read(rows)
    found = reader.take()
    if len(found) != 1:
        raise Unsupported(f"{rows} rows take more than 2 GiB")
    return found[0]


def _difference(chunk: Chunk, one, other, first_value: int) -> str:
    """Describe the first difference of two batches; an empty text if they are equal."""
    own = chunk.leaf.levels
    for name, highest in (("repetition", own.repetition), ("definition", own.definition)):
        if _levels(one, name, highest) != _levels(other, name, highest):
            return f"its {name} levels are not those of the chunk"
    one, other = (stored_array(each, chunk.leaf.kind) for each in (one, other))
    position = first_difference(one, other)
    if position is None:
        return ""
    return f"value {first_value + position} is {shown(one, position)}, in the chunk {shown(other, position)}"


def _levels(decoded, name: str, highest: int) -> bytes:
    """Return the definition levels; if none are stored, all are the highest one."""
    found = getattr(decoded, name)
    return bytes(array("H", [highest]) * decoded.entries if found is None else found)


def shown(values: pa.Array, row: int) -> str:
    """Return a value as text on one line, shortened if it is long."""
    text = " ".join(values.slice(row, 1).to_string().split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
