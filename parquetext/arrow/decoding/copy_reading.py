"""Column chunks read by their copies in other encodings, and by themselves where a copy cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...encoding.carried import Carried, may_have_copies
from ...encoding.chunk_reader import Chunk, ChunkReader
from ...encoding.pages import OutOfProportion
from ...encoding.registry import find_named
from ...errors import Damaged, ParquetextError, Unsupported
from ...findings import Finding
from ...footer.copied_chunks import CopyTable, copy_in
from ...footer.locate import footer_begin
from ...footer.model import Form
from ...footer.page_index import PagePlaces

__all__ = ["Copies", "SteadyReader", "places_of"]

DAMAGED, OUTDATED, UNKNOWN = "copy-damaged", "copy-outdated", "copy-unknown"


class Copies:
    """The copies of a slice's chunks.

    Parameters
    ----------
    table : CopyTable, optional
        Of a flat footer; without, the slice's ColumnMetaData structs say where copies are.
    leaves, row_groups : sequence of int
        What the file calls those of the slice.
    findings : list of Finding
        Takes why a copy is not read.
    """

    def __init__(
        self, table: CopyTable | None, leaves: Sequence[int], row_groups: Sequence[int], findings: list[Finding]
    ):
        self._table, self._leaves, self._row_groups, self._findings = table, leaves, row_groups, findings
        self._known: dict[tuple[int, int], Carried | None] = {}
        self._end: int | None = None  # of the data, once a copy is found

    def may_be(self, footer: bytes) -> bool:
        """Whether chunks of the slice with this footer may have copies."""
        return self._table is not None or may_have_copies(footer)

    def find(self, form: Form, footer: bytes, chunk: Chunk, row_group: int, source) -> Carried | None:
        """The copy of a chunk of the slice, once it is known to be one that can be read; or None."""
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

    def leave(self, chunk: Chunk, row_group: int, error: ParquetextError) -> None:
        """Go by the chunk itself from now on."""
        self._known[chunk.leaf.leaf, row_group] = None
        self._tell(DAMAGED, chunk, error)

    def _found(self, form: Form, footer: bytes, chunk: Chunk, row_group: int, source) -> Carried | None:
        leaf = chunk.leaf.leaf
        if self._table is None:
            copy = copy_in(form.column(leaf), row_group, footer)
        else:
            copy = self._table.find(self._leaves[leaf], self._row_groups[row_group])
        if copy is None:
            return None
        if not copy.fits(chunk.begin, chunk.size, chunk.num_values):
            told = f"a copy of {copy.num_values} values, {copy.chunk_length} bytes at {copy.chunk_offset}"
            self._tell(OUTDATED, chunk, Damaged(f"{told}: the chunk is another one", offset=copy.offset))
            return None
        pages = -(-chunk.num_rows // copy.rows_per_page)
        if self._end is None:
            self._end = footer_begin(source)
        if copy.end > self._end or pages != len(copy.page_lengths):
            place = f"{len(copy.page_lengths)} pages, {copy.length} bytes at {copy.offset}"
            told = f"a copy of {place}, for {chunk.num_rows} rows in front of a footer at {self._end}"
            raise Damaged(told, offset=copy.offset)
        _check_encoding(copy, chunk)
        return copy

    def _tell(self, kind: str, chunk: Chunk, error: ParquetextError, *, is_note: bool = False) -> None:
        place = f"row group {chunk.row_group}, column {chunk.leaf.path}"
        found = Finding(kind, error.message.removeprefix(f"{place}: "), error.offset, place, is_note)
        if found not in self._findings:
            self._findings.append(found)


def _check_encoding(copy: Carried, chunk: Chunk) -> None:
    """Raise Unsupported for an encoding that is not known, or not of values of this type."""
    encoding = find_named(copy.encoding, copy.uuid)
    if encoding is None:
        raise Unsupported(f"encoding {copy.uuid or copy.encoding} is not known", offset=copy.offset)
    if chunk.leaf.kind.physical not in encoding.types:
        raise Unsupported(f"{encoding.name} does not encode values of this type", offset=copy.offset)


def places_of(copy: Carried, num_rows: int) -> PagePlaces:
    """Where the pages of a copy are."""
    offsets, at = [], copy.offset
    for length in copy.page_lengths:
        offsets.append(at)
        at += length
    first_rows = list(range(0, num_rows, copy.rows_per_page))
    return PagePlaces(offsets, list(copy.page_lengths), first_rows, num_rows)


class SteadyReader:
    """Reads all rows of a chunk by its copy, and goes on with the chunk itself where the copy turns out damaged, out of
    proportion to its bytes, or of levels that make no column.

    Parameters
    ----------
    opened : callable
        Gives a reader of a chunk's, or copy's, first row.
    by_copy, chunk : Chunk
    leave : callable
        Is told why the copy was left.
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
        """As `ChunkReader.read`, from where the rows that were taken ended."""
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
        """Read the last rows once more, now by the chunk, because nothing could be made of them; whether the copy was
        what they were read by."""
        was_by_copy = self._is_by_copy
        if was_by_copy:
            self._leave(error)
            self._done -= rows
            self._go_over(rows)
            self._done += rows
        return was_by_copy

    def _go_over(self, rows: int) -> None:
        """Read the next rows by the chunk, and all that follow."""
        self._reader, self._is_by_copy = self._opened(self._chunk), False
        self._reader.skip(self._done)
        self._reader.read(rows)
