"""Redundant counts of pages: rows and nulls in V2 headers, rows of lists, and the number of values of deltas."""

from __future__ import annotations

from collections.abc import Iterator

from .. import kernels, wire
from ..errors import ParquetextError
from ..findings import Finding
from .codecs import BELIEVED
from .pages import DATA_PAGES, VAST_BYTES, Headers

DELTAS = (wire.ENCODING_DELTA_BINARY_PACKED, wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY, wire.ENCODING_DELTA_BYTE_ARRAY)
LENGTH_BYTES = 4


def check_page_counts(
    source, headers: Headers, max_definition: int, max_repetition: int, label: str
) -> Iterator[Finding]:
    """Compare the rows and nulls that the headers of V2 pages claim with their levels.

    Readers use the levels, so that such a page is read. Only the levels are read, which V2 does not compress.

    Parameters
    ----------
    source : object
        With `size` and `read(offset, length)`.
    headers : Headers
        The pages of one column chunk.
    max_definition, max_repetition : int
        The leaf's highest levels.
    label : str
        The chunk, for the findings.

    Yields
    ------
    Finding
        At most one `page-counts` for the chunk, at the first page that is wrong, and a `page` for levels that cannot be
        decoded.
    """
    wrong: list[tuple[int, int, str]] = []
    for number, kind in enumerate(headers.array("type")):
        if kind != wire.PAGE_DATA_PAGE_V2:
            continue
        header = headers.header(number)
        try:
            message = _contradiction(source, header, max_definition, max_repetition)
        except ParquetextError as error:
            yield Finding("page", f"page {number}: {error.message} (in the levels)", header.offset, label)
            break
        if message:
            wrong.append((number, header.offset, message))
    if wrong:
        number, offset, message = wrong[0]
        others = f"; {len(wrong) - 1} more of {len(headers)} pages are wrong" if len(wrong) > 1 else ""
        yield Finding("page-counts", f"page {number}: {message}{others}", offset, label)


def _contradiction(source, header, max_definition: int, max_repetition: int) -> str:
    """Describe how the header of a V2 page contradicts its levels; return an empty text if it does not."""
    rows = values = header.num_values
    has_levels = max_definition > 0 and header.num_values > 0
    if has_levels:
        levels = source.read(header.offset + header.header_size, header.repetition_size + header.definition_size)
        rows, values = kernels.page.count_levels(header, levels, max_definition, max_repetition)
    message, found = (header.num_rows, header.num_nulls), (rows, header.num_values - values)
    if message != found:
        claim = f"its header says {message[0]} rows and {message[1]} nulls"
        return f"{claim}, its levels have {found[0]} rows and {found[1]} nulls"
    if has_levels and max_repetition:
        first, _ = kernels.encoding.decode_levels(
            wire.ENCODING_RLE, max_repetition, levels, 1, 0, header.repetition_size
        )
        if any(bytes(first)):
            return "it begins within a row, which pages of version 2 do not"
    return ""


def count_rows(source, headers: Headers, codec: int, max_repetition: int) -> int | None:
    """Count the rows that begin in the data pages of a column chunk with lists.

    V2 pages have the number in their headers, which `check_page_counts` compares with the levels. Only the repetition
    levels of V1 pages are read.

    Parameters
    ----------
    source : object
        With `size` and `read(offset, length)`.
    headers : Headers
    codec : int
        ``wire.CODEC_…``.
    max_repetition : int
        The leaf's highest repetition level, at least 1.

    Returns
    -------
    int or None
        None if V1 pages are compressed, together with their levels, or if their levels cannot be decoded.
    """
    rows = 0
    for number, kind in enumerate(headers.array("type")):
        if kind == wire.PAGE_DATA_PAGE and codec != wire.CODEC_UNCOMPRESSED:
            return None
        if kind not in DATA_PAGES:
            continue
        header = headers.header(number)
        if kind == wire.PAGE_DATA_PAGE_V2:
            rows += header.num_rows
            continue
        try:
            levels = _read_repetition(source, header, max_repetition)
            rows += kernels.page.count_levels(header, levels, 0, max_repetition)[0]
        except ParquetextError:
            return None  # decoding reports it
    return rows


def _read_repetition(source, header, max_repetition: int) -> bytes:
    """Return the repetition levels of an uncompressed V1 page, the length in front of them included."""
    start, size = header.offset + header.header_size, header.compressed_size
    if header.repetition_encoding == wire.ENCODING_BIT_PACKED:
        length = (max(header.num_values, 0) * max_repetition.bit_length() + 7) // 8
    else:
        length = LENGTH_BYTES + int.from_bytes(source.read(start, min(LENGTH_BYTES, size)), "little")
    return source.read(start, min(length, size))


def delta_totals(encoding: int, body, count: int, at: int) -> Iterator[int]:
    """Yield the number of values that each DELTA_BINARY_PACKED stream of a page has in its header.

    DELTA_BYTE_ARRAY has two streams: lengths of prefixes, and lengths of suffixes. The second one is left out if a few
    bytes of the first one represent very many lengths, which would take much memory.

    Parameters
    ----------
    encoding : int
        One of `DELTAS`.
    body : bytes-like
        Decompressed.
    count : int
        Values of the page without nulls.
    at : int
        Offset of the encoded values.

    Raises
    ------
    Malformed
        A header, or the first of two streams, cannot be decoded.
    """
    if not count and at == len(body):
        return
    yield _delta_total(body, at)
    if encoding == wire.ENCODING_DELTA_BYTE_ARRAY and LENGTH_BYTES * count <= max(VAST_BYTES, BELIEVED * len(body)):
        deltas = wire.ENCODING_DELTA_BINARY_PACKED
        _, end = kernels.encoding.decode(deltas, wire.PHYSICAL_INT32, 0, body, count, at)
        yield _delta_total(body, end)


def _delta_total(body, at: int) -> int:
    for _ in range(2):  # values of a block, and its miniblocks
        _, at = kernels.varint.decode32(body, at)
    return kernels.varint.decode32(body, at)[0]
