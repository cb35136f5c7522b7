"""The pages of a column chunk, from a source with `size` and `read(offset, length)`: headers alone, or with bodies."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from operator import add
from typing import Any, NamedTuple

import pyarrow as pa

from .. import compute as pc
from .. import kernels, wire
from ..errors import OutOfProportion, ParquetextError, wire_error
from ..storage import has_descriptor
from . import codecs
from .codecs import BELIEVED, decompress
from .number_arrays import has_bit, wrapped

MAGIC_BYTES = 4  # in front of the first page
FIRST_WINDOW = 1 << 12
REMOTE_WINDOW = 1 << 20  # takes about as long as a request
LARGEST_WINDOW = 1 << 22
FEW_PAGES = 16  # of a window: Python reads their bounds quicker than Arrow's functions do
NEAR = 1 << 14  # bytes from header to header up to which reading on is quicker than reading anew
BODIES_AT_ONCE = 1 << 24
LOCAL_BODIES_AT_ONCE = 1 << 20
OVERRUN = 100  # PARQUET-816: old writers left a dictionary's header out of their chunk's size
PARQUET_MR = re.compile(rb"parquet-mr(?: version (\d+)\.(\d+)\.(\d+)| |$)")
FIXED_VERSION = 1, 2, 9  # PARQUET-816
DATA_PAGES = (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2)
WITH_VALUES = (*DATA_PAGES, wire.PAGE_DICTIONARY_PAGE)
VAST_BYTES = 1 << 24  # the default limit of a page's decompressed bytes, if few are stored
FEW_BYTES = 1 << 16
NOT_READ = b""  # the values of a page that is passed over
NO_LEVELS = memoryview(b"")
LARGE_BINARY = pa.large_binary()


def overrun_of(created_by: bytes | None) -> int:
    """Return the bytes by which a writer's chunks may exceed their size in the footer."""
    found = PARQUET_MR.match(created_by or b"")
    return OVERRUN if found is not None and tuple(int(part or 0) for part in found.groups()) < FIXED_VERSION else 0


def in_front_of_pages(data_page_offset: int, num_values: int) -> str | None:
    """Return the message for data pages that would begin before the first page of a file, or None if there are none."""
    if not num_values or data_page_offset >= MAGIC_BYTES:
        return None
    return f"data pages at {data_page_offset}, in front of all pages"


class Headers:
    """The page headers of one chunk as columns, as far as they can be read; offsets count from the source's start.

    Attributes
    ----------
    end : int
        The begin of the next page, or the end of the last one.
    problem : ParquetextError or None
        The error at this position.
    """

    def __init__(self, start: int):
        self.end, self.problem = start, None
        self._bounds: dict[str, list[pa.Array | list[bytes | None]]] = {"min_value": [], "max_value": []}
        self._windows: list[tuple[int, Any, int]] = []  # of each window: its begin, its pages, how many count

    def __len__(self) -> int:
        return sum(count for _, _, count in self._windows)

    @property
    def value_count(self) -> int:
        """The number of values of the data pages according to their headers."""
        counts = zip(self.array("type"), self.array("num_values"), strict=True)
        return sum(count for type, count in counts if type in DATA_PAGES)

    def array(self, name: str) -> memoryview:
        """Return one member of all headers; names are those of `kernels.page.Pages.array`."""
        if len(self._windows) == 1 and name != "offset":
            [(_, pages, count)] = self._windows
            return pages.array(name)[:count]
        parts = [(base, pages.array(name)[:count]) for base, pages, count in self._windows]
        found = array(parts[0][1].format if parts else "i")
        for base, values in parts:
            if name == "offset":
                found.extend([base + value for value in values])
            else:
                found.frombytes(values.cast("B"))
        return memoryview(found)

    def bounds(self, name: str) -> pa.Array:
        """Return the ``"min_value"`` or ``"max_value"`` of all headers as bytes, if bounds were requested.

        They are those of the pages' statistics, null if a page has none.
        """
        parts = [part if isinstance(part, pa.Array) else pa.array(part, LARGE_BINARY) for part in self._bounds[name]]
        return pa.concat_arrays(parts) if parts else pa.array([], LARGE_BINARY)

    def add_bounds(self, data: bytes, pages, count: int) -> None:
        """Keep the bounds in the first `count` of the pages found in `data`."""
        for name, bit in (("min_value", wire.PRESENT_MIN_VALUE), ("max_value", wire.PRESENT_MAX_VALUE)):
            parts = self._bounds[name]
            found = _few_bounds if count < FEW_PAGES else _many_bounds
            part = found(data, pages, count, name, bit)
            if parts and isinstance(part, list) and isinstance(parts[-1], list):
                parts[-1] += part
            else:
                parts.append(part)

    def add(self, base: int, pages, count: int, chunk_end: int) -> None:
        """Take the first `count` of the pages found from `base` on, those that begin before the chunk ends."""
        self._windows.append((base, pages, count))
        self.end = base + (pages.array("offset")[count] if count < len(pages) else pages.end)
        if self.end < chunk_end and pages.problem is not None:
            self.problem = pages.problem.at(None, base)

    def header(self, index: int):
        """Return the header of the page with this number."""
        for base, pages, count in self._windows:
            if index < count:
                header = pages.header(index)
                return header._replace(offset=base + header.offset)
            index -= count
        raise IndexError(index)


