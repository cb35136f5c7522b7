"""Compare encoding the values of one column, page by page, with pyarrow's writing of the same column."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext import kernels, wire

from .cases import OURS, Row, rows_of
from .timing import Contender, compare

__all__ = ["measure"]

TARGET = 0.8  # of pyarrow's speed
VALUES_OF_PAGE = 1 << 17
MOST_VALUES, MOST_BYTES = 1 << 20, 1 << 30
DICTIONARY = "RLE_DICTIONARY"
ENCODINGS = {
    "int32": ("PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BINARY_PACKED", DICTIONARY),
    "int64": ("PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BINARY_PACKED", DICTIONARY),
    "double": ("PLAIN", "BYTE_STREAM_SPLIT", DICTIONARY),
    "bool": ("PLAIN", "RLE"),
    "string": ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", DICTIONARY),
}
PHYSICAL = {
    "int32": (wire.PHYSICAL_INT32, 4),
    "int64": (wire.PHYSICAL_INT64, 8),
    "double": (wire.PHYSICAL_DOUBLE, 8),
    "bool": (wire.PHYSICAL_BOOLEAN, 0),
    "string": (wire.PHYSICAL_BYTE_ARRAY, 0),
}


def measure(values: int = 5_000_000, rounds: int = 7, *, only: str = "") -> Iterator[list[Row]]:
    """Measure each type and encoding: uncompressed, one thread, no statistics, into memory.

    Both write to a sink in memory. The ratio is pyarrow's time over ours. Dictionaries are of 10,000 distinct values;
    all other numbers rise by small steps and begin again after 131,072, so that most deltas have a few bits. `only`
    is a part of a case's name, such as ``"int64"``.
    """
    for kind, encodings in ENCODINGS.items():
        for encoding in encodings:
            subject = f"{kind} {encoding}"
            if only in subject:
                column = _column(kind, values, distinct=10_000 if encoding == DICTIONARY else 0)
                timings = compare(_contenders(kind, encoding, column), rounds)
                yield list(rows_of("encode", f"{subject}, {values:,} values", timings, {"pyarrow": TARGET}))


def _contenders(kind: str, encoding: str, column: pa.Array) -> list[Contender]:
    table = pa.table([column], schema=pa.schema([pa.field("x", column.type, nullable=False)]))
    options = {
        "compression": "none",
        "write_statistics": False,
        "store_schema": False,
        "row_group_size": len(column),
        "use_dictionary": encoding == DICTIONARY,
        "column_encoding": None if encoding == DICTIONARY else {"x": encoding},
        "dictionary_pagesize_limit": MOST_BYTES,
    }

    def pyarrows(_: int) -> object:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, **options)
        return sink.getvalue()

    return [Contender(OURS, _ours(kind, encoding, column)), Contender("pyarrow", pyarrows)]


def _ours(kind: str, encoding: str, column: pa.Array) -> Callable[[int], pa.Buffer]:
    type, width = PHYSICAL[kind]
    buffers, count = column.buffers(), len(column)
    offsets = memoryview(buffers[1]) if kind == "string" else None
    data = memoryview(buffers[2] if kind == "string" else buffers[1])
    number = getattr(wire, f"ENCODING_{encoding}")
    pages = [(start, min(VALUES_OF_PAGE, count - start)) for start in range(0, count, VALUES_OF_PAGE)]

    def values_of(start: int, some: int):
        if offsets is not None:
            return offsets[4 * start : 4 * (start + some + 1)], data
        return data[start // 8 : (start + some + 7) // 8] if kind == "bool" else data[start * width :][: some * width]

    def plainly(_: int) -> pa.Buffer:
        sink = pa.BufferOutputStream()
        for start, some in pages:
            sink.write(kernels.encode.encode(number, type, 0, values_of(start, some), some))
        return sink.getvalue()

    def by_dictionary(_: int) -> pa.Buffer:
        found = kernels.encode.dictionary_of(type, 0, values_of(0, count), count, MOST_VALUES, MOST_BYTES)
        distinct, many, indices = found[0], found[1], memoryview(found[2])
        sink = pa.BufferOutputStream()
        sink.write(kernels.encode.encode(wire.ENCODING_PLAIN, type, 0, distinct, many))
        for start, some in pages:
            sink.write(kernels.encode.indices(indices[4 * start :][: 4 * some], some, many))
        return sink.getvalue()

    return by_dictionary if encoding == DICTIONARY else plainly


def _column(kind: str, count: int, distinct: int) -> pa.Array:
    """Return a column that repeats one run of numbers, without NumPy, which the package does not need."""
    chance = random.Random(5)
    if distinct:
        numbers = [chance.randrange(distinct) * 7919 for _ in range(min(count, 1 << 17))]
    else:
        numbers = list(accumulate(chance.randrange(100) for _ in range(min(count, 1 << 17))))
    numbers = (numbers * (count // len(numbers) + 1))[:count]
    if kind == "bool":
        return pa.array([number % 1000 < 300 for number in numbers])
    if kind == "string":
        return pa.array([f"name-{number:07}" for number in numbers])
    code = {"int32": "i", "int64": "q", "double": "d"}[kind]
    type = {"int32": pa.int32(), "int64": pa.int64(), "double": pa.float64()}[kind]
    return pa.Array.from_buffers(type, count, [None, pa.py_buffer(struct.pack(f"<{count}{code}", *numbers))])
