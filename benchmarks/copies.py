"""Measure columns with copies in other encodings: bytes and time of their readers, and the cost for other readers."""

from __future__ import annotations

import importlib.util
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from parquetext.arrow.tables import read_table
from parquetext.edits import encode

from .cases import OURS, Row, rows_of
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["measure"]

ROWS, COLUMNS = 2_000_000, 20  # about 300 MB
ROW_GROUPS = 8
COLUMN, ENCODING = "c0", "alp"
ENCODE_TARGET, READ_TARGET = 1 / 1.3, 1 / 1.02  # of the time to copy a file, to read one without copies
BY_COPY, BY_CHUNK = f"{OURS}, by the copy", f"{OURS}, by the chunk"
SEED = 14


def measure(workspace: Workspace, rounds: int, rows: int = ROWS) -> Iterator[list[Row]]:
    """Measure one column over HTTP by its copy and by its chunk; encoding one column; pyarrow on a file with copies."""
    workspace.progress(f"{COLUMNS} columns × {rows:,} rows")
    plain, encoded = (workspace.folder / f"copies-{kind}-{rows}.parquet" for kind in ("plain", "encoded"))
    if not plain.exists():
        pq.write_table(_table(rows), plain, row_group_size=rows // ROW_GROUPS, compression="zstd", use_dictionary=False)
    encode(plain, {COLUMN: ENCODING}, out=encoded)
    if importlib.util.find_spec("fsspec"):
        workspace.progress("one column over HTTP")
        yield from _over_http(plain, encoded, rounds)
    workspace.progress("encoding one column")
    yield _encoding(workspace, plain, rounds)
    workspace.progress("pyarrow beside copies")
    yield _others(plain, encoded, rounds)


def _table(rows: int) -> pa.Table:
    """Return a table of prices, and of values that cannot be compressed."""
    chance = np.random.default_rng(SEED)
    columns = {COLUMN: chance.integers(0, 10**6, rows) / 100}
    return pa.table(columns | {f"c{number}": chance.random(rows) for number in range(1, COLUMNS)})


def _over_http(plain: Path, encoded: Path, rounds: int) -> Iterator[list[Row]]:
    from .range_server import RangeServer

    subject = f"{COLUMN}, zstd, and its copy, {ENCODING}"
    with RangeServer(plain.parent) as server:

        def ours(path: Path) -> Callable:
            return lambda _: read_table(path.name, [COLUMN], filesystem=server.filesystem, engine="parquetext")

        readers = {
            BY_COPY: ours(encoded),
            BY_CHUNK: ours(plain),
            "pyarrow": lambda _: pq.read_table(plain.name, columns=[COLUMN], filesystem=server.filesystem),
        }
        fetched = {name: _fetched(server, read) for name, read in readers.items()}
        timings = compare([Contender(name, read) for name, read in readers.items()], rounds)
    yield list(rows_of("one column over HTTP", subject, timings, {"pyarrow": 1.0}, BY_COPY))
    yield [
        Row("bytes fetched over HTTP", subject, name, size, "B", None if name == BY_COPY else size / fetched[BY_COPY])
        for name, size in fetched.items()
    ]


def _fetched(server, read: Callable) -> int:
    before = server.bytes
    read(0)
    return server.bytes - before


def _encoding(workspace: Workspace, plain: Path, rounds: int) -> list[Row]:
    """Compare encoding with copying; both end with a new file on disk."""
    new = workspace.folder / "copies-new.parquet"

    def copy(_: int) -> None:
        shutil.copyfile(plain, new)
        file = os.open(new, os.O_RDONLY)
        os.fsync(file)
        os.close(file)

    contenders = [
        Contender(OURS, lambda _: encode(plain, {COLUMN: ENCODING}, out=new), settle=new.unlink),
        Contender("copying the file", copy, settle=new.unlink),
    ]
    subject = f"{plain.stat().st_size / 1e6:,.0f} MB, 1 of {COLUMNS} columns"
    return list(rows_of("encode", subject, compare(contenders, rounds), {"copying the file": ENCODE_TARGET}))


def _others(plain: Path, encoded: Path, rounds: int) -> list[Row]:
    names = {"pyarrow, with copies": encoded, "pyarrow, without": plain}
    contenders = [
        Contender(name, lambda _, path=path: pq.read_table(path, use_threads=False)) for name, path in names.items()
    ]
    ours, theirs = names
    timings = compare(contenders, rounds, clock=time.process_time)
    return list(rows_of("read beside copies, CPU", f"{COLUMNS} columns", timings, {theirs: READ_TARGET}, ours))
