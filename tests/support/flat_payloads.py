"""Flat payloads for tests: where their cells lie, and their checksums made right after a change."""

from __future__ import annotations

import struct
import zlib

from hypothesis import strategies as st

from parquetext.errors import ParquetextError

from . import flat_footers as thrift

__all__ = [
    "Memory",
    "cells",
    "irregular",
    "one_chunk",
    "outcome",
    "payload_of_both",
    "sign",
    "small_footer",
    "with_other_numbers",
]


class Memory:
    """Bytes as a source."""

    def __init__(self, data: bytes):
        self.data, self.size = bytes(data), len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


def outcome(ask, *arguments, **options):
    """Return a call's result, or the attributes of its error: class, code, offset, expected, found."""
    try:
        return ask(*arguments, **options)
    except ParquetextError as error:
        return type(error).__name__, error.code, error.offset, error.expected, error.found


def cells(payload: bytes) -> list[tuple[int, int]]:
    """Return the (offset, length) of every cell, read from the directory and the tables it refers to."""
    end = len(payload) - struct.unpack_from("<I", payload, len(payload) - 8)[0]
    leaves, nodes, groups, pairs, pages, parts = struct.unpack_from("<6I", payload, end)
    directory, buckets, bucket_count = struct.unpack_from("<3I", payload, end + 40)
    columns = -(-leaves // max(1, 8 // max(1, groups)))
    count = columns + nodes + parts + pairs + 1 + pages
    directories = [directory + 256 * page for page in range(-(-count // 60))]
    positions = directories + [buckets + 256 * bucket for bucket in range(bucket_count)]
    for page in directories:
        (used,) = struct.unpack_from("<H", payload, page + 10)
        positions += struct.unpack_from(f"<{used}I", payload, page + 16)
    for position in positions[len(directories) + bucket_count :][:columns]:
        positions += struct.unpack_from(f"<{max(0, parts - 1)}I", payload, position + 20)
    return [(position, struct.unpack_from("<I", payload, position + 4)[0]) for position in positions]


def sign(payload: bytearray, places: list[tuple[int, int]]) -> bytes:
    """The payload with the checksums of its cells and its tail block made right again."""
    for position, length in places:
        struct.pack_into("<I", payload, position, zlib.crc32(payload[position + 4 : position + length]))
    (tail,) = struct.unpack_from("<I", payload, len(payload) - 8)
    struct.pack_into("<I", payload, len(payload) - 4, zlib.crc32(payload[len(payload) - min(tail, len(payload)) : -4]))
    return bytes(payload)


@st.composite
def with_other_numbers(draw, payload: bytes, spared: int) -> bytearray:
    """The payload with one to three other numbers in it, before its last `spared` bytes."""
    broken = bytearray(payload)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(broken) - spared))
        width = draw(st.sampled_from([1, 2, 4]))
        value = draw(st.integers(0, 2**16) | st.integers(0, 2**32 - 1)) % 2 ** (8 * width)
        broken[at : at + width] = value.to_bytes(width, "little")
    return broken


def small_footer() -> bytes:
    """A column of text and one of numbers in a struct, two row groups, key-values."""
    elements = [
        thrift.element(b"schema", children=2),
        thrift.element(b"name", type=6, repetition=1, converted=0, field_id=3),
        thrift.element(b"point", repetition=1, children=1),
        thrift.element(b"x", type=2, repetition=1),
    ]
    text = thrift.statistics(null_count=1, min_value=b"alpha", max_value=b"omega " * 5, max_exact=True)
    number = thrift.statistics(null_count=0, min_value=struct.pack("<q", -5), max_value=struct.pack("<q", 5))
    group = thrift.row_group(
        [
            thrift.chunk(thrift.metadata(6, [b"name"], stats=text, dictionary_page=4, encodings=(0, 3, 8))),
            thrift.chunk(
                thrift.metadata(2, [b"point", b"x"], stats=number, num_values=7, bloom_offset=99, bloom_length=32),
                column_index=1000,
                column_index_length=20,
                offset_index=1020,
                offset_index_length=15,
            ),
        ],
        num_rows=7,
        sorting=[thrift.sorting_column(0, True, False)],
        file_offset=4,
        total_compressed_size=20,
        ordinal=0,
    )
    return thrift.footer(
        elements,
        [group, group],
        num_rows=14,
        column_orders=[1, 1],
        created_by=b"test",
        key_values=[thrift.key_value(b"k", b"v"), thrift.key_value(b"only a key")],
    )


def irregular() -> bytes:
    return thrift.footer([thrift.element(b"schema", children=1), thrift.element(b"a", type=1)], [thrift.row_group([])])


def one_chunk(meta: bytes, type: int = 1, **options) -> bytes:
    elements = [thrift.element(b"schema", children=1), thrift.element(b"a", type=type)]
    return thrift.footer(elements, [thrift.row_group([thrift.chunk(meta)])], **options)


def payload_of_both(write) -> bytes | None:
    """Return the payload that both packages write, or None if they refuse the footer with equal errors."""
    native, pure = (outcome(write, package) for package in ("native", "pure"))
    assert native == pure
    return native if isinstance(native, bytes) else None
