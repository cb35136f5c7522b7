"""The data pages of a column chunk: their places in the file, and their first rows."""

from __future__ import annotations

from array import array

from .. import systems, wire
from ..errors import ParquetextError, wire_error
from . import page
from .chunks import Chunks

__all__ = ["PageTable", "load", "parse", "walk"]

MAGIC_BYTES, HEADER_BYTES = 4, 256
ELSEWHERE = wire.PRESENT_FILE_PATH | wire.PRESENT_CRYPTO
OF_INDEX = "offset_index_offset", "offset_index_length", "present", "total_compressed_size"
MOST_HEADER = 1 << 20
FORMATS = {"offset": "q", "size": "i", "first_row": "q"}


class PageTable:
    """The data pages of a chunk, from its OffsetIndex or from the headers of its pages.

    Attributes
    ----------
    begin, end : int
        The bytes of the chunk in its file: ``[begin, end)``.
    rows : int
        The number of rows of its row group.
    """

    def __init__(self, begin: int, end: int, rows: int, pages: list[tuple[int, int, int]]):
        self.begin, self.end, self.rows, self._pages = begin, end, rows, pages
        self._check()

    def __len__(self) -> int:
        return len(self._pages)

    def array(self, name: str) -> memoryview:
        """Return the ``"offset"``, ``"size"`` or ``"first_row"`` of all pages as a memoryview."""
        member = list(FORMATS).index(name)
        return memoryview(array(FORMATS[name], (each[member] for each in self._pages)))

    def _check(self) -> None:
        """Raise an error unless pages follow each other up to the chunk's end, and each has rows."""
        pages = self._pages
        if not pages:
            raise _refused(0)
        for number, (offset, size, first_row) in enumerate(pages):
            is_within = size > 0 and 0 <= offset < self.end and 0 <= first_row < self.rows
            if not is_within or (not number and (offset < self.begin or first_row)):
                raise _refused(number)
            if number:
                before = pages[number - 1]
                if offset - before[0] != before[1] or first_row <= before[2]:
                    raise _refused(number)
        if self.end - pages[-1][0] != pages[-1][1]:
            raise _refused(len(pages) - 1)


def parse(data, begin: int, end: int, rows: int) -> PageTable:
    """Return the pages of an OffsetIndex.

    Parameters
    ----------
    data : bytes-like
        The OffsetIndex.
    begin, end : int
        The bytes of the chunk in its file.
    rows : int
        The number of rows of the row group.

    Raises
    ------
    Malformed
        If the bytes are not an OffsetIndex, or if the pages do not begin in the chunk, follow each other without a gap
        up to its end, and have at least one row each.
    """
    return PageTable(begin, max(begin, end), rows, list(zip(*page.locations(data), strict=True)))


def load(fd: int, file_size: int, chunks: Chunks, number: int, rows: int) -> PageTable | None:
    """Return the pages of one of a leaf's chunks by its OffsetIndex in a local file, as `parse` does.

    Return None if there is no index, or if chunk or index are damaged, encrypted, in another file or unreadable.
    """
    offset, length, present, size = (chunks.array(name)[number] for name in OF_INDEX)
    begin = chunks.begins()[number]
    is_chunk = MAGIC_BYTES <= begin < begin + size <= file_size and rows and not present & ELSEWHERE
    if not is_chunk or offset <= 0 or not 0 < length <= min(wire.PAGE_INDEX_MOST_BYTES, file_size - offset):
        return None
    try:
        return parse(systems.pread(fd, length, offset), begin, begin + size, rows)
    except (OSError, ParquetextError):
        return None


def walk(fd: int, file_size: int, begin: int, end: int, rows: int) -> PageTable:
    """Return the pages of a chunk of a leaf without lists, by the headers of its pages: one short read per page.

    Raises
    ------
    Malformed
        If a header is invalid, or if the pages are not data pages with all rows, after at most one dictionary page.
    """
    end = max(begin, min(end, file_size))
    pages: list[tuple[int, int, int]] = []
    at, row = begin, 0
    while at < end:
        header = _header(fd, at, end)
        size = header.header_size + header.compressed_size
        if size > end - at:
            raise _refused(len(pages))
        if header.type in (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2):
            if not 0 < header.num_values <= rows - row:
                raise _refused(len(pages))
            pages.append((at, size, row))
            row += header.num_values
        elif pages or header.type != wire.PAGE_DICTIONARY_PAGE:
            raise _refused(len(pages))
        at += size
    if row != rows:
        raise _refused(len(pages))
    return PageTable(begin, end, rows, pages)


def _header(fd: int, at: int, end: int) -> page.PageHeader:
    """Read the page header at `at`."""
    wanted = HEADER_BYTES
    while True:
        wanted = min(wanted, end - at)
        try:
            return page.header(systems.pread(fd, wanted, at))
        except ParquetextError:
            if wanted == end - at or wanted >= MOST_HEADER:
                raise
        wanted *= 8


def _refused(number: int) -> Exception:
    return wire_error(wire.PAGE_INDEX, 0, 0, number)
