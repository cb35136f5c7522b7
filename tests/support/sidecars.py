"""Sidecars of made-up facts, and everything that a reader says of one."""

from __future__ import annotations

import os
import struct
import zlib

from parquetext import kernels, wire
from parquetext.sidecar import candidates
from parquetext.sidecar.origin import CODE, Origin

TEXT, INT64, FIXED = 6, 2, 7
BLOOM = bytes(range(32))

# The format's own vectors. One INT column "x", no row groups, Parquet footer (1024, 512).
G1 = bytes.fromhex("""
7100000000000000 0000000000000000 ffffffff00000000 0100000000000000
4000000000000000 0000000005000000 0000000000000000 0100000001000000
7800040000000000 0000020000000000 0000000000000000 0000000000000000
000000000000000000095efd732c000000""")
# An ascending designated timestamp and a double; one row group of 1000 rows.
G2 = bytes.fromhex(
    """
2401000000000000 0400000000000000 0000000000000000 0200000000000000
6000000000000000 0000000008000000 0000000000000000 0200000000000000
6200000000000000 010000000a000000 0000000000000000 0300000000000000
747376616c000000 e803000000000000 0100000000000000 e803000000000000"""
    + "0000000000000000" * 14
    + """
0010000000000000 0001000001000000 0000000000000000 0000000000000000
0000000000000000 0d000000b7c3d622 30000000"""
)


def blind(path) -> None:
    """Make a file's footer unreadable, its sidecar still being taken for its own."""
    position = candidates(str(path))[0].path
    with open(position, "rb") as file:
        before = file.read()
    with open(path, "r+b") as file:
        file.seek(-8, os.SEEK_END)
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, os.SEEK_END)
        file.write(b"\xff" * 16)
    note = kernels.sidecar.Reader(before).scratchpad[CODE]
    origin, there = Origin.from_bytes(note), os.stat(path)
    new = Origin(
        origin.footer_crc, origin.footer_length, there.st_mtime_ns, there.st_ctime_ns, there.st_dev, there.st_ino
    ).to_bytes()
    with open(position, "wb") as file:
        file.write(with_checksum(before.replace(note, new)))


def columns(kernel) -> list:
    """An ascending timestamp, a text, a fixed-length binary of 16 bytes."""
    return [
        kernel.Column(b"ts", 0, 8 | 1 << 17, 0, 0, INT64, 0, 0),
        kernel.Column("naïve".encode(), 1, 26, 4, 0, TEXT, 0, 1),
        kernel.Column(b"uuid", 7, 19, 4, 16, FIXED, 0, 1),
    ]


def chunks(kernel, number: int) -> list:
    """The chunks of row group `number`."""
    low, high = struct.pack("<q", 1000 * number), struct.pack("<q", 1000 * number + 999)
    start = 4 + 3000 * number
    return [
        kernel.Chunk(1, 1, 1000, start, 900, 0, 1000, low, high, True, True, None),
        kernel.Chunk(6, 3, 1000, start + 900, 1100, 10, None, b"a", b"a long text, cut", True, False, BLOOM),
        kernel.Chunk(0, 1, 1000, start + 2000, 1000, None, None, bytes(16), b"\xff" * 16, True, True, BLOOM * 2),
    ]


def writer(kernel, **options):
    """A writer with two row groups in it."""
    usual = {"designated_timestamp": 0, "sorting_columns": [0], "bloom_columns": [1, 2], "squash_tracker": 5}
    made = kernel.Writer(columns(kernel), **(usual | options))
    for number in range(2):
        made.add(1000, chunks(kernel, number))
    return made


def sidecar(kernel, *, ours: bool = False, **options) -> bytes:
    """A sidecar with everything in it that the format has, but for external filters; with a note of ours at its end."""
    note = bytearray(wire.PM_ORIGIN_BYTES)
    note[wire.PM_ORIGIN_FOOTER_LENGTH : wire.PM_ORIGIN_FOOTER_LENGTH + 4] = (500).to_bytes(4, "little")
    notes = [(CODE, bytes(note))] if ours else []
    return writer(kernel, **options).finish(
        6004, 500, unused_bytes=17, seq_txn=99, scratchpad=[(7, b"note"), (7, b"shadowed"), (8, b""), *notes]
    )


def appended(kernel, data: bytes, reader, row_group: int | None, parquet_footer: tuple[int, int]) -> bytes:
    """The sidecar with one more snapshot: a row group added, or put in the place of another."""
    more = kernel.Writer.on(reader)
    more.add(1000, chunks(kernel, 9), row_group)
    tail = more.finish(*parquet_footer)
    return (len(data) + len(tail)).to_bytes(8, "little") + data[8:] + tail


def with_checksum(data: bytes) -> bytes:
    """The same bytes with the checksum of the last footer made right, where there is a place for it."""
    if len(data) < 16:
        return data
    return data[:-8] + zlib.crc32(data[8:-8]).to_bytes(4, "little") + data[-4:]


def reading(reader) -> dict:
    """Everything that a reader says."""
    buffer = memoryview(reader.data)
    said = {
        "features": reader.features,
        "timestamp": reader.designated_timestamp,
        "squash": reader.squash_tracker,
        "footer": tuple(reader.footer),
        "chain": [tuple(footer) for footer in reader.footers()],
        "sorting": list(reader.sorting_columns),
        "bloom": list(reader.bloom_columns),
        "rows": list(reader.row_counts),
        "blocks": list(reader.block_offsets),
        "scratchpad": reader.scratchpad,
        "columns": [tuple(reader.column(index)) for index in range(reader.column_count)],
    }
    for column in range(reader.column_count):
        chunks = reader.chunks(column)
        for name in (
            "codec",
            "encodings",
            "flags",
            "sizes",
            "num_values",
            "byte_range_start",
            "total_compressed_size",
            "null_count",
            "distinct_count",
        ):
            said[name, column] = list(chunks.array(name))
        has, *positions = chunks.bounds()
        said["has", column] = has
        low_at, low_size, high_at, high_size = map(list, positions)
        said["min", column] = [bytes(buffer[at : at + size]) for at, size in zip(low_at, low_size, strict=True)]
        said["max", column] = [bytes(buffer[at : at + size]) for at, size in zip(high_at, high_size, strict=True)]
        said["values", column] = [chunks.bound_values(bit) for bit in (1, 2)]
        said["filters", column] = [reader.bloom(group, column) for group in range(reader.row_group_count)]
    return said
