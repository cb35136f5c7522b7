"""The pages of real files, as far as decoders of values need them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext import kernels, wire

__all__ = ["ValuePage", "value_pages"]


class ValuePage(NamedTuple):
    """The values of one page: those from `at` on in the decompressed body."""

    encoding: int
    body: bytes
    at: int
    count: int
    is_dictionary: bool


def value_pages(data: bytes, column: int) -> Iterator[ValuePage]:
    """All pages of a leaf outside of lists, in the order of the file."""
    metadata = pq.ParquetFile(BytesIO(data)).metadata
    highest = metadata.schema.column(column).max_definition_level
    for row_group in range(metadata.num_row_groups):
        chunk = metadata.row_group(row_group).column(column)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        pages = kernels.page.walk(data, start, start + chunk.total_compressed_size)
        assert pages.problem is None
        for number in range(len(pages)):
            yield _value_page(data, pages.header(number), chunk.compression, highest)


def _value_page(data: bytes, header, codec: str, highest: int) -> ValuePage:
    body = data[header.offset + header.header_size :][: header.compressed_size]
    if codec != "UNCOMPRESSED":
        kept = header.definition_size + header.repetition_size if header.type == wire.PAGE_DATA_PAGE_V2 else 0
        body = body[:kept] + pa.decompress(body[kept:], header.uncompressed_size - kept, codec.lower(), asbytes=True)
    if header.type == wire.PAGE_DICTIONARY_PAGE:
        return ValuePage(header.encoding, body, 0, header.num_values, True)
    _, (start, end), at = kernels.page.level_parts(header, body, highest, 0)
    count = header.num_values
    if highest:
        levels, _ = kernels.encoding.decode_levels(wire.ENCODING_RLE, highest, body, count, start, end)
        count = memoryview(levels).cast("B").cast("H").tolist().count(highest)
    return ValuePage(header.encoding, body, at, count, False)
