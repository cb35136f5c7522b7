"""Decode the pages of column chunks into the buffers of an Arrow array."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import wire
from ..errors import wire_error
from . import encoding
from .column_output import Forgotten, Found, Output
from .column_page import GivenPage, Leaf, OpenPage, placed
from .ranges import Ranges

__all__ = ["Column", "Decoded", "codecs", "from_file"]


NONE_BEFORE = 0xFFFF


class Lists:
    """The lists around a leaf, outermost first.

    Attributes
    ----------
    items : list of int
        The number of elements of each list in the pages that were checked.
    """

    def __init__(self, levels: Sequence[int]):
        self._levels, self.items = levels, [0] * len(levels)

    def begin(self) -> None:
        """Begin another column chunk."""
        self._last = NONE_BEFORE

    def check(self, page: OpenPage) -> None:
        """Check the levels of a page.

        If an entry continues a list, it and the entry before it must be elements of it.
        """
        for repeated, defined in zip(page.repetition or b"", page.definition or b"", strict=True):
            least = min(defined, self._last)
            if repeated and least < self._levels[repeated - 1]:
                raise wire_error(wire.LEVELS_CONTRADICT, 0, self._levels[repeated - 1], least)
            for number in range(max(repeated, 1) - 1, len(self._levels)):
                if self._levels[number] > defined:
                    break
                self.items[number] += 1
            self._last = defined


Buffer = bytes | bytearray | memoryview

LARGEST = (1 << 31) - 1
DATA_PAGES = (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2)


class Decoded(NamedTuple):
    """Decoded entries of a column. ``pyarrow.py_buffer`` takes each buffer as it is.

    Attributes
    ----------
    entries : int
        Pairs of levels; without repetition, the number of rows.
    rows : int
    slots : int
        Entries that have a slot in the leaf's array: all except those of null and empty lists.
    nulls : int
        Slots without a value.
    valid : buffer or None
        A bitmap over the slots, least significant bit first; None if there are no nulls.
    values : buffer
        `slots` values of the type's width, zeros for nulls; for booleans a bitmap; for byte arrays their bytes.
    offsets : buffer or None
        `slots` + 1 numbers of 32 bits, the first one 0: the positions of byte arrays in `values`. None for other types.
    definition, repetition : buffer or None
        `entries` levels of 16 bits, if levels are kept. `definition` is also None if all entries have the highest
        level.
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
    """A decoder of one leaf: it takes pages, one after another, and returns the buffers of an Arrow array.

    Parameters
    ----------
    type : int
        A `wire.PHYSICAL_…`.
    type_length : int
        Bytes of a FIXED_LEN_BYTE_ARRAY; ignored for other types.
    max_definition, max_repetition : int
        The leaf's highest levels.
    repeated_definition : int
        The definition level of the innermost repeated field around the leaf. An entry below it has no slot. 0 if the
        leaf is not in a list.
    levels : bool
        Keep definition levels, which the structs around a leaf need. If `max_repetition` is above 0, levels of both
        kinds are always kept.
    most_bytes : int
        The most bytes that the byte arrays of one `Decoded` may take, 2³¹ − 1 at most.
    rows : int
        The expected number of rows until `take`, in all chunks. If the input is large enough for this number to be
        plausible, memory for all rows is allocated at once.
    forgets : bool
        Decode values in order to check them, but do not keep them: `take` returns nothing. Dictionary texts are not
        copied in this mode, and `most_bytes` is ignored.
    lists : sequence of int, optional
        The definition levels of the repeated fields around the leaf, `max_repetition` of them, outermost first. A page
        whose levels contradict them is refused when it is opened (LEVELS_CONTRADICT). If `lists` is None,
        `kernels.levels` makes this check after decoding.
    ranges : kernels.ranges.Ranges, optional
        Return a boolean instead of each value: True if a range contains it. Values of a dictionary are compared once.
        The leaf must not be in a list, and no levels are kept.

    Attributes
    ----------
    rows : int
        Rows decoded since the last `take`, including one that may continue.
    is_full : bool
        `read` ended early, because the next byte array would exceed `most_bytes`, or the slots would exceed 2³¹ − 1.
        Call `take`, then read on. A partly decoded row is not lost: it is part of the next `take`.
    is_open : bool
        The given pages are used up, and the last row may continue in the next page, as rows with repetition do. (Pages
        of V2 should begin with a row, but some do not.) Give it the next page and read on, with 0 rows if no more rows
        are needed.

    Notes
    -----
    A page is checked when it is opened, its levels first. If values of a page are damaged,
    some of its rows may have been decoded before the error. A page that is skipped as a whole is opened only if rows
    must be counted by its levels. Bytes after the last value of a page are ignored, as other readers do.

    Errors have two more attributes. `page` is the index of the data page since the last call of `chunk`; dictionary
    pages are not counted. `part` is "page" (for its header), "levels", "values" or "dictionary". The offset is relative
    to the buffer that was passed for the part. For a V1 page, this is the whole body. For `pages`, it is `data`. After
    an error, the column must not be used again.
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
        ranges: Ranges | None = None,
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
        if ranges is not None and max_repetition:
            raise wire_error(wire.BAD_ARGUMENT, 0, 0, max_repetition)
        if ranges is not None and ranges.type != type:
            raise wire_error(wire.BAD_ARGUMENT, 0, type, ranges.type)
        keeps_levels, most = levels or max_repetition > 0, min(most_bytes, LARGEST)
        kind = Forgotten if forgets else Output
        self._output = kind(self._leaf, keeps_levels, most) if ranges is None else Found(self._leaf, ranges, most)
        self.is_full = False
        if lists is not None and max_repetition and len(lists) != max_repetition:
            raise wire_error(wire.BAD_ARGUMENT, 0, max_repetition, len(lists))
        self._lists = Lists(lists) if lists is not None and max_repetition else None
        self.chunk()

    def chunk(self, num_values: int | None = None, num_rows: int | None = None) -> None:
        """Begin the next column chunk. Discard the dictionary, and pages that were given but not read.

        Parameters
        ----------
        num_values : int, optional
            The most entries that its pages may have together.
        num_rows : int, optional
            The rows of the row group. Its pages may have more; the compiled kernels use it to estimate memory.
        """
        self._given: deque[GivenPage] = deque()
        self._count = 0
        self._page: OpenPage | None = None
        self._dictionary: tuple[object, int] | None = None
        self._entries_left = num_values
        self._unfinished_row: str | None = None  # how the last row was processed: "read" or "skipped"
        if self._lists is not None:
            self._lists.begin()

    @property
    def list_items(self) -> tuple[int, ...]:
        """Return the number of elements of each of `lists` in the pages that were opened, over all chunks."""
        return () if self._lists is None else tuple(self._lists.items)

    @property
    def rows(self) -> int:
        return self._output.rows

    @property
    def is_open(self) -> bool:
        page = self._page
        return page is not None and page.is_used_up and self._unfinished_row is not None and not self._given

    def dictionary(self, data: Buffer, count: int) -> None:
        """Take the chunk's dictionary: the decompressed body of the dictionary page, `count` PLAIN values."""
        self._give_dictionary(memoryview(data).cast("B"), count, 0)

    def page(self, header: object, levels: Buffer | None, values: Buffer) -> None:
        """Take the next data page, decompressed.

        Parameters
        ----------
        header : PageHeader
            Or an object with these attributes: `type`, `num_values`, `encoding`, `definition_encoding`,
            `repetition_encoding`, `definition_size`, `repetition_size`; -1 if absent.
        levels : bytes-like or None
            The levels of a V2 page. None if they precede the values, as in every V1 page.
        values : bytes-like
            The values of a V2 page, or the whole body.
        """
        stored = None if levels is None else memoryview(levels).cast("B")
        self._give(header, stored, memoryview(values).cast("B"), 0)

    def pages(self, headers: Any, data: Buffer, first: int = 0, last: int | None = None) -> None:
        """Take uncompressed pages from a buffer, including the dictionary page, without copying them.

        Parameters
        ----------
        headers : Pages
            As returned by `kernels.page.walk`, counting from `data`.
        data : bytes-like
        first, last : int
            The range of pages, `last` excluded; all of them by default.
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
            The number of rows begun: fewer than `rows` at the end of the given pages, or if `is_full`.
        """
        if self._unfinished_row == "skipped":
            self._advance(0, keeps=False)
        return 0 if self.is_full or self._unfinished_row == "skipped" else self._advance(rows, keeps=True)

    def skip(self, rows: int) -> int:
        """Skip the next `rows` rows, and return the number skipped; first read a row that may continue to its end."""
        if self._unfinished_row == "read":
            self._advance(0, keeps=True)
        return 0 if self.is_full or self._unfinished_row == "read" else self._advance(rows, keeps=False)

    def turn(self, counts: Sequence[int], at: int = 0, done: int = 0) -> tuple[int, int]:
        """Skip and read rows in turns until the given pages end.

        Parameters
        ----------
        counts : sequence of int
            Rows to skip, to read, to skip, and so on.
        at, done : int
            The turn to continue with, and the number of its rows that were begun before.

        Returns
        -------
        (int, int)
            The turn that was reached, and the number of its rows that were begun. The turn is ``len(counts)`` if all
            are done. It is a finished turn if its last row may continue in the next page, or if `is_full`.
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
        """Return the entries decoded since the last call: whole rows if `is_full`, else all entries."""
        keeps_last_row = self.is_full and self._unfinished_row is not None
        self.is_full = False
        return Decoded(*self._output.take(whole_rows=keeps_last_row))

    def _give_dictionary(self, data: memoryview, count: int, base: int) -> None:
        with placed(self._count, "dictionary", base):
            if self._dictionary is not None:
                raise wire_error(wire.SECOND_DICTIONARY)
            leaf = self._leaf
            values, _ = encoding.decode(wire.ENCODING_PLAIN, leaf.type, leaf.type_length, data, count)
            self._dictionary = values, count

    def _give(self, header: Any, levels: memoryview | None, values: memoryview, base: int) -> None:
        if header.type not in DATA_PAGES:
            raise wire_error(wire.PAGE_TYPE, base, wire.PAGE_DATA_PAGE_V2, header.type)
        self._given.append(GivenPage(self._count, header, levels, values, base))
        self._count += 1

    def _advance(self, rows: int, *, keeps: bool) -> int:
        """Read or skip the continued row and `rows` rows more, up to the entry that begins the next row."""
        begun = 0
        while begun < rows or self._unfinished_row:
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
            self._unfinished_row = ("read" if keeps else "skipped") if may_go_on or within else None
            if not page.is_used_up:
                break
        return begun

    def _append(self, page: OpenPage, end: int) -> int:
        """Decode the entries before `end`, or as many as fit; return the number of rows that did not fit."""
        if self._output.append(page, end) == end:
            return 0
        self.is_full = True
        if self._output.rows <= page.is_within_row:
            with page.given.placed("values"):
                raise wire_error(wire.ROW_TOO_LARGE, 0, self._output.most_bytes)
        return page.rows_to(end)

    def _next_page(self, rows: int) -> int:
        """Open the next page, or skip it if its header alone shows that it has at most `rows` rows."""
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
            page.check(self._unfinished_row is not None)
        if self._lists is not None:
            with given.placed("page"):
                self._lists.check(page)
        return 0


def codecs() -> frozenset[int]:
    """Return the codecs of chunks that `from_file` decompresses: none in the twin.

    The compiled kernels decompress Snappy and LZ4_RAW, and ZSTD if the system has libzstd.
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
    tables: list | None = None,
    checks_crc: bool = False,
) -> list[bool]:
    """Read the pages of leaves' chunks from an open file, one after another, and process them like `Column.turn`.

    Parameters
    ----------
    columns : list of Column
        New columns.
    chunks : list of kernels.chunks.Chunks
        All chunks of each column's leaf.
    rows : sequence of int
        The rows of each row group.
    first, last : int
        The row groups to read: ``[first, last)``.
    counts : sequence of int, optional
        Rows to skip, to read, to skip, and so on, in each of these row groups, concatenated. If None, read all rows.
    turns : sequence of int, optional
        The number of `counts` for each of these row groups. The pages of a row group with 0 are not read.
    most_bytes : int, optional
        The most bytes that the byte arrays of all columns may take together.
    tables : list of kernels.page_table.PageTable or None, optional
        The pages of each of these row groups for the first column, then for the second one, and so on. Of a chunk whose
        pages are known, only those with rows to read are read. None: they are read one after another.
    checks_crc : bool
        True to compare the checksums of pages that have one.

    Returns
    -------
    list of bool
        True for each column whose turns are all done. False means that the kernels do not support the column, or that
        its chunks or pages are damaged: give the pages to another column to get the error. The twin always returns
        False. The compiled kernels support leaves outside of lists, in chunks of their `codecs`.
    """
    return [False] * len(columns)
