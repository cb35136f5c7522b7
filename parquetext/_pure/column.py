"""The pages of column chunks as the buffers of an Arrow array."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from .. import wire
from ..errors import wire_error
from . import encoding
from .column_lists import Lists
from .column_output import Forgotten, Output
from .column_page import GivenPage, Leaf, OpenPage, placed

__all__ = ["Column", "Decoded", "codecs", "from_file"]

Buffer = bytes | bytearray | memoryview

LARGEST = (1 << 31) - 1
DATA_PAGES = (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2)


class Decoded(NamedTuple):
    """What was decoded of a column. Every buffer is an object that ``pyarrow.py_buffer`` takes as it is.

    Attributes
    ----------
    entries : int
        Pairs of levels; without repetition as many as rows.
    rows : int
    slots : int
        Entries that have a slot in the leaf's array: all but those of null and empty lists.
    nulls : int
        Slots without a value.
    valid : buffer or None
        A bitmap over the slots, least significant bit first; None without nulls.
    values : buffer
        `slots` values of the type's width, zeros where null; a bitmap of booleans; the bytes of byte arrays.
    offsets : buffer or None
        `slots` + 1 numbers of 32 bits, the first one 0: where byte arrays begin in `values`. None for other types.
    definition, repetition : buffer or None
        `entries` levels of 16 bits, where levels are kept. `definition` is also None where every entry is at the
        highest level.
    """

    entries: int
    rows: int
    slots: int
    nulls: int
    valid: Buffer | None
    values: Buffer
    offsets: Buffer | None
    definition: Buffer | None
    repetition: Buffer | None


class Column:
    """A decoder of one leaf: pages go in, one after another, and the buffers of an Arrow array come out.

    Parameters
    ----------
    type : int
        A `wire.PHYSICAL_…`.
    type_length : int
        Bytes of a FIXED_LEN_BYTE_ARRAY; without meaning for other types.
    max_definition, max_repetition : int
        The leaf's highest levels.
    repeated_definition : int
        The definition level of the innermost repeated field around the leaf: an entry below it has no slot. 0 outside
        of lists.
    levels : bool
        Keep definition levels, which the structs around a leaf need. Where `max_repetition` is above 0, levels of both
        kinds are always kept.
    most_bytes : int
        The most that the byte arrays of one `Decoded` may take, 2³¹ − 1 at most.
    rows : int
        How many rows will be read before they are taken, over all chunks, as far as it is known: memory is reserved
        for them together, as far as the bytes that are there make it likely.
    forgets : bool
        What is read is decoded, so that it is checked, and not kept: `take` gives nothing. A text of a dictionary is
        not copied then, and `most_bytes` has no meaning.
    lists : sequence of int, optional
        The definition levels of the repeated fields around the leaf, `max_repetition` of them, the outermost first:
        levels that contradict them are refused when their page is opened (LEVELS_CONTRADICT), which otherwise
        `kernels.levels` does in the end.

    Attributes
    ----------
    rows : int
        Rows decoded since the last `take`, one that may go on included.
    is_full : bool
        `read` ended early: the next byte array would have gone beyond `most_bytes`, or the slots beyond 2³¹ − 1. Take,
        then read on. Of a row that was decoded in part, nothing is lost: it goes over to what is taken next.
    is_open : bool
        The given pages are used up, and the last row may go on in the next page, as rows with repetition do. (Pages of
        V2 should begin with a row, but some do not.) Give it the next page and read on, with 0 rows if no more are
        wanted.

    Notes
    -----
    A page is checked when reading reaches it, its levels as a whole first; of the rows of a page whose values are
    damaged, some may have been decoded. A page that is skipped as a whole is only looked into where its levels tell
    rows. Bytes behind the last value of a page are ignored, as other readers ignore them.

    Errors have two more attributes: `page`, the number of the page among those given since `chunk` (dictionaries do
    not count), and `part`: "page" (what its header says), "levels", "values" or "dictionary". The offset counts from
    what was given for the part: `values` of a V1 page is its whole body; for `pages` it is `data`. After an error a
    column is not used again.
    """

    def __init__(
        self,
        type: int,
        type_length: int,
        max_definition: int,
        max_repetition: int,
        repeated_definition: int,
        *,
        levels: bool = False,
        most_bytes: int = LARGEST,
        rows: int = 0,
        forgets: bool = False,
        lists: Sequence[int] | None = None,
    ):
        is_array = type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
        if not 0 <= type <= wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            raise wire_error(wire.BAD_ARGUMENT, 0, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, type)
        if is_array and not 0 < type_length <= LARGEST:
            raise wire_error(wire.BAD_ARGUMENT, 0, LARGEST, type_length)
        for level, limit in (
            (max_definition, 0xFFFF),
            (max_repetition, max_definition),
            (repeated_definition, max_definition if max_repetition else 0),
        ):
            if not 0 <= level <= limit:
                raise wire_error(wire.BAD_ARGUMENT, 0, limit, level)
        width = type_length if is_array else wire.WIDTH_IN_PAGES.get(type, 0)
        self._leaf = Leaf(type, type_length, width, max_definition, max_repetition, repeated_definition)
        kind = Forgotten if forgets else Output
        self._output = kind(self._leaf, levels or max_repetition > 0, min(most_bytes, LARGEST))
        self.is_full = False
        if lists is not None and max_repetition and len(lists) != max_repetition:
            raise wire_error(wire.BAD_ARGUMENT, 0, max_repetition, len(lists))
        self._lists = Lists(lists) if lists is not None and max_repetition else None
        self.chunk()

    def chunk(self, num_values: int | None = None, num_rows: int | None = None) -> None:
        """Begin the next column chunk. Pages that were given and not read are forgotten, and so is the dictionary.

        Parameters
        ----------
        num_values : int, optional
            The most entries that its pages may have.
        num_rows : int, optional
            The rows of the row group. Its pages may have more; the compiled kernels estimate memory by it.
        """
        self._given: deque[GivenPage] = deque()
        self._count = 0
        self._page: OpenPage | None = None
        self._dictionary = None
        self._entries_left = num_values
        self._goes_on: str | None = None  # what the last row may do in what comes next: it was "read" or "skipped"
        if self._lists is not None:
            self._lists.begin()

    @property
    def list_items(self) -> tuple[int, ...]:
        """The elements of each of `lists` in the pages that were opened, over all chunks."""
        return () if self._lists is None else tuple(self._lists.items)

    @property
    def rows(self) -> int:
        return self._output.rows

    @property
    def is_open(self) -> bool:
        return self._goes_on is not None and not self._given and self._page.is_used_up

    def dictionary(self, data: Buffer, count: int) -> None:
        """Give it the chunk's dictionary: the decompressed body of the dictionary page, `count` PLAIN values."""
        self._give_dictionary(memoryview(data).cast("B"), count, 0)

    def page(self, header: object, levels: Buffer | None, values: Buffer) -> None:
        """Give it the next data page, decompressed.

        Parameters
        ----------
        header : PageHeader
            Or anything with these attributes of one: `type`, `num_values`, `encoding`, `definition_encoding`,
            `repetition_encoding`, `definition_size`, `repetition_size`; -1 if absent.
        levels : bytes-like or None
            The levels of a V2 page. None where they stand in front of the values, as in every V1 page.
        values : bytes-like
            The values of a V2 page, or the whole body.
        """
        stored = None if levels is None else memoryview(levels).cast("B")
        self._give(header, stored, memoryview(values).cast("B"), 0)

    def pages(self, headers: object, data: Buffer, first: int = 0, last: int | None = None) -> None:
        """Give it pages that are not compressed where they lie, the dictionary page among them.

        Parameters
        ----------
        headers : Pages
            As `kernels.page.walk` gives them, counting from `data`.
        data : bytes-like
        first, last : int
            Which of the pages, the one at `last` excluded; all of them by default.
        """
        view = memoryview(data).cast("B")
        for index in range(first, len(headers) if last is None else last):
            header = headers.header(index)
            start = header.offset + header.header_size
            body = view[start : start + header.compressed_size]
            if len(body) < header.compressed_size:
                raise wire_error(wire.TRUNCATED, start, header.compressed_size, len(body))
            if header.type == wire.PAGE_DICTIONARY_PAGE:
                self._give_dictionary(body, header.num_values, start)
            elif header.type != wire.PAGE_INDEX_PAGE:
                self._give(header, None, body, start)

    def read(self, rows: int) -> int:
        """Decode the next `rows` rows.

        Returns
        -------
        int
            Rows that were begun: fewer than asked for at the end of the given pages, or where `is_full`.
        """
        if self._goes_on == "skipped":
            self._advance(0, keeps=False)
        return 0 if self.is_full or self._goes_on == "skipped" else self._advance(rows, keeps=True)

    def skip(self, rows: int) -> int:
        """Pass over the next `rows` rows, and return how many; a row that may go on is read to its end first."""
        if self._goes_on == "read":
            self._advance(0, keeps=True)
        return 0 if self.is_full or self._goes_on == "read" else self._advance(rows, keeps=False)

    def turn(self, counts: Sequence[int], at: int = 0, done: int = 0) -> tuple[int, int]:
        """Skip and read in turns, as far as the given pages go.

        Parameters
        ----------
        counts : sequence of int
            Rows to skip, to read, to skip, and so on.
        at, done : int
            The turn to go on with, and how many rows of it were begun before.

        Returns
        -------
        (int, int)
            The turn that it came to, and how many rows of it were begun. The first one is ``len(counts)`` where all
            are done; it is that of a finished turn whose last row may go on in the next page, or where `is_full`.
        """
        for count in counts:
            if count < 0:
                raise wire_error(wire.BAD_ARGUMENT, 0, 0, count)
        while at < len(counts):
            done += (self.read if at % 2 else self.skip)(counts[at] - done)
            if self.is_full or done < counts[at] or self.is_open:
                break
            at, done = at + 1, 0
        return at, done

    def take(self) -> Decoded:
        """What was decoded since the last time: whole rows, where `is_full`, else everything."""
        goes_over = self.is_full and self._goes_on is not None
        self.is_full = False
        return Decoded(*self._output.take(whole_rows=goes_over))

    def _give_dictionary(self, data: memoryview, count: int, base: int) -> None:
        with placed(self._count, "dictionary", base):
            if self._dictionary is not None:
                raise wire_error(wire.SECOND_DICTIONARY)
            leaf = self._leaf
            values, _ = encoding.decode(wire.ENCODING_PLAIN, leaf.type, leaf.type_length, data, count)
            self._dictionary = values, count

    def _give(self, header: object, levels: memoryview | None, values: memoryview, base: int) -> None:
        if header.type not in DATA_PAGES:
            raise wire_error(wire.PAGE_TYPE, base, wire.PAGE_DATA_PAGE_V2, header.type)
        self._given.append(GivenPage(self._count, header, levels, values, base))
        self._count += 1

    def _advance(self, rows: int, *, keeps: bool) -> int:
        """Read or skip what goes on and `rows` rows more, up to the entry at which the next row begins."""
        begun = 0
        while begun < rows or self._goes_on:
            page = self._page
            if page is None or page.is_used_up:
                if not self._given:
                    break
                begun += self._next_page(0 if keeps else rows - begun)
                continue
            end = page.stretch(rows - begun)
            begun += page.rows_to(end)
            if keeps:
                begun -= self._append(page, end)
            else:
                page.skip(end)
            may_go_on = page.may_go_on and self._entries_left != 0
            within = self.is_full and page.is_within_row
            self._goes_on = ("read" if keeps else "skipped") if may_go_on or within else None
            if not page.is_used_up:
                break
        return begun

    def _append(self, page: OpenPage, end: int) -> int:
        """Decode the entries in front of `end`, or as many as fit; returns rows that did not fit."""
        if self._output.append(page, end) == end:
            return 0
        self.is_full = True
        if self._output.rows <= page.is_within_row:
            with page.given.placed("values"):
                raise wire_error(wire.ROW_TOO_LARGE, 0, self._output.most_bytes)
        return page.rows_to(end)

    def _next_page(self, rows: int) -> int:
        """Open the next page, or pass over it where its header alone says that it has at most `rows` rows."""
        given = self._given.popleft()
        header, checks = given.header, given.placed("page")
        with checks:
            if header.num_values < 0 or (self._entries_left is not None and header.num_values > self._entries_left):
                raise wire_error(wire.CHUNK_ENTRIES, 0, self._entries_left or 0, header.num_values)
        if self._entries_left is not None:
            self._entries_left -= header.num_values
        if not self._leaf.max_repetition and header.num_values <= rows:
            return header.num_values
        page = self._page = OpenPage(self._leaf, given, self._dictionary)
        with given.placed("page"):
            page.check(self._goes_on is not None)
        if self._lists is not None:
            with given.placed("page"):
                self._lists.check(page)
        return 0


