"""Measure a column's size and decoding speed in other encodings on pages of a few row groups."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from .. import kernels
from ..encoding.carried import Carried
from ..encoding.chunk_reader import Chunk
from ..encoding.pages import VAST_BYTES
from ..encoding.registry import Encoding
from ..records import frozen
from .recode import Recoded, opened, pages_of, rows_per_page, take

ROW_GROUPS = 3  # the first one, a middle one and the last one
ROUNDS = 3  # the fastest one counts
BEGIN = 4  # offset of pages in memory: a file has its magic before

BOUNDS = {"most_bytes": 1 << 25, "most_page": VAST_BYTES}

clock = time.perf_counter


@frozen
class Measured:
    """A column's pages in an encoding: their size in bytes, their entries, and the time to decode them."""

    size: int
    entries: int
    seconds: float


class Sample:
    """The first rows of one chunk, decoded.

    Parameters
    ----------
    source : Source
        Each range is read once, and cached as long as the sample exists.
    chunk : Chunk

    Raises
    ------
    OutOfProportion
        If 1,024 rows, or a few stored bytes, decode to so much memory that they are not a useful sample.
    Malformed, Damaged, Unsupported
        If the chunk cannot be read.
    """

    def __init__(self, source, chunk: Chunk):
        self._chunk, self._source = chunk, _Kept(source)
        self._rows = rows_per_page(self._source, chunk, **BOUNDS)
        self._decoded = take(opened(self._source, chunk, **BOUNDS), chunk, self._rows)

    def present(self) -> float:
        """Return the seconds for decoding these rows as they are stored."""
        return _fastest(lambda: take(opened(self._source, self._chunk), self._chunk, self._rows))

    @property
    def entries(self) -> int:
        return self._decoded.entries

    def encoded(self, encoding: Encoding, codecs: Sequence[int]) -> list[Measured]:
        """Re-encode the same rows, and measure them with each codec."""
        pages = pages_of(self._chunk, self._decoded, self._rows, encoding, codecs)
        return [self._measured(page, encoding, codec) for page, codec in zip(pages, codecs, strict=True)]

    def _measured(self, page: Recoded, encoding: Encoding, codec: int) -> Measured:
        size, crc = len(page.data), kernels.checksum.crc32(page.data)
        copy = Carried(
            encoding.id, encoding.uuid, codec, BEGIN, size, page.uncompressed_length, page.entries, page.nulls,
            page.rows, crc, BEGIN, size, 0, (size,), (crc,),
        )  # fmt: skip
        old = self._chunk
        chunk = Chunk(old.leaf, old.row_group, BEGIN, size, codec, page.entries, page.rows).by(copy)
        source = _Page(page.data)
        return Measured(size, page.entries, _fastest(lambda: take(opened(source, chunk), chunk, page.rows)))


def measure(
    samples: Iterable[Sample], encodings: Sequence[Encoding], codecs: Sequence[int]
) -> tuple[Measured, dict[tuple[str, int], Measured]]:
    """Measure the samples of a column: as they are stored (without a size), and by encoding and codec."""
    entries, seconds = 0, 0.0
    found: dict[tuple[str, int], Measured] = {}
    for sample in samples:
        entries, seconds = entries + sample.entries, seconds + sample.present()
        for encoding in encodings:
            for codec, one in zip(codecs, sample.encoded(encoding, codecs), strict=True):
                before = found.get((encoding.name, codec), Measured(0, 0, 0.0))
                found[encoding.name, codec] = Measured(
                    before.size + one.size, before.entries + one.entries, before.seconds + one.seconds
                )
    return Measured(0, entries, seconds), found


def _fastest(action: Callable[[], object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        start = clock()
        action()
        taken.append(clock() - start)
    return min(taken)


class _Page:
    """A page in memory that is read like a file."""

    def __init__(self, data: bytes):
        self.name, self._data, self.size = "a page in memory", data, BEGIN + len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset - BEGIN : offset - BEGIN + length]


class _Kept:
    """A source that reads each range once."""

    def __init__(self, source):
        self.name, self.size, self._source = source.name, source.size, source
        self._ranges: dict[tuple[int, int], bytes] = {}

    def read(self, offset: int, length: int) -> bytes:
        if (offset, length) not in self._ranges:
            self._ranges[offset, length] = self._source.read(offset, length)
        return self._ranges[offset, length]
