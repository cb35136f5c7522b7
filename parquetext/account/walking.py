"""The page headers of a chunk as columns."""

from __future__ import annotations

from array import array

from .. import kernels, wire
from ..checks.pages import chunk_range, walk_pages
from ..errors import ParquetextError

__all__ = ["Walked", "chunk_range", "walk"]


class Walked:
    """Pages of one chunk, up to the first that cannot be read."""

    NAMES = (
        "offset",
        "header_size",
        "type",
        "compressed_size",
        "uncompressed_size",
        "num_values",
        "encoding",
        "definition_encoding",
        "repetition_encoding",
        "definition_size",
        "repetition_size",
        "is_compressed",
    )

    def __init__(self):
        self.arrays = {name: array("q") for name in self.NAMES}
        self.end = 0
        self.problem: ParquetextError | None = None

    def __len__(self) -> int:
        return len(self.arrays["offset"])

    def array(self, name: str):
        return self.arrays[name]


FIELDS = {
    wire.PAGE_DATA_PAGE: (5, {1: "num_values", 2: "encoding", 3: "definition_encoding", 4: "repetition_encoding"}),
    wire.PAGE_DICTIONARY_PAGE: (7, {1: "num_values", 2: "encoding"}),
    wire.PAGE_DATA_PAGE_V2: (
        8,
        {1: "num_values", 4: "encoding", 5: "definition_size", 6: "repetition_size", 7: "is_compressed"},
    ),
}


def walk(source, begin: int, end: int, last: int | None = None) -> Walked:
    """The pages of [begin, end); with `last`, only those that begin in front of it."""
    pages = Walked()
    pages.end = begin
    try:
        for page in walk_pages(source, begin, end):
            facts = dict.fromkeys(Walked.NAMES, -1)
            facts.update(
                offset=page.offset,
                header_size=page.header_bytes,
                type=page.type,
                is_compressed=1,
                compressed_size=page.compressed_size,
                uncompressed_size=page.uncompressed_size,
            )
            header = source.read(page.offset, page.header_bytes)
            field, names = FIELDS.get(page.type, (0, {}))
            for id, _, _, value, _ in kernels.thrift.fields(header):
                if id == field:
                    for inner, kind, _, at, _ in kernels.thrift.fields(header, value):
                        if inner in names:
                            facts[names[inner]] = (
                                (kind == 1)
                                if names[inner] == "is_compressed"
                                else (kernels.varint.zigzag_decode(kernels.varint.decode32(header, at)[0]))
                            )
            for name, value in facts.items():
                pages.arrays[name].append(value)
            pages.end = page.end
            if last is not None and page.end >= last:
                break
    except ParquetextError as error:
        pages.problem = error
    return pages
