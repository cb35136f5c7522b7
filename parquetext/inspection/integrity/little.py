"""Whether pyarrow, which reserves by what pages claim, can be asked about a small file: what it may take in memory."""

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
    """The most bytes that a footer's row groups may take by what their pages claim: without texts, and with them.

    A text may be as long as the page that it stands in, or leads to, and repeated in every row.
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
    """Values and decompressed bytes of the pages that can be read; a chunk that lies elsewhere has none."""
    if not 0 <= begin <= source.size or not 0 <= size <= source.size - begin:
        return []
    try:
        headers = read_headers(source, begin, begin + size)
    except ParquetextError:
        return []
    pages = zip(headers.array("num_values"), headers.array("uncompressed_size"), strict=True)
    return [(max(count, 0), max(length, 0)) for count, length in pages]
