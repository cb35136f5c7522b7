"""The parts of the pages of a chunk: headers, levels, values, dictionaries."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from .. import wire
from .claims import Claims
from .walking import Walked

__all__ = ["Chunk", "claim_pages", "level_sizes"]

LENGTH_BYTES = 4
DATA_PAGES = (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2)
BODIES = {wire.PAGE_DICTIONARY_PAGE: "dictionary", wire.PAGE_INDEX_PAGE: "index-page"}


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


def level_sizes(source, walked: Walked, chunk: Chunk) -> tuple[array, array]:
    """Bytes of the repetition and definition levels of each page as it is stored; -1 where these are compressed."""
    facts = walked.facts
    repetition, definition = array("q", facts["repetition_size"]), array("q", facts["definition_size"])
    is_plain = chunk.codec == wire.CODEC_UNCOMPRESSED
    has_levels = chunk.max_repetition > 0 or chunk.max_definition > 0
    for number, kind in enumerate(facts["type"]):
        if kind == wire.PAGE_DATA_PAGE_V2:
            if repetition[number] + definition[number] > facts["compressed_size"][number]:
                repetition[number] = definition[number] = -1
        elif kind != wire.PAGE_DATA_PAGE or not has_levels:
            repetition[number] = definition[number] = 0
        elif is_plain:
            repetition[number], definition[number] = _prefixed_levels(source, walked, chunk, number)
    return repetition, definition


def _prefixed_levels(source, walked: Walked, chunk: Chunk, number: int) -> tuple[int, int]:
    """Bytes of the levels of an uncompressed page of version 1, their length prefixes included; -1, -1 if too many."""
    facts = walked.facts
    at = walked.offsets[number] + facts["header_size"][number]
    end, values = at + facts["compressed_size"][number], facts["num_values"][number]
    sizes = []
    for most, encoding in (
        (chunk.max_repetition, facts["repetition_encoding"][number]),
        (chunk.max_definition, facts["definition_encoding"][number]),
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


def claim_pages(claims: Claims, walked: Walked, chunk: Chunk, repetition: array, definition: array) -> None:
    """Claim the headers and bodies of all pages of a chunk, part by part."""
    headers = walked.facts["header_size"]
    numbers = range(len(walked))
    claims.add_pages(walked.offsets, array("q", headers), "page-header", chunk.row_group, chunk.leaf, numbers)
    parts: dict[str, tuple[array, array, array]] = {}

    def claim(kind: str, offset: int, length: int, page: int) -> None:
        if length:
            offsets, lengths, pages = parts.setdefault(kind, (array("q"), array("q"), array("i")))
            offsets.append(offset)
            lengths.append(length)
            pages.append(page)

    facts = zip(walked.offsets, headers, walked.facts["type"], walked.facts["compressed_size"], strict=True)
    for page, (offset, header, kind, size) in enumerate(facts):
        body, levels = offset + header, repetition[page] + definition[page]
        if kind not in DATA_PAGES:
            claim(BODIES.get(kind, "unknown-page"), body, size, page)
        elif levels < 0:
            claim("levels-and-values", body, size, page)
        else:
            claim("repetition-levels", body, repetition[page], page)
            claim("definition-levels", body + repetition[page], definition[page], page)
            claim("values", body + levels, size - levels, page)
    for kind, (offsets, lengths, pages) in parts.items():
        claims.add_pages(offsets, lengths, kind, chunk.row_group, chunk.leaf, pages)
