"""Claim the bytes of columns' copies in other encodings, and those that are kept of the original alone."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import pyarrow as pa

from ... import wire
from ...edits.decode_columns import recorded_original
from ...encoding.carried import Carried
from ...encoding.pages import read_headers
from ...errors import ParquetextError
from ...findings import Finding
from ...footer.chunk_copies import copies_by_chunk, name_of_encoding
from ...records import frozen
from ...rewrite.recorded import kept_places
from ..structure.structure import Structure
from .claims import Claims
from .data import Data
from .page_parts import PAGE_COLUMNS, Chunk, claim_pages, page_fields

KINDS = {
    "page-header": "copy-header",
    "repetition-levels": "copy-levels",
    "definition-levels": "copy-levels",
    "values": "copy-values",
}


@frozen
class CopyParts:
    """A copy of a chunk: its number, the content of its block, and the `PAGE_COLUMNS` of the pages that were read."""

    row_group: int
    leaf: int
    copied: Carried
    pages: Mapping[str, array] = field(default_factory=lambda: {name: array("q") for name in PAGE_COLUMNS})


def claim_copies(claims: Claims, source, scan, structure: Structure, data: Data, data_end: int) -> list[CopyParts]:
    """Claim the pages of all copies that the footer leads to, but for those of other chunks than it has."""
    paths, copies = structure.names, []
    begins, sizes, values = scan.chunk_begins(), scan.chunks("total_compressed_size"), scan.chunks("num_values")
    for chunk in copies_by_chunk(scan):
        column = paths[chunk.leaf] if chunk.leaf < len(paths) else str(chunk.leaf)
        position = f"row group {chunk.row_group}, column {column}"
        for copy in chunk.copies:
            if not copy.fits(begins[chunk.index], sizes[chunk.index], values[chunk.index]):
                message = f"a copy at {copy.offset} of another chunk than the footer has"
                data.findings.append(Finding("copy-outdated", message, copy.offset, position, is_note=True))
            elif copy.end > data_end or copy.offset == copy.end:
                message = f"bytes {copy.offset} to {copy.end} leave the data, which ends at {data_end}"
                data.findings.append(Finding("copy-range", message, copy.offset, position))
            else:
                name = f"copy of column {column}, {name_of_encoding(copy)}"
                fields = CopyParts(chunk.row_group, chunk.leaf, copy)
                copies.append(_claim_copy(claims, source, structure, fields, name, position, data))
    return copies


def copy_table(copies: Sequence[CopyParts]) -> pa.Table:
    """Return the table `Layout.copies`."""
    copied = [copy.copied for copy in copies]

    def numbers(name: str) -> pa.Array:
        return pa.array([getattr(copy, name) for copy in copied], pa.int64())

    codecs = [wire.NAMES_OF_COMPRESSION_CODEC.get(copy.codec, str(copy.codec)) for copy in copied]
    return pa.table(
        {
            "row_group": pa.array([copy.row_group for copy in copies], pa.int32()),
            "column": pa.array([copy.leaf for copy in copies], pa.int32()),
            "encoding": pa.array([name_of_encoding(copy) for copy in copied], pa.string()),
            "codec": pa.array(codecs, pa.string()),
            "offset": numbers("offset"),
            "bytes": numbers("length"),
            "pages": pa.array([len(copy.page_lengths) for copy in copied], pa.int64()),
            "num_values": numbers("num_values"),
            "null_count": numbers("null_count"),
            "rows_per_page": numbers("rows_per_page"),
            "uncompressed_bytes": numbers("uncompressed_length"),
            "chunk_bytes": numbers("chunk_length"),
        }
    )


def _claim_copy(
    claims: Claims, source, structure: Structure, fields: CopyParts, name: str, label: str, data: Data
) -> CopyParts:
    """Claim the pages of a copy and its unreadable rest; return the copy with its pages."""
    copy, end = fields.copied, fields.copied.offset
    chunk = Chunk(fields.row_group, fields.leaf, copy.codec, 1, 1, copy.offset, copy.end, label)
    if structure.is_read_too_often:
        message = "the pages of its copy are not looked at: chunks that overlap have been read too often"
        data.findings.append(Finding("page", message, copy.offset, chunk.label))
    else:
        headers = read_headers(source, copy.offset, copy.end)
        fields = replace(fields, pages=page_fields(source, headers, chunk))
        claim_pages(claims, fields.pages, chunk, KINDS, "unread-copy", name)
        end = headers.end
        if headers.problem is not None:
            data.findings.append(Finding.of("page", headers.problem, chunk.label))
    claims.add(end, copy.end - end, "unread-copy", row_group=fields.row_group, column=fields.leaf, name=name)
    return fields


def claim_original(claims: Claims, source, tail, data_end: int) -> Sequence[Finding]:
    """Claim the bytes that an encoded file keeps only to restore the original; return findings about the record."""
    try:
        found = recorded_original(source, tail)
    except ParquetextError as error:
        return [Finding.of("original-damaged", error, "original")]
    if found is None:
        return []
    rest = found.original.rest
    if not claims.holds(rest.offset, rest.length) or rest.offset + rest.length > data_end:
        message = f"bytes {rest.offset} to {rest.offset + rest.length} leave the data, which ends at {data_end}"
        return [Finding("original-lost", message, rest.offset, "original")]
    for offset, length in kept_places(source, found):
        claims.add(offset, length, "original-rest")
    return []
