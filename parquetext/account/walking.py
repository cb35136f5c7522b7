"""The page headers of a chunk as columns, read in windows: bodies are passed over."""

from __future__ import annotations

from array import array

from .. import kernels, wire
from ..errors import ParquetextError

__all__ = ["MEMBERS", "Walked", "walk"]

SMALLEST_WINDOW, LARGEST_WINDOW = 1 << 12, 1 << 20
MANY, FEW = 16, 4  # pages of a window, from which on the next one is larger, and below which it is smaller
MEMBERS = (
    "header_size",
    "type",
    "compressed_size",
    "uncompressed_size",
    "num_values",
    "num_nulls",
    "num_rows",
    "encoding",
    "definition_encoding",
    "repetition_encoding",
    "definition_size",
    "repetition_size",
)


class Walked:
    """Pages one after another.

    Attributes
    ----------
    offsets : array of ``q``
        Of the headers, from the file's start.
    facts : dict of array of ``i``
        The `MEMBERS` of all pages; -1 where a page does not say.
    crcs : array of ``q``
        -1 where a page has none.
    end : int
        Behind the last page.
    problem : ParquetextError or None
        What is wrong there; its offset counts from the file's start.
    """

    def __init__(self, begin: int):
        self.offsets, self.crcs, self.end = array("q"), array("q"), begin
        self.facts = {name: array("i") for name in MEMBERS}
        self.problem: ParquetextError | None = None

    def __len__(self) -> int:
        return len(self.offsets)

    def take(self, pages, base: int) -> None:
        """Add the pages of a window that begins at `base` in the file."""
        self.offsets.extend(array("q", (base + offset for offset in pages.array("offset"))))
        for name, values in self.facts.items():
            values.frombytes(pages.array(name).cast("B"))
        crcs = zip(pages.array("crc"), pages.array("has_crc"), strict=True)
        self.crcs.extend(array("q", (crc if known else -1 for crc, known in crcs)))
        self.end = base + pages.end
        self.problem = None if pages.problem is None else pages.problem.at(None, base)

    def cut(self, last: int) -> None:
        """Leave out pages that begin at `last` or behind it; what is wrong there does not count then."""
        kept = next((number for number, offset in enumerate(self.offsets) if offset >= last), len(self))
        if kept < len(self):
            self.end, self.problem = self.offsets[kept], None
            for values in (self.offsets, self.crcs, *self.facts.values()):
                del values[kept:]
        elif self.end >= last:
            self.problem = None


def walk(source, begin: int, end: int) -> Walked:
    """The pages of [begin, end) of the file."""
    walked, window = Walked(begin), SMALLEST_WINDOW
    while walked.end < end and walked.problem is None:
        at, length = walked.end, min(window, end - walked.end)
        pages = kernels.page.walk(source.read(at, length), 0, end - at)
        walked.take(pages, at)
        if len(pages) == 0 and walked.problem is None:
            window = min(4 * window, wire.MAX_PAGE_HEADER)
        elif len(pages) >= MANY:
            window = min(4 * window, LARGEST_WINDOW)
        elif len(pages) < FEW:
            window = max(window // 4, SMALLEST_WINDOW)
    return walked
