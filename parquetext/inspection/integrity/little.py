"""Bound the memory that pyarrow reserves for a small file, because it reserves by the counts that pages claim."""

from __future__ import annotations

from ... import wire
from ...encoding.pages import read_headers
from ...errors import ParquetextError
from ...footer.leaf_types import leaf_type_of
from ...footer.thrift_form import ThriftForm

__all__ = ["LITTLE", "most_of"]

LITTLE = 1 << 24
BYTES_OF_ENTRY = 8  # levels, and offsets of lists and texts


def most_of(source, footer: bytes) -> tuple[int, int]:
    """Return the most bytes that a footer's row groups may take according to their pages: without texts, and with them.

    A text may be as long as its page or dictionary page, and may be repeated in every row.
    """
    form = ThriftForm(footer)
    fixed = texts = 0
    for leaf in range(form.leaf_count):
        chunks, kind = form.column(leaf), leaf_type_of(form.node(leaf).thrift)
        facts = (chunks.begins(), *(chunks.array(name) for name in ("total_compressed_size", "num_values")))
        for begin, size, values in zip(*facts, strict=True):
            pages = _claims(source, begin, size)
            values = max(values, sum(count for count, _ in pages))
            fixed += values * (kind.width + BYTES_OF_ENTRY) + sum(length for _, length in pages)
            if kind.physical == wire.PHYSICAL_BYTE_ARRAY:
                texts += values * max((length for _, length in pages), default=0)
    return fixed, fixed + texts


def _claims(source, begin: int, size: int) -> list[tuple[int, int]]:
    """Return (values, decompressed bytes) of the pages that can be read; none if the chunk is outside of the file."""
    if not 0 <= begin <= source.size or not 0 <= size <= source.size - begin:
        return []
    try:
        headers = read_headers(source, begin, begin + size)
    except ParquetextError:
        return []
    pages = zip(headers.array("num_values"), headers.array("uncompressed_size"), strict=True)
    return [(max(count, 0), max(length, 0)) for count, length in pages]
