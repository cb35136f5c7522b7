"""Small files that stand for very much: values, texts, pages, levels and names."""

from __future__ import annotations

from collections.abc import Iterator

from parquetext import wire

from . import pages
from .blown_up import nested
from .hostile_pages import NO_DELTAS, nulls, run
from .pages import Column
from .paths_omitted import without_paths
from .varints import varint

__all__ = ["long_group_name", "vast_files"]

INT32, BYTE_ARRAY, FIXED = wire.PHYSICAL_INT32, wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
PLAIN, ZSTD = wire.ENCODING_PLAIN, wire.CODEC_ZSTD
MOST = (1 << 31) - 1
THREE = b"".join(number.to_bytes(4, "little") for number in (1, 2, 3))
PAGE = 1 << 28  # bytes that a page decompresses to


def long_group_name(leaves: int, length: int, *, paths: bool = True, rows: int = 3) -> bytes:
    """A group with a long name, and columns in it that have `rows` values each, in one page for all."""
    metadata = {"path_in_schema": ["c"]} if paths else {}
    columns = [
        Column(f"c{leaf}", INT32, [pages.data_page(THREE, rows, PLAIN)], metadata=metadata) for leaf in range(leaves)
    ]
    schema = [
        {"name": "schema", "num_children": 1},
        {"repetition_type": wire.REPETITION_REQUIRED, "name": "g" * length, "num_children": leaves},
        *({"type": INT32, "repetition_type": wire.REPETITION_REQUIRED, "name": f"c{leaf}"} for leaf in range(leaves)),
    ]
    data = pages.parquet_file(columns, rows, schema=schema)
    return data if paths else without_paths(data)


def _prefixed(count: int, length: int) -> bytes:
    """DELTA_BYTE_ARRAY: a text, then as many that have all of it for their prefix."""
    prefixes = varint(128) + varint(4) + varint(count) + varint(0)
    prefixes += _constant_deltas(count, [0, length])
    suffixes = varint(128) + varint(4) + varint(count) + varint(length << 1)
    suffixes += _constant_deltas(count, [length, 0])
    return prefixes + suffixes + b"x" * length


def _constant_deltas(count: int, first: list[int]) -> bytes:
    """Blocks of 128 deltas: from the first number to the second, and then none."""
    change = first[1] - first[0]
    low, width = min(change, 0), abs(change).bit_length()
    at_first = (change - low) | sum((-low) << (width * at) for at in range(1, 32))
    block = varint((low << 1) ^ (low >> 63)) + bytes([width, width, width, width])
    block += at_first.to_bytes(4 * width, "little") + 3 * sum((-low) << (width * at) for at in range(32)).to_bytes(
        4 * width, "little"
    )
    empty = NO_DELTAS[:1] + bytes(4)
    return block + empty * (-(-(count - 1) // 128) - 1)


def vast_files() -> Iterator[tuple[str, bytes]]:
    """Names and bytes."""
    flba = Column("a", FIXED, [pages.data_page(b"abc", 3, PLAIN)], type_length=MOST)
    yield "fixed width of 2 GiB", pages.parquet_file([flba], 3)
    yield "nulls in one page", pages.parquet_file([nulls("a", MOST)], MOST)
    many = [pages.data_page(b"", MOST, PLAIN, definition=run(MOST, 0))] * 1000
    column = Column("a", INT32, many, repetition=wire.REPETITION_OPTIONAL)
    yield "nulls in many pages", pages.parquet_file([column], 1000 * MOST)
    body = _prefixed(100_000, 1 << 16)
    column = Column("a", BYTE_ARRAY, [pages.data_page(body, 100_000, wire.ENCODING_DELTA_BYTE_ARRAY)])
    yield "prefixes", pages.parquet_file([column], 100_000)
    text = (1 << 20).to_bytes(4, "little") + bytes(1 << 20)
    indices = b"\1" + run(1 << 16, 0)
    coded = [
        pages.dictionary_page(text, 1, codec=ZSTD),
        pages.data_page(indices, 1 << 16, wire.ENCODING_RLE_DICTIONARY, codec=ZSTD),
    ]
    yield "a long text in all rows", pages.parquet_file([Column("a", BYTE_ARRAY, coded, codec=ZSTD)], 1 << 16)
    large = THREE + bytes(PAGE)
    page = pages.data_page(large, 3, PLAIN, codec=ZSTD)
    yield "a page of three numbers", pages.parquet_file([Column("a", INT32, [page], codec=ZSTD)], 3)
    page = pages.data_page_v2(large, 3, PLAIN, codec=ZSTD)
    yield "a page of three numbers, version 2", pages.parquet_file([Column("a", INT32, [page], codec=ZSTD)], 3)
    page = pages.data_page(b"\1\0\0\0a" * 3 + bytes(PAGE), 3, PLAIN, codec=ZSTD)
    yield "a page of three texts", pages.parquet_file([Column("a", BYTE_ARRAY, [page], codec=ZSTD)], 3)
    coded = [
        pages.dictionary_page(large, 3, codec=ZSTD),
        pages.data_page(b"\2" + run(3, 0), 3, wire.ENCODING_RLE_DICTIONARY, codec=ZSTD),
    ]
    yield "a dictionary of three numbers", pages.parquet_file([Column("a", INT32, coded, codec=ZSTD)], 3)
    for name, footer in {"20,000 levels": nested(20_000), "2,000 levels, 5,000 columns": nested(2000, 5000)}.items():
        yield name, b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    yield "a long name", long_group_name(2000, 500_000)
    yield "a long name, paths left out", long_group_name(1000, 500_000, paths=False)