def codecs() -> frozenset[int]:
    """The codecs of chunks that `from_file` decompresses: none here.

    The compiled kernels decompress Snappy and LZ4_RAW, and ZSTD where the system has libzstd.
    """
    return frozenset()


def from_file(
    columns: list[Column],
    chunks: list,
    fd: int,
    file_size: int,
    rows: Sequence[int],
    first: int,
    last: int,
    counts: Sequence[int] | None = None,
    turns: Sequence[int] | None = None,
    most_bytes: int | None = None,
) -> list[bool]:
    """Read the pages of leaves' chunks that lie in an open file, one after another, and do what `Column.turn` does.

    Parameters
    ----------
    columns : list of Column
        New ones.
    chunks : list of kernels.chunks.Chunks
        All chunks of each column's leaf.
    rows : sequence of int
        The rows of each row group.
    first, last : int
        Row groups to read: those from `first` on, up to `last`.
    counts : sequence of int, optional
        Rows to skip, to read, to skip, and so on, of each of these row groups, one behind the other. All rows without.
    turns : sequence of int, optional
        How many of the `counts` are of each of these row groups; the pages of one with 0 are not read.
    most_bytes : int, optional
        The most that the byte arrays of all columns may take together.

    Returns
    -------
    list of bool
        For which columns all turns are done. False says that the kernels do not do it, or that something is wrong with
        the chunks or their pages: give the pages to another column, which says what. The twin never does it; the
        compiled kernels do it outside of lists, of chunks of their `codecs`.
    """
    return [False] * len(columns)
