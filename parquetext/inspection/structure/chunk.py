"""Check a column chunk: its metadata in the footer, its position in the file, and the extent of its pages."""

from __future__ import annotations

from collections.abc import Iterator

from ... import wire
from ...encoding.pages import MAGIC_BYTES, Headers, in_front_of_pages
from ...findings import Finding
from ...records import frozen


@frozen
class StoredChunk:
    """A column chunk as its footer describes it.

    Attributes
    ----------
    index : int
        Its number among all chunks of the footer.
    row_group, leaf : int
    num_rows : int
        Rows of the row group.
    present : int
        Bits of ``wire.PRESENT_…``.
    start, end : int
        The range of its pages.
    data_start : int
        The offset of its data pages, which a dictionary page may precede.
    physical : int
        The type of its values.
    leaf_physical : int
        The type of the leaf in the schema.
    label : str
        The text that findings use for it.
    """

    index: int
    row_group: int
    leaf: int
    num_values: int
    num_rows: int
    codec: int
    present: int
    start: int
    end: int
    data_start: int
    max_definition: int
    max_repetition: int
    physical: int
    leaf_physical: int
    label: str

    @property
    def is_elsewhere(self) -> bool:
        """Return True if the pages are in another file."""
        return bool(self.present & wire.PRESENT_FILE_PATH)

    @property
    def is_encrypted(self) -> bool:
        return bool(self.present & wire.PRESENT_CRYPTO)

    def is_within(self, data_end: int) -> bool:
        """Test that the chunk has bytes, all of them before `data_end`."""
        return not self.is_elsewhere and MAGIC_BYTES <= self.start < self.end <= data_end


def check_type(chunk: StoredChunk) -> Iterator[Finding]:
    """Compare a chunk's type and codec with the schema and the format."""
    if chunk.physical != chunk.leaf_physical:
        names = [wire.NAMES_OF_TYPE.get(type, str(type)) for type in (chunk.physical, chunk.leaf_physical)]
        yield Finding("chunk-type", "the chunk has values of {}, the schema says {}".format(*names), place=chunk.label)
    if chunk.codec not in wire.NAMES_OF_COMPRESSION_CODEC:
        yield Finding("chunk-codec", f"codec {chunk.codec} does not exist", place=chunk.label)


def check_values(chunk: StoredChunk) -> Finding | None:
    """Return the finding about a number of values that the row group's rows cannot have."""
    is_flat = chunk.max_repetition == 0
    if chunk.num_values < chunk.num_rows or (is_flat and chunk.num_values != chunk.num_rows):
        message = f"{chunk.num_values} values for {chunk.num_rows} rows"
        return Finding("chunk-values", message, chunk.start, chunk.label)
    return None


def check_rows(chunk: StoredChunk, rows: int) -> Finding | None:
    """Return the finding about pages that have another number of rows than the row group."""
    if rows == chunk.num_rows:
        return None
    message = f"the data pages have {rows} rows, the row group {chunk.num_rows}"
    return Finding("page-rows", message, chunk.start, chunk.label)


def check_place(chunk: StoredChunk, data_end: int) -> Finding | None:
    """Return the finding about a chunk without bytes for its values, or with bytes outside of the data."""
    start, end = chunk.start, chunk.end
    if start == end:
        if not chunk.num_values:
            return None
        return Finding("chunk-empty", f"no bytes for {chunk.num_values} values", start, chunk.label)
    if chunk.is_within(data_end):
        message = in_front_of_pages(chunk.data_start, chunk.num_values)
        return None if message is None else Finding("chunk-range", message, start, chunk.label)
    message = f"bytes {start} to {end} leave the data, which ends at {data_end}"
    return Finding("chunk-range", message, start, chunk.label)


def check_extent(chunk: StoredChunk, headers: Headers, may_overrun: bool) -> Finding | None:
    """Return the finding about pages that do not hold the chunk's values, or do not end with the chunk."""
    values, size = headers.value_count, chunk.end - chunk.start
    if values != chunk.num_values and headers.problem is not None:
        return Finding.of("page", headers.problem, chunk.label)
    if values != chunk.num_values:
        message = f"the data pages hold {values} values, the footer says {chunk.num_values}"
        return Finding("page-values", message, chunk.start, chunk.label)
    if headers.end != chunk.end:
        message = f"its pages take {headers.end - chunk.start} bytes, the footer says {size}"
        is_note = headers.end < chunk.end or may_overrun
        return Finding("chunk-size", message, chunk.end, chunk.label, is_note)
    return None
