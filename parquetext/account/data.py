"""Where the bytes of column chunks belong: page headers, levels, values and dictionaries."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from .. import wire
from ..findings import Finding
from .claims import Claims
from .copies import copy_size
from .thrift_footer import leaf_of_chunks
from .walking import chunk_range, walk

__all__ = ["PAGE_COLUMNS", "Chunk", "Data", "claim_data"]

LENGTH_BYTES = 4
LONGEST_DICTIONARY_HEADER = 100
ELSEWHERE = wire.PRESENT_FILE_PATH
PAGE_COLUMNS = (
    "offset",
    "header_size",
    "type",
    "encoding",
    "num_values",
    "compressed_size",
    "uncompressed_size",
    "repetition_size",
    "definition_size",
)


@dataclass(slots=True)
class Data:
    """What was found in the chunks.

    Attributes
    ----------
    pages : dict
        Facts of all pages as arrays (`PAGE_COLUMNS`), chunk by chunk; -1 where a page does not say.
    page_counts, starts, ends : array
        Of each chunk of the footer: its pages, and where it lies (0 and 0 of one that lies in no place here).
    row_groups, leaves : list of int
        Of each chunk.
    """

    pages: dict[str, array] = field(default_factory=lambda: {name: array("q") for name in PAGE_COLUMNS})
    page_counts: array = field(default_factory=lambda: array("q"))
    starts: array = field(default_factory=lambda: array("q"))
    ends: array = field(default_factory=lambda: array("q"))
    row_groups: list[int] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Chunk:
    """What its footer says of a chunk, as far as a walk of its pages needs it."""

    row_group: int
    leaf: int
    codec: int
    max_definition: int
    max_repetition: int
    start: int
    end: int

    @property
    def place(self) -> str:
        return f"row group {self.row_group}, column {self.leaf}"


def claim_data(claims: Claims, source, scan, data_end: int) -> Data:
    """Claim every page of every chunk that the footer leads to; `data_end` is where data cannot be any more."""
    data = Data()
    data.row_groups, data.leaves = leaf_of_chunks(scan)
    levels = list(zip(scan.elements("max_definition"), scan.elements("max_repetition"), strict=True))
    leaf_levels = [levels[element] for element in scan.leaves] + [(0, 0)]  # the last one for chunks beyond the leaves
    names = ("data_page_offset", "dictionary_page_offset", "total_compressed_size", "codec", "present")
    facts = zip(data.row_groups, data.leaves, *map(scan.chunks, names), strict=True)
    for row_group, leaf, first, dictionary, size, codec, present in facts:
        start, end = (0, 0) if present & ELSEWHERE or size <= 0 else chunk_range(first, dictionary, size)
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


def _is_inside(data: Data, chunk: Chunk, data_end: int) -> bool:
    if 0 <= chunk.start < chunk.end <= data_end:
        return True
    message = f"bytes {chunk.start} to {chunk.end} leave the data, which ends at {data_end}"
    data.findings.append(Finding("chunk-range", message, chunk.start, chunk.place))
    return False


def _claim_chunk(claims: Claims, source, chunk: Chunk, data: Data, data_end: int) -> int:
    """Claim the pages of a chunk, and what follows the last one that can be read."""
    walked, size = walk(source, chunk.start, chunk.end), 0
    if walked.problem is not None:
        walked = _walked_over(source, chunk, data_end) or walked
    if walked.problem is not None and (size := copy_size(source, walked.end, data_end)):
        claims.add(walked.end, size, "metadata-copy", row_group=chunk.row_group, column=chunk.leaf)
    elif walked.problem is not None:
        data.findings.append(Finding.of("page", walked.problem, chunk.place))
        rest = max(walked.end, chunk.start)
        claims.add(rest, chunk.end - rest, "unread-pages", row_group=chunk.row_group, column=chunk.leaf)
    columns = {
        name: walked.array(name)
        for name in (*PAGE_COLUMNS, "is_compressed", "repetition_encoding", "definition_encoding")
    }
    columns["repetition_size"], columns["definition_size"] = _level_sizes(source, chunk, columns)
    _claim_pages(claims, chunk, columns)
    for name, values in data.pages.items():
        values.extend(columns[name])
    if walked.end != chunk.end and not (walked.problem and not size):
        message = f"its pages take {walked.end - chunk.start} bytes, the footer says {chunk.end - chunk.start}"
        data.findings.append(Finding("chunk-size", message, chunk.end, chunk.place, is_note=True))
    return len(walked)


def _walked_over(source, chunk: Chunk, data_end: int):
    """The pages of a chunk whose size leaves out a dictionary's header (PARQUET-816), as some old ones do; or None."""
    walked = walk(source, chunk.start, min(chunk.end + LONGEST_DICTIONARY_HEADER, data_end), chunk.end)
    return walked if walked.problem is None and walked.end > chunk.end else None


