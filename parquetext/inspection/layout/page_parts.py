"""The parts of the pages of a chunk: headers, levels, values, dictionaries."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from contextlib import suppress

from ... import kernels, wire
from ...encoding.pages import DATA_PAGES, VAST_BYTES, Headers, read_pages
from ...errors import OutOfProportion
from ...records import frozen
from .claims import Claims

LENGTH_BYTES = 4
HEADER_COLUMNS = (
    "offset",
    "header_size",
    "type",
    "encoding",
    "num_values",
    "compressed_size",
    "uncompressed_size",
    "repetition_size",
    "definition_size",
    "num_rows",
    "num_nulls",
    "crc",
)
PAGE_COLUMNS = (*HEADER_COLUMNS, "plain_levels")
LEVEL_ENCODINGS = ("repetition_encoding", "definition_encoding")
BODIES = {wire.PAGE_DICTIONARY_PAGE: "dictionary", wire.PAGE_INDEX_PAGE: "index-page"}


@frozen
class Chunk:
    """The values in the footer that a walk over a chunk's pages needs."""

    row_group: int
    leaf: int
    codec: int
    max_definition: int
    max_repetition: int
    start: int
    end: int
    label: str


def page_fields(source, headers: Headers, chunk: Chunk) -> dict[str, array]:
    """Return the `PAGE_COLUMNS` of a chunk's pages; -1 if a page lacks the field.

    Sizes of levels are bytes of the body as it is stored, of version 1 with the lengths in front of them;
    `plain_levels` are those of the decompressed body.
    """
    fields = {name: array("q", headers.array(name)) for name in (*HEADER_COLUMNS, *LEVEL_ENCODINGS)}
    for number, has_crc in enumerate(headers.array("has_crc")):
        if not has_crc:
            fields["crc"][number] = -1
    repetition, definition = fields["repetition_size"], fields["definition_size"]
    is_plain = chunk.codec == wire.CODEC_UNCOMPRESSED
    has_levels = chunk.max_repetition > 0 or chunk.max_definition > 0
    for number, kind in enumerate(fields["type"]):
        if kind == wire.PAGE_DATA_PAGE_V2:
            continue
        if kind != wire.PAGE_DATA_PAGE or not has_levels:
            repetition[number] = definition[number] = 0
        elif is_plain:
            repetition[number], definition[number] = _prefixed_levels(source, fields, chunk, number)
    both = zip(repetition, definition, strict=True)
    fields["plain_levels"] = array("q", (-1 if min(pair) < 0 else sum(pair) for pair in both))
    return fields


def decompress_levels(source, fields: dict[str, array], chunk: Chunk) -> None:
    """Fill in how many bytes the levels take of decompressed pages of version 1, up to one that is vast.

    Raises
    ------
    Malformed, Unsupported
        A page cannot be decompressed, or its levels reach over its end; pages in front of it are filled in.
    """
    unknown = {offset: number for number, offset in enumerate(fields["offset"]) if fields["plain_levels"][number] < 0}
    if not unknown:
        return
    with suppress(OutOfProportion):
        for page in read_pages(source, chunk.start, chunk.end, chunk.codec, most_page=VAST_BYTES):
            if page.header.offset in unknown:
                _, _, values = kernels.page.level_parts(
                    page.header, page.values, chunk.max_definition, chunk.max_repetition
                )
                fields["plain_levels"][unknown[page.header.offset]] = values


def _prefixed_levels(source, fields: dict[str, array], chunk: Chunk, number: int) -> tuple[int, int]:
    """Return the bytes of the levels of an uncompressed V1 page with their length prefixes; -1, -1 if too many."""
    at = fields["offset"][number] + fields["header_size"][number]
    end, values = at + fields["compressed_size"][number], fields["num_values"][number]
    sizes = []
    for most, encoding in (
        (chunk.max_repetition, fields["repetition_encoding"][number]),
        (chunk.max_definition, fields["definition_encoding"][number]),
    ):
        if most == 0 or (values == 0 and at == end):
            size = 0
        elif encoding == wire.ENCODING_BIT_PACKED:
            size = (values * most.bit_length() + 7) // 8
        elif end - at < LENGTH_BYTES:
            return -1, -1
        else:
            size = LENGTH_BYTES + int.from_bytes(source.read(at, LENGTH_BYTES), "little")
        at += size
        if at > end:
            return -1, -1
        sizes.append(size)
    return sizes[0], sizes[1]


def claim_pages(
    claims: Claims,
    fields: Mapping[str, array],
    chunk: Chunk,
    kinds: Mapping[str, str] | None = None,
    other: str = "unknown-page",
    name: str | None = None,
) -> None:
    """Claim the headers and bodies of all pages of a chunk, part by part.

    Parameters
    ----------
    kinds : mapping of str to str, optional
        Other names of kinds, if not all have their usual name; a kind without an entry becomes `other`.
    name : str, optional
        Of all of these parts.
    """
    offsets, headers = fields["offset"], fields["header_size"]

    def add(kind: str, starts, lengths, pages) -> None:
        kind = kind if kinds is None else kinds.get(kind, other)
        claims.add_pages(starts, lengths, kind, chunk.row_group, chunk.leaf, pages, name)

    add("page-header", offsets, headers, range(len(offsets)))
    parts: dict[str, tuple[array, array, array]] = {}

    def claim(kind: str, offset: int, length: int, page: int) -> None:
        if length:
            starts, lengths, pages = parts.setdefault(kind, (array("q"), array("q"), array("i")))
            starts.append(offset)
            lengths.append(length)
            pages.append(page)

    members = ("type", "compressed_size", "repetition_size", "definition_size")
    rows = zip(offsets, headers, *(fields[member] for member in members), strict=True)
    for page, (offset, header, kind, size, repetition, definition) in enumerate(rows):
        body, levels = offset + header, repetition + definition
        if kind not in DATA_PAGES:
            claim(BODIES.get(kind, "unknown-page"), body, size, page)
        elif levels < 0:
            claim("levels-and-values", body, size, page)
        else:
            claim("repetition-levels", body, repetition, page)
            claim("definition-levels", body + repetition, definition, page)
            claim("values", body + levels, size - levels, page)
    for kind, (starts, lengths, pages) in parts.items():
        add(kind, starts, lengths, pages)
