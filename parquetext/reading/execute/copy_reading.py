"""Read column chunks from their copies in other encodings; if a copy cannot be read, read the chunk itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ... import wire
from ...encoding.carried import Carried, may_have_copies
from ...encoding.chunk_reader import Chunk, ChunkReader
from ...encoding.registry import find_named
from ...errors import Damaged, OutOfProportion, ParquetextError, Unsupported
from ...findings import Finding
from ...footer.copied_chunks import CopyTable, copy_in
from ...footer.locate import footer_begin
from ...footer.model import FooterReader
from ...footer.page_index import PagePlaces
from ..plan.page_rows import Rows, pages_with_rows

DAMAGED, OUTDATED, UNKNOWN = "copy-damaged", "copy-outdated", "copy-unknown"
# Decoding a value of a copy takes as long as decompressing so many bytes (measured: 1.2 ns, 54 ns, and 0.7 ns a byte).
NUMBER_COST, TEXT_COST = 2, 64
PAGE_BYTES = 1 << 20  # of a page without an index, as most writers limit them


class Copies:
    """The copies of a slice's chunks.

    Parameters
    ----------
    table : CopyTable, optional
        The table of a flat footer. If None, the slice's ColumnMetaData structs contain the offsets of copies.
    leaves, row_groups : sequence of int
        The file's numbers of the slice's leaves and row groups.
    findings : list of Finding
        Receives the reason for each copy that is not read.
    """

    def __init__(
        self, table: CopyTable | None, leaves: Sequence[int], row_groups: Sequence[int], findings: list[Finding]
    ):
        self._table, self._leaves, self._row_groups, self._findings = table, leaves, row_groups, findings
        self._known: dict[tuple[int, int], Carried | None] = {}
        self._end: int | None = None  # end of the data, set when a copy is found

    def may_be(self, footer: bytes) -> bool:
        """Return True if chunks of the slice with this footer may have copies."""
        return self._table is not None or may_have_copies(footer)

    def find(self, form: FooterReader, footer: bytes, chunk: Chunk, row_group: int, source) -> Carried | None:
        """Return the copy of a chunk of the slice if it is known to be readable, else None."""
        key = chunk.leaf.leaf, row_group
        if key not in self._known:
            try:
                self._known[key] = self._found(form, footer, chunk, row_group, source)
            except Unsupported as error:
                self._tell(UNKNOWN, chunk, error, is_note=True)
                self._known[key] = None
            except ParquetextError as error:
                self.leave(chunk, row_group, error)
        return self._known[key]

    def pass_over(self, leaf: int, row_group: int) -> None:
        """Read the chunk itself from now on, because that is faster."""
        self._known[leaf, row_group] = None

    def leave(self, chunk: Chunk, row_group: int, error: ParquetextError) -> None:
        """Record that the copy is damaged, and read the chunk itself from now on."""
        self._known[chunk.leaf.leaf, row_group] = None
        self._tell(DAMAGED, chunk, error)

    def _found(self, form: FooterReader, footer: bytes, chunk: Chunk, row_group: int, source) -> Carried | None:
        leaf = chunk.leaf.leaf
        if self._table is None:
            copy = copy_in(form.column(leaf), row_group, footer)
        else:
            copy = self._table.find(self._leaves[leaf], self._row_groups[row_group])
        if copy is None:
            return None
        if not copy.fits(chunk.begin, chunk.size, chunk.num_values):
            message = f"a copy of {copy.num_values} values, {copy.chunk_length} bytes at {copy.chunk_offset}"
            self._tell(OUTDATED, chunk, Damaged(f"{message}: the chunk is another one", offset=copy.offset))
            return None
        pages = -(-chunk.num_rows // copy.rows_per_page)
        if self._end is None:
            self._end = footer_begin(source)
        if copy.end > self._end or pages != len(copy.page_lengths):
            position = f"{len(copy.page_lengths)} pages, {copy.length} bytes at {copy.offset}"
            message = f"a copy of {position}, for {chunk.num_rows} rows in front of a footer at {self._end}"
            raise Damaged(message, offset=copy.offset)
        _check_encoding(copy, chunk)
        return copy

    def _tell(self, kind: str, chunk: Chunk, error: ParquetextError, *, is_note: bool = False) -> None:
        position = f"row group {chunk.row_group}, column {chunk.leaf.path}"
        found = Finding(kind, error.message.removeprefix(f"{position}: "), error.offset, position, is_note)
        if found not in self._findings:
            self._findings.append(found)


def _check_encoding(copy: Carried, chunk: Chunk) -> None:
    """Raise Unsupported if the encoding is unknown or does not support values of this type."""
    encoding = find_named(copy.encoding, copy.uuid)
    if encoding is None:
        raise Unsupported(f"encoding {copy.uuid or copy.encoding} is not known", offset=copy.offset)
    if chunk.leaf.kind.physical not in encoding.types:
        raise Unsupported(f"{encoding.name} does not encode values of this type", offset=copy.offset)


def places_of(copy: Carried, num_rows: int) -> PagePlaces:
    """Return the offsets, lengths and first rows of the pages of a copy."""
    offsets, at = [], copy.offset
    for length in copy.page_lengths:
        offsets.append(at)
        at += length
    first_rows = list(range(0, num_rows, copy.rows_per_page))
    return PagePlaces(offsets, list(copy.page_lengths), first_rows, num_rows)


def is_cheaper(copy: Carried, chunk: Chunk, chunk_bytes: int, places: PagePlaces | None, ranges: Rows) -> bool:
    """Return True if some rows are decoded faster from a copy than from its chunk; both decode whole pages.

    Parameters
    ----------
    chunk_bytes : int
        The uncompressed bytes of the chunk.
    places : PagePlaces, optional
        The pages of the chunk, if they are known.
    ranges : list of (int, int)
        The rows.
    """
    cost = TEXT_COST if chunk.leaf.kind.physical == wire.PHYSICAL_BYTE_ARRAY else NUMBER_COST
    decoded = _rows_of_pages(copy.rows_per_page, ranges) * cost
    if places is None:
        rows = _rows_of_pages(max(1, PAGE_BYTES * chunk.num_rows // max(chunk_bytes, 1)), ranges)
    else:
        counts = places.row_counts
        rows = sum(counts[page] for page in pages_with_rows(places, ranges))
    return decoded * chunk.num_rows <= rows * chunk_bytes


def _rows_of_pages(rows_per_page: int, ranges: Rows) -> int:
    """Return the number of rows of the pages, of a constant number of rows, that contain ascending ranges."""
    pages, behind = 0, 0
    for begin, end in ranges:
        pages += -(-end // rows_per_page) - max(begin // rows_per_page, behind)
        behind = -(-end // rows_per_page)
    return pages * rows_per_page


class SteadyReader:
    """Read all rows of a chunk from its copy; if the copy fails, continue with the chunk itself.

    A copy fails if it is damaged, out of proportion to its bytes, or has levels that do not form a column.

    Parameters
    ----------
    opened : callable
        Returns a reader at the first row of a chunk or copy.
    by_copy, chunk : Chunk
    leave : callable
        Called with the error because of which the copy is no longer used.
    """

    def __init__(
        self,
        opened: Callable[[Chunk], ChunkReader],
        by_copy: Chunk,
        chunk: Chunk,
        leave: Callable[[ParquetextError], None],
    ):
        self._opened, self._chunk, self._leave = opened, chunk, leave
        self._reader, self._is_by_copy, self._done = opened(by_copy), True, 0

    @property
    def dictionary(self):
        return self._reader.dictionary

    @property
    def list_items(self) -> Sequence[int]:
        return self._reader.list_items

    def read(self, rows: int) -> None:
        """Read rows as `ChunkReader.read` does, from the end of the rows taken so far."""
        try:
            self._reader.read(rows)
        except ParquetextError as error:
            if not self._is_by_copy:
                raise
            if not isinstance(error, OutOfProportion):
                self._leave(error)
            self._go_over(rows)
        self._done += rows

    def take(self) -> list:
        return self._reader.take()

    def read_again(self, rows: int, error: ParquetextError) -> bool:
        """Read the last rows again, now from the chunk, because they could not be assembled.

        Return True if they had been read from the copy; otherwise nothing is read again.
        """
        was_by_copy = self._is_by_copy
        if was_by_copy:
            self._leave(error)
            self._done -= rows
            self._go_over(rows)
            self._done += rows
        return was_by_copy

    def _go_over(self, rows: int) -> None:
        """Read the next rows, and all that follow, from the chunk."""
        self._reader, self._is_by_copy = self._opened(self._chunk), False
        self._reader.skip(self._done)
        self._reader.read(rows)
