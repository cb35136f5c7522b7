"""Limit the memory that values take if the file has few bytes for them, before a decoder reserves it.

A row of nulls takes no byte of a page, and an index into a dictionary or a prefix of DELTA_BYTE_ARRAY can represent a
text of any length. Files that hold hundreds of millions of such rows are valid and useful; a file of 150 bytes that
claims two billion may also be an attack. Values that take at most 64 times the bytes of their column chunks count for
nothing here, others must stay below a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import mul
from typing import NamedTuple

import pyarrow as pa

from .. import compute as pc
from .. import kernels, wire
from ..encoding.codecs import BELIEVED
from ..encoding.decoded_sizes import VARIABLE, VAST_PAGE, check_page_size, limit_of, most_entries
from ..encoding.pages import DATA_PAGES, read_headers, read_pages
from ..errors import LimitExceeded, ParquetextError
from ..storage import is_remote
from .thrift_form import ThriftForm

OFFSET_BYTES = 4  # of a text or a list, in memory
LIST_BYTES = 2 * OFFSET_BYTES  # of a value's levels, if it is in a list
WIDEST_FIXED = 12  # bytes of a value: INT96
COUNTED_VALUES = 1 << 26  # of a page whose levels and indices are decoded to count bytes
WITH_DICTIONARY = wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY
# Bytes that a codec makes of one byte; of others a page's header is believed.
FACTORS = {wire.CODEC_UNCOMPRESSED: 1, wire.CODEC_SNAPPY: 22, wire.CODEC_LZ4: 255, wire.CODEC_LZ4_RAW: 255}
MOST_FACTOR = max(FACTORS.values())


class _Leaf(NamedTuple):
    """The properties of a leaf that determine the memory of its values."""

    number: int
    physical: int
    width: int  # 0 for byte arrays
    definition: int
    repetition: int
    name: str

    @property
    def entry_bytes(self) -> int:
        """The least that a value or null takes."""
        return (self.width or OFFSET_BYTES) + (LIST_BYTES if self.repetition else 0)


def check_expansion(
    form: ThriftForm,
    leaves: Iterable[int] | None,
    source,
    limit: int | None = None,
    *,
    pages: bool = True,
) -> bool:
    """Check how much memory the values of a slice's row groups take.

    Parameters
    ----------
    form : ThriftForm
        The slice that has the row groups to read.
    leaves : iterable of int, optional
        Which leaves are read; all by default.
    source
        The file's bytes: `size` and `read(offset, length)`.
    limit : int, optional
        As `limit_of` takes it.
    pages : bool
        Also check page headers and dictionaries, except those of remote files.

    Returns
    -------
    bool
        True if the chunks are so short that no page of them needs to be looked at.

    Raises
    ------
    LimitExceeded
        The values take more memory than `limit`, and more than 64 times the bytes of their column chunks.
    """
    most = limit_of(limit)
    scan = form.scan
    counts = scan.chunks("num_values")
    rows = scan.row_groups("num_rows")
    if not counts or min(rows) < 0 or len(counts) != scan.leaf_count * scan.row_group_count:
        return False  # a footer that contradicts itself is refused when it is read
    pages = pages and not is_remote(source)
    # Most reads end here: even the widest values of all chunks stay below the limit.
    claimed = sum(counts) - min(min(counts), 0) * len(counts) + sum(rows) * scan.leaf_count
    if claimed * (max(WIDEST_FIXED, max(scan.elements("type_length"))) + LIST_BYTES) <= most:
        are_short = _are_short(scan, claimed, most)
        if are_short or not pages:
            return are_short
    stored = scan.chunks("total_compressed_size")
    if min(stored) < 0:
        return False
    read = _leaves(scan, range(scan.leaf_count) if leaves is None else leaves)
    codecs, chunks = scan.chunks("codec"), {}
    for leaf in read:
        own = slice(leaf.number, None, scan.leaf_count)
        chunks[leaf] = list(map(max, counts[own], rows)), stored[own], codecs[own]
    _check_counts(chunks, most)
    if not pages:
        return False
    for leaf, fields in chunks.items():
        if _may_expand(leaf, *fields, most):
            _Texts(form, leaf, source, most).check()
    return False


def _are_short(scan, claimed: int, most: int) -> bool:
    """Return True if `_may_expand` returns False for every leaf, because the chunks are short."""
    if not FACTORS.keys() >= set(scan.chunks("codec")):
        return False
    stored = scan.chunks("total_compressed_size")
    longest = max(stored) * MOST_FACTOR
    return longest <= VAST_PAGE and (claimed + BELIEVED * sum(map(abs, stored))) * longest <= most


def _may_expand(leaf: _Leaf, entries: list[int], stored: memoryview, codecs: memoryview, most: int) -> bool:
    """Return False if the pages of a leaf cannot be too large for any headers."""
    factors = [FACTORS.get(codec, most) for codec in codecs]
    if leaf.width:
        sizes = zip(factors, stored, strict=True)
        return any(factor * size > max(VAST_PAGE, BELIEVED * size) for factor, size in sizes)
    if leaf.repetition:
        entries = [most_entries(count, size, 0) for count, size in zip(entries, stored, strict=True)]
    return sum(map(mul, entries, stored)) * max(factors) > most


def _leaves(scan, numbers: Iterable[int]) -> list[_Leaf]:
    names = "type", "type_length", "max_definition", "max_repetition", "name_offset", "name_length"
    fields, elements = [scan.elements(name) for name in names], scan.leaves
    found = []
    for number in numbers:
        physical, length, definition, repetition, start, size = (fact[elements[number]] for fact in fields)
        width = wire.WIDTH_IN_PAGES.get(physical, 0)
        if physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            width = max(length, 1)
        elif physical != wire.PHYSICAL_BYTE_ARRAY:
            width = max(width, 1)
        name = bytes(memoryview(scan.data)[start : start + min(size, 100)]).decode("utf-8", "replace")
        found.append(_Leaf(number, physical, width, definition, repetition, name))
    return found


def _check_counts(chunks: Mapping[_Leaf, tuple], most: int) -> None:
    """Check the minimal memory of the values of chunks with few bytes.

    `chunks` are entries, stored bytes and codecs of the chunks of each leaf.
    """
    if sum(sum(entries) * leaf.entry_bytes for leaf, (entries, *_) in chunks.items()) <= most:
        return
    claimed = there = values = 0
    for leaf, (entries, stored, _) in chunks.items():
        for count, size in zip(entries, stored, strict=True):
            if count * leaf.entry_bytes > BELIEVED * size:
                claimed, there, values = claimed + count * leaf.entry_bytes, there + size, values + count
    if claimed > most:
        raise _exceeded(f"{values} values", claimed, there, most)


def _exceeded(what: str, claimed: int, there: int, most: int) -> LimitExceeded:
    message = (
        f"{what} take {claimed} bytes in memory, and the file has {there} bytes for them; the limit is {most} bytes"
    )
    return LimitExceeded(f"{message} (decoded_size_limit, or {VARIABLE})", expected=most, found=claimed)


class _Texts:
    """The pages of one leaf, and how many bytes their texts are."""

    def __init__(self, form: ThriftForm, leaf: _Leaf, source, most: int):
        self._form, self._leaf, self._source, self._most = form, leaf, source, most

    def check(self) -> None:
        """Raise LimitExceeded if a page, or all texts, are too large.

        The texts are counted exactly only if what they can take at most, by the page headers and the longest entries
        of the dictionaries, is above the limit.
        """
        chunks = self._form.column(self._leaf.number)
        fields = chunks.begins(), *map(chunks.array, ("total_compressed_size", "num_values", "codec"))
        uncounted, claimed = [], 0
        for begin, size, count, codec in zip(*fields, strict=True):
            if not 0 <= begin <= self._source.size or size > self._source.size - begin:
                continue
            found = self._most_bytes(begin, size, count, codec)
            if found > BELIEVED * size:
                uncounted.append((begin, size, codec))
                claimed += found
        if claimed > self._most:
            self._check_exactly(uncounted)

    def _check_exactly(self, chunks: Iterable[tuple[int, int, int]]) -> None:
        """Raise LimitExceeded if the texts of chunks, given by offset, size and codec, are too large."""
        taken = there = 0
        for begin, size, codec in chunks:
            found = self._count(begin, size, codec)
            if found > BELIEVED * size:
                taken, there = taken + found, there + size
            if taken > self._most:
                raise _exceeded(f"the texts of column {self._leaf.name!r}", taken, there, self._most)

    def _most_bytes(self, begin: int, size: int, count: int, codec: int) -> int:
        """Return an upper bound of the bytes of a chunk's texts; raise LimitExceeded for a page that is too large."""
        headers = read_headers(self._source, begin, begin + size)
        names = "type", "encoding", "num_values", "uncompressed_size", "compressed_size"
        pages = list(zip(*map(headers.array, names), strict=True))
        if codec != wire.CODEC_UNCOMPRESSED:
            for _, _, values, length, there in pages:
                check_page_size(min(values, count), length, there, self._leaf.width, self._most)
        if self._leaf.width:
            return 0
        total = indexed = longest = 0
        for type, encoding, values, length, _ in pages:
            if type == wire.PAGE_DICTIONARY_PAGE:
                longest = length
            elif type in DATA_PAGES and encoding in WITH_DICTIONARY:
                indexed += max(values, 0)
                total += length
            elif type in DATA_PAGES:
                total += length * (max(values, 1) if encoding == wire.ENCODING_DELTA_BYTE_ARRAY else 1)
        if total + indexed * longest > BELIEVED * size and indexed:
            longest = min(longest, self._longest_entry(begin, size, codec))
        return total + indexed * longest

    def _longest_entry(self, begin: int, size: int, codec: int) -> int:
        """Return the bytes of the longest text of a dictionary; of one that cannot be read, 0: it yields no text."""
        try:
            first = next(read_pages(self._source, begin, begin + size, codec), None)
            if first is None or first.header.type != wire.PAGE_DICTIONARY_PAGE:
                return 0
            return pc.max(_lengths_of(first.values, first.header.num_values)).as_py() or 0
        except LimitExceeded:
            raise
        except ParquetextError:
            return 0

    def _count(self, begin: int, size: int, codec: int) -> int:
        """Count the bytes of a chunk's texts without making them; pages that cannot be read count for nothing."""
        lengths, total, longest = None, 0, 0
        try:
            for page in read_pages(self._source, begin, begin + size, codec):
                if page.header.type == wire.PAGE_DICTIONARY_PAGE:
                    lengths = _lengths_of(page.values, page.header.num_values)
                    longest = pc.max(lengths).as_py() or 0
                elif page.header.encoding in WITH_DICTIONARY and lengths is not None:
                    total += self._indexed(page, lengths, longest)
                elif page.header.encoding == wire.ENCODING_DELTA_BYTE_ARRAY:
                    total += self._prefixed(page)
                else:
                    total += page.header.uncompressed_size
                if total > self._most:
                    break
        except LimitExceeded:
            raise
        except ParquetextError:
            return total
        return total

    def _body(self, page) -> tuple[memoryview, int, int]:
        """Return a page's body, the offset of its values, and their number without nulls."""
        header, own = page.header, self._leaf
        body = memoryview(b"".join((page.levels, page.values)))
        _, (start, end), values = kernels.page.level_parts(header, body, own.definition, own.repetition)
        count = header.num_values
        if own.definition:
            found, _ = kernels.encoding.decode_levels(
                header.definition_encoding, own.definition, body[:end], count, start
            )
            levels = pa.Array.from_buffers(pa.uint16(), count, [None, pa.py_buffer(found)])
            count = pc.sum(pc.equal(levels, own.definition)).as_py() or 0
        return body, values, count

    def _indexed(self, page, lengths: pa.Array, longest: int) -> int:
        """Return the bytes of the texts that a page of indices leads to."""
        if page.header.num_values > COUNTED_VALUES:
            return page.header.num_values * longest
        body, at, count = self._body(page)
        if not count:
            return 0
        found, _ = kernels.encoding.decode_indices(body[at:], count, len(lengths))
        indices = pa.Array.from_buffers(pa.uint32(), count, [None, pa.py_buffer(found)])
        return pc.sum(lengths.take(indices)).as_py() or 0

    def _prefixed(self, page) -> int:
        """Return the bytes of the texts of a page of DELTA_BYTE_ARRAY: of its prefixes and its suffixes."""
        if page.header.num_values > COUNTED_VALUES:
            return page.header.num_values * page.header.uncompressed_size
        body, at, count = self._body(page)
        total = 0
        for _ in range(2):
            numbers, at = kernels.encoding.decode(
                wire.ENCODING_DELTA_BINARY_PACKED, wire.PHYSICAL_INT32, 0, body, count, at
            )
            lengths = pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(numbers)])
            total += pc.sum(pc.cast(lengths, pa.int64())).as_py() or 0
        return total


def _lengths_of(data, count: int) -> pa.Array:
    """Return the lengths of the PLAIN byte arrays of a dictionary page."""
    (offsets, _), _ = kernels.encoding.decode(wire.ENCODING_PLAIN, wire.PHYSICAL_BYTE_ARRAY, 0, data, count)
    found = pa.Array.from_buffers(pa.int32(), count + 1, [None, pa.py_buffer(offsets)])
    return pc.cast(pc.subtract(found[1:], found[:-1]), pa.int64())
