"""Measure ALP on decimal-like doubles: decoding, size and encoding against pyarrow's PLAIN, plain and compressed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from parquetext import kernels, wire
from parquetext.arrow.tables import read_table
from parquetext.thrift import write

from .cases import OURS, Row, rows_of
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["measure"]

VALUES = 5_000_000
PAGE_VALUES = 1 << 17
PLACES = 2, 3, 4
SEED = 14
CODECS = {"pyarrow": "none", "pyarrow, zstd": "zstd", "pyarrow, snappy": "snappy"}  # PLAIN
SPEEDS = {"pyarrow": 0.9, "pyarrow, zstd": 4.0}
SIZES = {"pyarrow, zstd": 0.7, "pyarrow, snappy": 0.5}
MAGIC = b"PAR1"


def measure(workspace: Workspace, rounds: int, values: int = VALUES) -> Iterator[list[Row]]:
    """Measure amounts of 2 to 4 decimals, one thread: from path to table; bytes of files; from an array to memory."""
    for positions in PLACES:
        workspace.progress(f"ALP of {positions} decimals")
        subject = f"double, {positions} decimals, ALP"
        table = pa.table({"x": _amounts(positions, values)})
        ours = workspace.folder / "alp.parquet"
        _write_alp(ours, table)
        theirs = {}
        for name, codec in CODECS.items():
            theirs[name] = workspace.folder / f"alp-{codec}.parquet"
            pq.write_table(table, theirs[name], compression=codec, use_dictionary=False, row_group_size=values)
        yield list(rows_of("decode to Arrow", subject, compare(_readers(ours, theirs), rounds), SPEEDS))
        yield _sizes(subject, ours, theirs)
        yield list(rows_of("encode", subject, compare(_writers(table), rounds), {}))


def _amounts(places: int, count: int) -> np.ndarray:
    """Return prices as in shops: most have two digits before the point, some have four."""
    return np.round(np.random.default_rng(SEED).lognormal(3, 1, count), places)


def _readers(ours: Path, theirs: dict[str, Path]) -> list[Contender]:
    readers = [Contender(OURS, lambda _: read_table(ours, engine="parquetext", use_threads=False))]
    return readers + [
        Contender(name, lambda _, path=path: pq.read_table(path, use_threads=False)) for name, path in theirs.items()
    ]


def _sizes(subject: str, ours: Path, theirs: dict[str, Path]) -> list[Row]:
    size = os.path.getsize(ours)
    rows = [Row("size of a file", subject, OURS, size, "B")]
    for name, path in theirs.items():
        other = os.path.getsize(path)
        rows.append(Row("size of a file", subject, name, other, "B", size / other, SIZES.get(name), at_most=True))
    return rows


def _writers(table: pa.Table) -> list[Contender]:
    def pyarrows(_: int) -> pa.Buffer:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="none", use_dictionary=False, write_statistics=False)
        return sink.getvalue()

    def ours(_: int) -> pa.Buffer:
        sink = pa.BufferOutputStream()
        for page, _count in _pages(table):
            sink.write(page)
        return sink.getvalue()

    return [Contender(OURS, ours), Contender("pyarrow", pyarrows)]


def _pages(table: pa.Table) -> Iterator[tuple[bytes, int]]:
    """Yield the values of each page in ALP, and their number."""
    data = memoryview(table.column("x").chunk(0).buffers()[1])
    for start in range(0, table.num_rows, PAGE_VALUES):
        count = min(PAGE_VALUES, table.num_rows - start)
        page = data[8 * start : 8 * (start + count)]
        yield kernels.encode.encode(wire.ENCODING_ALP, wire.PHYSICAL_DOUBLE, 0, page, count), count


def _write_alp(path: Path, table: pa.Table) -> None:
    """Write a file with one column of doubles without nulls in ALP."""
    with path.open("wb") as file:
        file.write(MAGIC)
        for page, count in _pages(table):
            inner = {
                "num_values": count,
                "encoding": wire.ENCODING_ALP,
                "definition_level_encoding": wire.ENCODING_RLE,
                "repetition_level_encoding": wire.ENCODING_RLE,
            }
            header = {
                "type": wire.PAGE_DATA_PAGE,
                "uncompressed_page_size": len(page),
                "compressed_page_size": len(page),
                "data_page_header": inner,
            }
            file.write(write("PageHeader", header) + page)
        footer = write("FileMetaData", _footer(table.num_rows, file.tell() - len(MAGIC)))
        file.write(footer + len(footer).to_bytes(4, "little") + MAGIC)


def _footer(rows: int, size: int) -> dict:
    metadata = {
        "type": wire.PHYSICAL_DOUBLE,
        "encodings": [wire.ENCODING_ALP],
        "path_in_schema": ["x"],
        "codec": wire.CODEC_UNCOMPRESSED,
        "num_values": rows,
        "total_uncompressed_size": size,
        "total_compressed_size": size,
        "data_page_offset": len(MAGIC),
    }
    leaf = {"type": wire.PHYSICAL_DOUBLE, "repetition_type": wire.REPETITION_REQUIRED, "name": "x"}
    return {
        "version": 2,
        "schema": [{"name": "schema", "num_children": 1}, leaf],
        "num_rows": rows,
        "row_groups": [
            {"columns": [{"file_offset": 0, "meta_data": metadata}], "total_byte_size": size, "num_rows": rows}
        ],
    }