def read_headers(
    source, start: int, end: int, *, slack: int = 0, window: int = FIRST_WINDOW, bounds: bool = False
) -> Headers:
    """Read the headers of the pages that begin in [start, end), in windows, without the bodies between them.

    Parameters
    ----------
    source : object
        With `size` and `read(offset, length)`.
    start, end : int
    slack : int
        Bytes by which the last page may exceed `end`: `OVERRUN` for the files of some old writers.
    window : int
        Bytes of the first read, and the least of others: `FIRST_WINDOW`, or of remote sources `REMOTE_WINDOW`.
    bounds : bool
        True to keep the minima and maxima of the headers' statistics.

    Returns
    -------
    Headers
        Up to the first page that cannot be read, which is no error here but its `problem`.
    """
    headers, at, length = Headers(start), start, window
    limit = max(end, min(end + slack, source.size))
    while at < end and headers.problem is None:
        data = source.read(at, min(length, limit - at))
        pages = kernels.page.walk(data, 0, limit - at)
        offsets = pages.array("offset")
        count = bisect_left(offsets, end - at)
        if not count and pages.problem is None:
            length *= 4
            continue
        headers.add(at, pages, count, end)
        if bounds:
            headers.add_bounds(data, pages, count)
        length = min(4 * length, LARGEST_WINDOW) if pages.end < NEAR * count else window
        at = headers.end
    return headers


def _few_bounds(data: bytes, pages, count: int, name: str, bit: int) -> list[bytes | None]:
    present, lengths = pages.array("present"), pages.array(f"{name}_length")
    begins = map(add, pages.array("offset")[:count], pages.array(f"{name}_offset"))
    return [
        data[begin : begin + lengths[index]] if present[index] & bit else None for index, begin in enumerate(begins)
    ]


def _many_bounds(data: bytes, pages, count: int, name: str, bit: int) -> pa.Array:
    """Return the bounds of the first `count` pages in `data` as an array of bytes."""
    starts = pc.add(pc.cast(wrapped(pages.array("offset")), pa.int64()), wrapped(pages.array(f"{name}_offset")))
    ends = pc.add(starts, wrapped(pages.array(f"{name}_length")))
    # As an array of bytes these are every second value: the bytes between two of them are the gaps in `data`.
    positions = memoryview(array("q", bytes(8 * (2 * count + 1))))
    positions[:-1:2], positions[1::2] = _numbers(starts)[:count], _numbers(ends)[:count]
    positions[-1] = positions[-2] if count else 0
    buffers = [None, pa.py_buffer(positions), pa.py_buffer(data)]
    every_second = pa.array(range(0, 2 * count, 2), pa.int64())
    found = pa.LargeBinaryArray.from_buffers(pa.large_binary(), 2 * count, buffers).take(every_second)
    return pc.if_else(has_bit(wrapped(pages.array("present")[:count]), bit), found, None)


def _numbers(values: pa.Array) -> memoryview:
    return memoryview(values.buffers()[1]).cast("q")


class Page(NamedTuple):
    """A page, its body decompressed.

    Attributes
    ----------
    header : kernels.page.PageHeader
        Its offset counts from the source's start.
    levels : bytes-like
        Repetition levels, then definition levels of a V2 page; empty for other pages.
    values : bytes-like
        The rest of the body. In a V1 page it begins with the levels, which `kernels.page.level_parts` separates.
    """

    header: Any
    levels: memoryview
    values: Any


def read_pages(
    source,
    start: int,
    end: int,
    codec: int,
    *,
    check_crc: bool = False,
    slack: int = OVERRUN,
    most_page: int | None = None,
    passed: Callable[[Any], bool] | None = None,
    check_size: Callable[[Any], None] | None = None,
) -> Iterator[Page]:
    """Read the data and dictionary pages that begin in [start, end), one after another, decompressed.

    Memory is that of one page and of one read: 1 MiB of a local file, 16 MiB of a remote one, or a page
    that is larger.

    Parameters
    ----------
    source : object
        With `size` and `read(offset, length)`.
    start, end : int
    codec : int
        ``wire.CODEC_…``.
    check_crc : bool
        True to check the checksums of pages that have one, including skipped pages of other types.
    slack : int
        As `read_headers` takes it.
    most_page : int, optional
        Raise OutOfProportion for a page whose header states a larger decompressed size, if it has less than 64 KiB, or
        a 64th of that size.
    passed : callable, optional
        Returns True if a data page is skipped, by its header: it has no levels and `NOT_READ` as its
        values, and is not decompressed.
    check_size : callable, optional
        Raises for the header of a compressed page that is not to be decompressed.

    Raises
    ------
    Malformed, Unsupported
        A header or a body that is not as it must be; of a compressed body the offset is that of its header.
    Damaged
        A checksum that differs.
    """
    for base, data, pages, count in read_stored(source, start, end, slack=slack):
        for index in range(count):
            header = pages.header(index)
            body = header.offset + header.header_size
            positioned = header._replace(offset=base + header.offset)
            if passed is not None and header.type in DATA_PAGES and passed(header):
                yield Page(positioned, NO_LEVELS, NOT_READ)
                continue
            yield from read_body(
                positioned, data[body : body + header.compressed_size], codec, check_crc, most_page, check_size
            )


