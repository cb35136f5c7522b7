"""Compare our decoder with pyarrow: one column in one encoding, from path to table, one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from parquetext.arrow.file import open as open_file
from parquetext.arrow.tables import read_table
from parquetext.inspection.layout import layout

from . import peers
from .cases import OURS, Row, rows_of
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["decoding", "layouts", "many_columns", "one_row"]

VALUES = 5_000_000
PAGES = "File.pages"
PAGE_BYTES = 1 << 20
DISTINCT = 1_000
NULLS = 0.1
SEED = 13


@dataclass(frozen=True)
class Case:
    """A column, its encoding, and the minimum of pyarrow's time divided by ours."""

    name: str
    make: Callable[[np.random.Generator], pa.Array]
    target: float
    encoding: str | None = None  # None: a dictionary
    options: dict = field(default_factory=dict)


def _integers(bits: int, random: np.random.Generator, distinct: int | None = None) -> pa.Array:
    high = distinct or 1 << (bits - 2)
    return pa.array(random.integers(0, high, VALUES).astype(f"int{bits}"))


def _doubles(random: np.random.Generator, distinct: int | None = None) -> pa.Array:
    values = random.random(VALUES)
    return pa.array(random.choice(values[:distinct], VALUES) if distinct else values)


def _booleans(random: np.random.Generator) -> pa.Array:
    """Return runs as well as changing bits."""
    runs = np.repeat(random.integers(0, 2, VALUES // 50), 50).astype(bool)
    runs[: VALUES // 2] = random.integers(0, 2, VALUES // 2).astype(bool)
    return pa.array(runs)


def _strings(random: np.random.Generator, distinct: int | None = None) -> pa.Array:
    """Return strings of up to 17 bytes; neighbors have a common prefix."""
    numbers = pa.array(np.sort(random.integers(0, 10**13, distinct or VALUES))).cast(pa.string())
    texts = pc.binary_join_element_wise("key-", numbers, "")
    return texts.take(pa.array(random.integers(0, distinct, VALUES))) if distinct else texts


def _with_nulls(random: np.random.Generator) -> pa.Array:
    return pa.array(random.integers(0, 1 << 62, VALUES), mask=random.random(VALUES) < NULLS)


def _lists(random: np.random.Generator) -> pa.Array:
    lengths = random.integers(0, 8, VALUES // 4)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("int32")
    return pa.ListArray.from_arrays(offsets, pa.array(random.integers(0, 1 << 62, int(offsets[-1]))))


def _structs(random: np.random.Generator) -> pa.Array:
    parts = [pa.array(random.integers(0, 1 << 62, VALUES // 3)) for _ in range(3)]
    return pa.StructArray.from_arrays(parts, ["a", "b", "c"], mask=pa.array(random.random(VALUES // 3) < NULLS))


FIXED = {
    "int32": lambda random, distinct=None: _integers(32, random, distinct),
    "int64": lambda random, distinct=None: _integers(64, random, distinct),
    "double": _doubles,
}
FIXED_ENCODINGS = "PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BINARY_PACKED"
STRING_ENCODINGS = "PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"


def _cases() -> Iterator[Case]:
    for name, make in FIXED.items():
        for encoding in FIXED_ENCODINGS:
            if (name, encoding) != ("double", "DELTA_BINARY_PACKED"):
                yield Case(f"{name}, {encoding}", make, 1.0, encoding)
        yield Case(f"{name}, RLE_DICTIONARY", partial(make, distinct=DISTINCT), 1.0)
    yield Case("boolean, RLE", _booleans, 1.5, "RLE", {"data_page_version": "2.0"})
    for encoding in STRING_ENCODINGS:
        yield Case(f"string, {encoding}", _strings, 2.0, encoding)
    yield Case("string, RLE_DICTIONARY", partial(_strings, distinct=DISTINCT), 2.0)
    yield Case("int64, 10 % nulls", _with_nulls, 1.0, "PLAIN")
    yield Case("list<int64>", _lists, 1.0, "PLAIN")
    yield Case("struct of 3", _structs, 1.0, "PLAIN")


def _write(path: str, case: Case) -> None:
    table = pa.table({"x": case.make(np.random.default_rng(SEED))})
    options = {"use_dictionary": True} if case.encoding is None else _encoded(table, case.encoding)
    pq.write_table(
        table,
        path,
        compression="none",
        data_page_size=PAGE_BYTES,
        max_rows_per_page=VALUES,
        row_group_size=VALUES,
        **options,
        **case.options,
    )


def _encoded(table: pa.Table, encoding: str) -> dict:
    leaves = [name.removeprefix(".") for name in _leaves("x", table.schema.field("x").type)]
    return {"use_dictionary": False, "column_encoding": dict.fromkeys(leaves, encoding)}


def _leaves(name: str, kind: pa.DataType) -> Iterator[str]:
    if pa.types.is_list(kind):
        yield from _leaves(f"{name}.list.element", kind.value_type)
    elif pa.types.is_struct(kind):
        for part in kind:
            yield from _leaves(f"{name}.{part.name}", part.type)
    else:
        yield name


def decoding(workspace: Workspace, rounds: int) -> Iterator[list[Row]]:
    """Measure each encoding and shape; single-threaded, uncompressed, 1 MiB pages."""
    for case in _cases():
        workspace.progress(f"decoding {case.name}")
        path = str(workspace.folder / "encodings.parquet")
        _write(path, case)
        contenders = [
            Contender(OURS, lambda _, path=path: read_table(path, engine="parquetext", use_threads=False)),
            Contender("pyarrow", lambda _, path=path: pq.read_table(path, use_threads=False)),
        ]
        yield list(rows_of("decode to Arrow", case.name, compare(contenders, rounds), {"pyarrow": case.target}))


def many_columns(workspace: Workspace, rounds: int, columns: int = 100, rows: int = 1_000_000) -> list[Row]:
    """Measure all columns of a wide snappy file, on all cores."""
    workspace.progress(f"reading {columns} columns × {rows:,} rows")
    path = workspace.folder / "encodings-wide.parquet"
    if not path.exists():
        random = np.random.default_rng(SEED)
        makers = [
            lambda: random.integers(0, 1 << 40, rows),
            lambda: random.integers(0, DISTINCT, rows).astype("int32"),
            lambda: random.random(rows).round(3),
            lambda: pa.array([f"name-{n}" for n in range(DISTINCT)]).take(pa.array(random.integers(0, DISTINCT, rows))),
        ]
        table = pa.table({f"c{n}": makers[n % len(makers)]() for n in range(columns)})
        pq.write_table(table, path, compression="snappy", row_group_size=rows // 4)
    contenders = [
        Contender(OURS, lambda _: read_table(str(path), engine="parquetext")),
        Contender("pyarrow", lambda _: pq.read_table(str(path))),
    ]
    subject = f"{columns} columns × {rows:,} rows, snappy"
    return list(rows_of("read_table, all cores", subject, compare(contenders, rounds), {"pyarrow": 0.9}))


def one_row(workspace: Workspace, rounds: int, rows_of_group: int, rows: int = 10_000_000) -> list[Row]:
    """Measure one row by a filter on a sorted column, in a file with page indexes."""
    workspace.progress(f"one row of {rows:,}")
    path = workspace.folder / f"encodings-sorted-{rows_of_group}.parquet"
    if not path.exists():
        random = np.random.default_rng(SEED)
        table = pa.table({"key": np.arange(rows) * 3, "value": random.random(rows), "other": random.random(rows)})
        pq.write_table(table, path, row_group_size=rows_of_group, write_page_index=True, use_dictionary=False)
    wanted = [3 * (rows // 7 * turn + 11) for turn in range(7)]

    def filters(turn: int) -> list[tuple]:
        return [("key", "==", wanted[turn % len(wanted)])]

    contenders = [
        Contender(OURS, lambda turn: read_table(str(path), filters=filters(turn), engine="parquetext")),
        Contender("pyarrow", lambda turn: pq.read_table(str(path), filters=filters(turn))),
    ]
    if "polars" in peers.installed():
        import polars

        def by_polars(turn: int) -> object:
            return polars.scan_parquet(path).filter(polars.col("key") == filters(turn)[0][2]).collect()

        contenders.append(Contender("polars", by_polars))
    targets = {"pyarrow": 20.0, "polars": 3.0}
    subject = f"{rows:,} rows in row groups of {rows_of_group:,}"
    return list(rows_of("one row by a filter", subject, compare(contenders, rounds), targets))


def layouts(workspace: Workspace, rounds: int, pages: int = 10_000) -> list[Row]:
    """Compare the layout of a file of many pages with its pages as a table."""
    workspace.progress(f"layout of {pages:,} pages")
    path = workspace.folder / "encodings-pages.parquet"
    if not path.exists():
        table = pa.table({f"c{n}": np.arange(1_000 * pages // 10) for n in range(10)})
        pq.write_table(table, path, use_dictionary=False, max_rows_per_page=1_000, write_batch_size=1_000)

    def tables(_: int) -> list[pa.Table]:
        with open_file(path) as file:
            return [file.pages(f"c{n}") for n in range(10)]

    found = sum(table.num_rows for table in tables(0))
    contenders = [Contender(OURS, lambda _: layout(path)), Contender(PAGES, tables)]
    timings = compare(contenders, rounds)
    ours, theirs = timings[OURS], timings[PAGES]
    times, at_best = ours.over(theirs)
    subject = f"{found:,} pages"
    return [
        Row("layout", subject, PAGES, theirs.median, "s", minimum=theirs.minimum),
        Row("layout", subject, OURS, ours.median, "s", times, 20.0, True, ours.minimum, at_best),
    ]
