"""Where the bytes of column chunks belong: page headers, levels, values and dictionaries."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from .. import wire
from ..encoding.page_counts import check_page_counts
from ..encoding.pages import OVERRUN, read_headers
from ..errors import ParquetextError
from ..findings import Finding
from .claims import Claims
from .copies import copy_size
from .page_parts import PAGE_COLUMNS, Chunk, claim_pages, decompress_levels, page_facts
from .thrift_footer import leaf_of_chunks

__all__ = ["PAGE_COLUMNS", "Data", "claim_data", "is_read_too_often"]

READS, MORE_READS = 4, 1 << 16  # times the file, and bytes beside, that may be read of pages: chunks may overlap
ELSEWHERE = wire.PRESENT_FILE_PATH


@dataclass(slots=True)
class Data:
    """What was found in the chunks.

    Attributes
    ----------
    decompress : bool
        Whether pages are decompressed where that tells more.
    pages : dict
        Facts of all pages as arrays (`PAGE_COLUMNS`), chunk by chunk; -1 where a page does not say.
    page_counts, starts, ends : array
        Of each chunk of the footer: its pages, and where it lies (0 and 0 of one that lies in no place here).
    row_groups, leaves : list of int
        Of each chunk.
    """

    decompress: bool = False
    pages: dict[str, array] = field(default_factory=lambda: {name: array("q") for name in PAGE_COLUMNS})
    page_counts: array = field(default_factory=lambda: array("q"))
    starts: array = field(default_factory=lambda: array("q"))
    ends: array = field(default_factory=lambda: array("q"))
    row_groups: list[int] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def claim_data(claims: Claims, source, scan, data_end: int, *, decompress: bool = False) -> Data:
    """Claim every page of every chunk that the footer leads to; `data_end` is where data cannot be any more.

    With `decompress`, pages are decompressed where levels are compressed together with values.
    """
    data = Data(decompress)
    data.row_groups, data.leaves = leaf_of_chunks(scan)
    levels = list(zip(scan.elements("max_definition"), scan.elements("max_repetition"), strict=True))
    leaf_levels = [levels[element] for element in scan.leaves] + [(0, 0)]  # the last one for chunks beyond the leaves
    names = ("total_compressed_size", "codec", "present")
    facts = zip(data.row_groups, data.leaves, scan.chunk_begins(), *map(scan.chunks, names), strict=True)
    for row_group, leaf, begin, size, codec, present in facts:
        start, end = (0, 0) if present & ELSEWHERE or size <= 0 else (begin, begin + size)
        chunk = Chunk(row_group, leaf, codec, *leaf_levels[leaf], start, end)
        count = 0
        if start < end and _is_inside(data, chunk, data_end):
            if present & wire.PRESENT_CRYPTO:
                claims.add(start, end - start, "encrypted-data", row_group=row_group, column=leaf)
            else:
                count = _claim_chunk(claims, source, chunk, data, data_end)
        else:
            start = end = 0
        data.page_counts.append(count)
        data.starts.append(start)
        data.ends.append(end)
    return data


def is_read_too_often(source, claims: Claims) -> bool:
    """Whether chunks that overlap have made so much be read that no more of them are."""
    return source.bytes_read > READS * claims.size + MORE_READS


def _is_inside(data: Data, chunk: Chunk, data_end: int) -> bool:
    if 0 <= chunk.start < chunk.end <= data_end:
        return True
    message = f"bytes {chunk.start} to {chunk.end} leave the data, which ends at {data_end}"
    data.findings.append(Finding("chunk-range", message, chunk.start, chunk.place))
    return False


def _claim_chunk(claims: Claims, source, chunk: Chunk, data: Data, data_end: int) -> int:
    """Claim the pages of a chunk, and what follows the last one that can be read."""
    if is_read_too_often(source, claims):
        message = "its pages are not looked at: chunks that overlap have been read too often"
        data.findings.append(Finding("page", message, chunk.start, chunk.place))
        claims.add(chunk.start, chunk.end - chunk.start, "unread-pages", row_group=chunk.row_group, column=chunk.leaf)
        return 0
    slack = min(OVERRUN, data_end - chunk.end)
    headers, size = read_headers(source, chunk.start, chunk.end, slack=slack), 0
    if headers.problem is not None and (size := copy_size(source, headers.end, data_end)):
        claims.add(headers.end, size, "metadata-copy", row_group=chunk.row_group, column=chunk.leaf)
    elif headers.problem is not None:
        data.findings.append(Finding.of("page", headers.problem, chunk.place))
        rest = chunk.end - headers.end
        claims.add(headers.end, rest, "unread-pages", row_group=chunk.row_group, column=chunk.leaf)
    data.findings += check_page_counts(source, headers, chunk.max_definition, chunk.max_repetition, chunk.place)
    pages = page_facts(source, headers, chunk)
    if data.decompress:
        try:
            decompress_levels(source, pages, chunk)
        except ParquetextError as error:
            data.findings.append(Finding.of("page", error, chunk.place))
    claim_pages(claims, pages, chunk)
    for name, values in data.pages.items():
        values.extend(pages[name])
    if headers.end != chunk.end and (headers.problem is None or size):
        message = f"its pages take {headers.end - chunk.start} bytes, the footer says {chunk.end - chunk.start}"
        data.findings.append(Finding("chunk-size", message, chunk.end, chunk.place, is_note=True))
    return len(headers)
