"""Claim the bytes of column chunks: page headers, levels, values and dictionaries."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

from ... import kernels, wire
from ...encoding.pages import Headers
from ...errors import ParquetextError
from ...findings import Finding
from ..structure.structure import Structure
from .claims import Claims
from .page_parts import PAGE_COLUMNS, Chunk, claim_pages, decompress_levels, page_fields

MOST_BYTES = 1 << 16
COPIES = (
    {wire.COLUMN_CHUNK_FILE_OFFSET: wire.TYPE_I64, wire.COLUMN_CHUNK_META_DATA: wire.TYPE_STRUCT},
    {
        wire.COLUMN_META_DATA_TYPE: wire.TYPE_I32,
        wire.COLUMN_META_DATA_ENCODINGS: wire.TYPE_LIST,
        wire.COLUMN_META_DATA_PATH_IN_SCHEMA: wire.TYPE_LIST,
        wire.COLUMN_META_DATA_CODEC: wire.TYPE_I32,
    },
)
COPY_BEGINS = b"\x26", b"\x15", b"\x18"  # headers of fields 2 and 1 of a ColumnChunk, and 1 of a ColumnMetaData


def copy_size(source, begin: int, end: int) -> int:
    """Return the size of a ColumnChunk or ColumnMetaData that begins here: older writers append one to each chunk."""
    data = source.read(begin, min(MOST_BYTES, end - begin))
    if data[:1] not in COPY_BEGINS:
        return 0
    try:
        found = {field[0]: field[1] for field in kernels.thrift.fields(data)}
        size = kernels.thrift.struct_end(data)
    except ParquetextError:
        return 0
    return size if any(found.items() >= wanted.items() for wanted in COPIES) else 0


@dataclass(slots=True)
class Data:
    """The pages and positions of the chunks that were claimed.

    Attributes
    ----------
    decompress : bool
        True if pages are decompressed to separate levels from values.
    pages : dict
        Header fields of all pages as arrays (`PAGE_COLUMNS`), chunk by chunk; -1 if a page lacks the field.
    page_counts, starts, ends : array
        For each chunk of the footer: the number of its pages, and its range (0 and 0 if it is outside of the file).
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


def claim_data(claims: Claims, source, structure: Structure, data_end: int, *, decompress: bool = False) -> Data:
    """Claim every page of every chunk in the footer; data ends before `data_end`.

    With `decompress`, pages are decompressed if their levels are compressed together with the values.
    """
    data = Data(decompress)
    for stored, headers in structure.walk():
        own = stored.max_definition, stored.max_repetition, stored.start, stored.end, stored.label
        chunk = Chunk(stored.row_group, stored.leaf, stored.codec, *own)
        is_here, count = stored.is_within(data_end), 0
        owner: Any = {"row_group": chunk.row_group, "column": chunk.leaf}
        if headers is not None:
            count = _claim_chunk(claims, source, chunk, headers, data, data_end)
        elif is_here:
            kind = "encrypted-data" if stored.is_encrypted else "unread-pages"
            claims.add(chunk.start, chunk.end - chunk.start, kind, **owner)
        data.row_groups.append(chunk.row_group)
        data.leaves.append(chunk.leaf)
        data.page_counts.append(count)
        data.starts.append(chunk.start if is_here else 0)
        data.ends.append(chunk.end if is_here else 0)
    return data


def _claim_chunk(claims: Claims, source, chunk: Chunk, headers: Headers, data: Data, data_end: int) -> int:
    """Claim the pages of a chunk, and the bytes after the last page that can be read."""
    if headers.problem is not None and (size := copy_size(source, headers.end, data_end)):
        claims.add(headers.end, size, "metadata-copy", row_group=chunk.row_group, column=chunk.leaf)
    elif headers.problem is not None:
        rest = chunk.end - headers.end
        claims.add(headers.end, rest, "unread-pages", row_group=chunk.row_group, column=chunk.leaf)
    pages = page_fields(source, headers, chunk)
    if data.decompress:
        try:
            decompress_levels(source, pages, chunk)
        except ParquetextError as error:
            data.findings.append(Finding("page-body", error.message, error.offset, chunk.label))
    claim_pages(claims, pages, chunk)
    for name, values in data.pages.items():
        values.extend(pages[name])
    return len(headers)