def _level_sizes(source, chunk: Chunk, columns: dict) -> tuple[array, array]:
    """Bytes of the repetition and definition levels of each page as it is stored; -1 where these are compressed."""
    repetition, definition = array("q", columns["repetition_size"]), array("q", columns["definition_size"])
    is_plain = chunk.codec == wire.CODEC_UNCOMPRESSED
    has_levels = chunk.max_repetition > 0 or chunk.max_definition > 0
    for number, kind in enumerate(columns["type"]):
        size = columns["compressed_size"][number]
        if kind == wire.PAGE_DATA_PAGE_V2:
            if min(repetition[number], definition[number]) < 0 or repetition[number] + definition[number] > size:
                repetition[number] = definition[number] = -1
        elif kind != wire.PAGE_DATA_PAGE or not has_levels:
            repetition[number] = definition[number] = 0
        elif is_plain:
            repetition[number], definition[number] = _prefixed_levels(source, chunk, columns, number)
        else:
            repetition[number] = definition[number] = -1
    return repetition, definition


def _prefixed_levels(source, chunk: Chunk, columns: dict, number: int) -> tuple[int, int]:
    """Bytes of the levels of an uncompressed page of version 1, their length prefixes included; -1, -1 if too many."""
    at = columns["offset"][number] + columns["header_size"][number]
    end, values = at + columns["compressed_size"][number], columns["num_values"][number]
    sizes = []
    for most, encoding in (
        (chunk.max_repetition, columns["repetition_encoding"][number]),
        (chunk.max_definition, columns["definition_encoding"][number]),
    ):
        if most == 0:
            size = 0
        elif encoding == wire.ENCODING_BIT_PACKED:
            size = (values * most.bit_length() + 7) // 8
        elif end - at < LENGTH_BYTES:
            return -1, -1
        else:
            size = LENGTH_BYTES + int.from_bytes(source.read(at, LENGTH_BYTES), "little")
        at += size
        if size < 0 or at > end:
            return -1, -1
        sizes.append(size)
    return sizes[0], sizes[1]


def _claim_pages(claims: Claims, chunk: Chunk, columns: dict) -> None:
    """Claim the headers and bodies of all pages of a chunk, part by part."""
    count = len(columns["offset"])
    numbers = range(count)
    headers = columns["header_size"]
    claims.add_pages(columns["offset"], array("q", headers), "page-header", chunk.row_group, chunk.leaf, numbers)
    parts: dict[str, tuple[array, array, array]] = {}

    def claim(kind: str, offset: int, length: int, page: int) -> None:
        if length:
            for values, value in zip(
                parts.setdefault(kind, (array("q"), array("q"), array("i"))), (offset, length, page), strict=True
            ):
                values.append(value)

    facts = zip(*(columns[name] for name in PAGE_COLUMNS), strict=True)
    for page, (offset, header, kind, _, _, size, _, repetition, definition) in enumerate(facts):
        body = offset + header
        if kind not in (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2):
            claim(BODIES.get(kind, "unknown-page"), body, size, page)
        elif repetition < 0:
            claim("levels-and-values", body, size, page)
        else:
            claim("repetition-levels", body, repetition, page)
            claim("definition-levels", body + repetition, definition, page)
            claim("values", body + repetition + definition, size - repetition - definition, page)
    for kind, (offsets, lengths, pages) in parts.items():
        claims.add_pages(offsets, lengths, kind, chunk.row_group, chunk.leaf, pages)


BODIES = {wire.PAGE_DICTIONARY_PAGE: "dictionary", wire.PAGE_INDEX_PAGE: "index-page"}
