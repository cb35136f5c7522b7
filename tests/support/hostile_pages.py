"""Small files that claim, and some that contain, far more than their bytes: readers refuse them or use little memory.

Each has at most 500 bytes, and counts that agree in page header, column chunk and row group wherever its name does not
say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from parquetext import wire

from . import pages
from .pages import Column
from .varints import varint

__all__ = ["LARGEST_FILE", "TIMES", "hostile_files", "repeating_file"]

LARGEST_FILE = 500
TIMES = 1 << 10
MANY, MOST = 1 << 30, (1 << 31) - 1
INT32, INT64, BYTE_ARRAY = wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, wire.PHYSICAL_BYTE_ARRAY
PLAIN, DELTA = wire.ENCODING_PLAIN, wire.ENCODING_DELTA_BINARY_PACKED
LENGTHS, PREFIXES = wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY, wire.ENCODING_DELTA_BYTE_ARRAY
DICTIONARY, RLE, SPLIT = wire.ENCODING_RLE_DICTIONARY, wire.ENCODING_RLE, wire.ENCODING_BYTE_STREAM_SPLIT
OPTIONAL, REPEATED = wire.REPETITION_OPTIONAL, wire.REPETITION_REPEATED


def run(count: int, value: int, width: int = 1) -> bytes:
    """An RLE run of a value of `width` bytes."""
    return varint(count << 1) + value.to_bytes(width, "little")


def delta(block: int, miniblocks: int, count: int, first: int = 0, rest: bytes = b"") -> bytes:
    """Return the header of DELTA_BINARY_PACKED and the bytes after it."""
    return varint(block) + varint(miniblocks) + varint(count) + varint(first << 1) + rest


# A block of deltas that are all 0: the smallest delta, and a width of 0 bits for its only miniblock.
NO_DELTAS = b"\0\0"


def column(type: int, encoding: int, body: bytes, count: int = MANY, name: str = "x") -> Column:
    return Column(name, type, [pages.data_page(body, count, encoding)])


def coded(name: str, value: bytes, type: int, body: bytes, count: int = MANY, entries: int = 1) -> Column:
    """A column of a dictionary page and a page of indices."""
    return Column(name, type, [pages.dictionary_page(value, entries), pages.data_page(body, count, DICTIONARY)])


def nulls(name: str, count: int = MANY, level: int = 0) -> Column:
    page = pages.data_page(b"", count, PLAIN, definition=run(count, level))
    return Column(name, INT32, [page], repetition=OPTIONAL)


def lists(name: str, repetition: bytes, definition: bytes, count: int = MANY, body: bytes = b"") -> Column:
    page = pages.data_page(body, count, PLAIN, definition=definition, repetition=repetition)
    return Column(name, INT32, [page], repetition=REPEATED)


def bomb(codec: int, size: int, claimed: int | None = None) -> Column:
    """A page of zeros that is small as it is stored; it may say another size."""
    count = (size if claimed is None else claimed) // 4
    page = pages.data_page(bytes(size), count, PLAIN, codec=codec)
    return Column("x", INT32, [page if claimed is None else page.changed(uncompressed_page_size=claimed)], codec=codec)


def broken(name: str = "y", count: int = MANY) -> Column:
    """A column whose values end at once."""
    return column(INT32, PLAIN, bytes(4), count, name)


def claims() -> Iterator[tuple[str, list[Column], int]]:
    """Values that are not there: name, columns, rows."""
    for type in (wire.PHYSICAL_BOOLEAN, INT32, INT64, wire.PHYSICAL_INT96, BYTE_ARRAY):
        yield f"plain {type}", [column(type, PLAIN, bytes(4), MOST)], MOST
    for encoding in (DELTA, LENGTHS, PREFIXES, DICTIONARY, SPLIT, RLE):
        kind = BYTE_ARRAY if encoding in (LENGTHS, PREFIXES) else INT32
        kind = wire.PHYSICAL_BOOLEAN if encoding == RLE else kind
        yield f"encoding {encoding}", [column(kind, encoding, bytes(4), MOST)], MOST
    wide = Column("x", wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, [pages.data_page(b"", 1, PLAIN)], type_length=MOST)
    yield "one value of 2 GiB", [wide], 1
    yield "a byte array of 4 GiB", [column(BYTE_ARRAY, PLAIN, b"\xff\xff\xff\xff", 1)], 1
    yield "levels without values", [nulls("x", MANY, level=1)], MANY
    yield "a dictionary's claim", [coded("x", bytes(4), INT32, b"\1" + run(MANY, 0), entries=MOST)], MANY
    yield "indices beyond the dictionary", [coded("x", bytes(4), INT32, b"\1" + run(MANY, 1))], MANY
    for block in (1 << 40, 1 << 31, 1 << 30):
        yield f"a block of {block}, wide", [column(INT64, DELTA, delta(block, 1, MANY, rest=b"\0\x20"))], MANY
        yield f"as many miniblocks of {block}", [column(INT64, DELTA, delta(block, block >> 5, MANY))], MANY
        lengths = delta(block, 1, MANY, rest=NO_DELTAS)
        yield f"prefixes of {block}", [column(BYTE_ARRAY, PREFIXES, lengths)], MANY
        yield f"lengths of {block}", [column(BYTE_ARRAY, LENGTHS, delta(block, 1, MANY, 1 << 20, NO_DELTAS))], MANY
    sizes = {"definition_levels_byte_length": MOST, "repetition_levels_byte_length": MOST}
    v2 = pages.data_page_v2(b"", MANY, PLAIN, definition=run(MANY, 0), nulls=MANY)
    for name, size in sizes.items():
        yield name, [Column("x", INT32, [v2.changed(**{name: size})], repetition=OPTIONAL)], MANY
    yield "a page of 2 GiB", [bomb(wire.CODEC_UNCOMPRESSED, 4, MOST - 3)], MOST // 4
    for codec in (wire.CODEC_SNAPPY, wire.CODEC_GZIP, wire.CODEC_BROTLI, wire.CODEC_LZ4, wire.CODEC_ZSTD):
        yield f"codec {codec}, a claim", [bomb(codec, 4, MOST - 3)], MOST // 4
        yield f"codec {codec}, a smaller claim", [bomb(codec, 1 << 12, 64)], 16
    yield "records without an end", [lists("x", run(1, 0) + run(MANY - 1, 1), run(MANY, 1))], 1


def half_valid() -> Iterator[tuple[str, list[Column], int]]:
    """A first column that has all the values that it claims, and a second one that has not."""
    yield "nulls", [nulls("x"), broken()], MANY
    yield "indices", [coded("x", bytes(8), INT64, b"\1" + run(MANY, 0)), broken()], MANY
    yield "strings", [coded("x", b"\x64\0\0\0" + bytes(100), BYTE_ARRAY, b"\1" + run(MANY, 0)), broken()], MANY
    yield "booleans", [column(wire.PHYSICAL_BOOLEAN, RLE, b"\6\0\0\0" + run(MANY, 1)), broken()], MANY
    yield "deltas", [column(INT64, DELTA, delta(MANY, 1, MANY, rest=NO_DELTAS)), broken()], MANY
    yield "lists", [lists("x", run(MANY, 0), run(MANY, 0)), broken()], MANY
    v2 = pages.data_page_v2(b"", MANY, PLAIN, definition=run(MANY, 0), nulls=MANY)
    yield "version 2", [Column("x", INT32, [v2], repetition=OPTIONAL), broken()], MANY


def repeating_file() -> bytes:
    """A valid file: one text of 1 MiB, in all its rows."""
    text = (1 << 20).to_bytes(4, "little") + bytes(1 << 20)
    values = [
        pages.dictionary_page(text, 1, codec=wire.CODEC_ZSTD),
        pages.data_page(b"\1" + run(TIMES, 0), TIMES, DICTIONARY, codec=wire.CODEC_ZSTD),
    ]
    return pages.parquet_file([Column("x", BYTE_ARRAY, values, codec=wire.CODEC_ZSTD)], TIMES)


def hostile_files() -> Iterator[tuple[str, bytes]]:
    """Names, and the files, none of which is valid."""
    for kind in (claims, half_valid):
        for name, columns, rows in kind():
            yield f"{kind.__name__}: {name}", pages.parquet_file(columns, rows)