def read_stored(source, start: int, end: int, *, slack: int = OVERRUN) -> Iterator[tuple[int, memoryview, Any, int]]:
    """Read the pages that begin in [start, end) as they are stored, some whole ones at a time.

    Yields
    ------
    base : int
        The offset of the bytes in the source.
    data : memoryview
    pages : kernels.page.Pages
        Their offsets count from `base`.
    count : int
        How many of them are whole, at least one.

    Raises
    ------
    Malformed
        A header that is not as it must be.

    Notes
    -----
    A local file is read 1 MiB or a page at a time, so that the bytes are still in the processor's cache when they are
    decoded, and the memory is used again. Arguments are those of `read_pages`.
    """
    least = LOCAL_BODIES_AT_ONCE if has_descriptor(source) else BODIES_AT_ONCE
    at, length, limit = start, least, max(end, min(end + slack, source.size))
    while at < end:
        base, data = at, memoryview(source.read(at, min(length, limit - at)))
        pages = kernels.page.walk(data, 0, limit - at)
        offsets, heads, bodies = (pages.array(name) for name in ("offset", "header_size", "compressed_size"))
        found = bisect_left(offsets, end - at)
        is_cut = found and offsets[found - 1] + heads[found - 1] + bodies[found - 1] > len(data)
        if count := found - bool(is_cut):
            at = base + offsets[count - 1] + heads[count - 1] + bodies[count - 1]
            yield base, data, pages, count
        if is_cut:
            length = max(least, (heads[found - 1] + bodies[found - 1]) * 9 // 8)
        elif pages.problem is not None and at < end:
            raise pages.problem.at(None, base)
        elif not found:
            length *= 4


def _believed(stored: int) -> int:
    """Return the maximal decompressed size of a page of this stored size; larger ones are out of proportion."""
    return 0 if stored < FEW_BYTES else BELIEVED * stored


def read_body(
    header,
    body: memoryview,
    codec: int,
    check_crc: bool = False,
    most_page: int | None = None,
    check_size: Callable[[Any], None] | None = None,
) -> Iterator[Page]:
    """Return the page of this header and stored body, or nothing if its type has no values.

    `most_page` and `check_size` are those of `read_pages`.
    """
    if check_size is not None and codec != wire.CODEC_UNCOMPRESSED:
        check_size(header)
    if most_page is not None and header.uncompressed_size > max(most_page, _believed(header.compressed_size)):
        claim = f"a page of {header.compressed_size} bytes that decompresses to {header.uncompressed_size}"
        raise OutOfProportion(claim, offset=header.offset)
    if check_crc and header.crc is not None:
        found = kernels.checksum.crc32(body)
        if found != header.crc:
            raise wire_error(wire.CHECKSUM, header.offset, header.crc, found)
    if header.type not in WITH_VALUES:
        return
    codec, levels, size = _stored_values(header, body, codec)
    try:
        yield Page(header, body[:levels], decompress(codec, body[levels:], size))
    except ParquetextError as error:
        error.offset = header.offset
        raise


def check_body(header, body: memoryview, codec: int) -> None:
    """Check that a page's body decompresses to the size in its header, and discard the result.

    Raises
    ------
    Malformed, Unsupported
        As `read_pages` raises them.
    """
    if header.type not in WITH_VALUES:
        return
    codec, levels, size = _stored_values(header, body, codec)
    try:
        codecs.check(codec, body[levels:], size)
    except ParquetextError as error:
        error.offset = header.offset
        raise


def _stored_values(header, body: memoryview, codec: int) -> tuple[int, int, int]:
    """Return the codec of a page's values, the bytes of the levels before them, and their decompressed size."""
    levels = header.repetition_size + header.definition_size if header.type == wire.PAGE_DATA_PAGE_V2 else 0
    stored, size = body[levels:], header.uncompressed_size - levels
    # Headers of parquet-cpp before 2.0.0 claim that compressed pages are not compressed (ARROW-17100).
    if (not header.is_compressed and len(stored) == size) or (levels and not stored):
        codec = wire.CODEC_UNCOMPRESSED
    return codec, levels, size
