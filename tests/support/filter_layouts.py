"""One table in many layouts, and the ways to read rows of it that meet a filter."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import parquetext
from parquetext import sidecar

DATE, TIME, MOMENT, SPAN = datetime.date, datetime.time, datetime.datetime, datetime.timedelta
ROWS, GROUP_ROWS = 14, 2
DAYS = [DATE(1600, 1, 1), DATE(1969, 12, 31), DATE(1970, 1, 1), DATE(2020, 1, 1), DATE(2024, 2, 29), DATE(2300, 1, 1)]
MOMENTS = [
    MOMENT(1969, 12, 31, 23, 59, 59),
    MOMENT(1970, 1, 1),
    MOMENT(2020, 1, 1),
    MOMENT(2020, 1, 1, 5),
    MOMENT(2024, 2, 29, 12),
]
FINE = [*MOMENTS[:3], MOMENT(2020, 1, 1, 0, 0, 0, 1), *MOMENTS[3:]]
CLOCK = [TIME(0), TIME(5), TIME(12, 30), TIME(23, 59, 59)]
NUMBERS = [-1.5, -0.0, 0.0, 0.1, 1.0, 1.5, 2.0**24, 2.0**53, float("inf"), float("nan")]
TEXTS = ["", "1", "2020-01-01", "a", "ab", "b\U0001f600", "z" * 80]


def _integers(bits: int, signed: bool) -> list[int]:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    some = (low, -1, 0, 1, 2, 300, (1 << 24) + 1, (1 << 53) + 1, high - 1, high)
    return sorted({value for value in some if low <= value <= high})


def _decimals(*texts: str) -> list[Decimal]:
    return [Decimal(text) for text in texts]


COLUMNS: dict[str, tuple[pa.DataType, list]] = {
    **{f"int{bits}": (getattr(pa, f"int{bits}")(), _integers(bits, True)) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (getattr(pa, f"uint{bits}")(), _integers(bits, False)) for bits in (8, 16, 32, 64)},
    "count": (pa.int64(), list(range(-2, 8))),
    "unsigned": (pa.uint64(), list(range(10))),
    "narrow": (pa.int32(), [-(1 << 24), *range(-2, 6), 1 << 24]),
    "half": (pa.float16(), [np.float16(value) for value in (-1.5, -0.0, 0.0, 0.1, 1.0, 1.5, float("nan"))]),
    "float": (pa.float32(), NUMBERS),
    "double": (pa.float64(), NUMBERS),
    "bool": (pa.bool_(), [False, False, True, True]),
    "price": (pa.decimal128(5, 2), _decimals("-1.50", "0.00", "0.10", "1.00", "1.50", "300.00")),
    "amount": (pa.decimal128(15, 3), _decimals("-1.500", "0.000", "0.100", "1.000", "1.500", "300.000", "1e11")),
    "large": (pa.decimal128(38, 10), _decimals("-1.5", "0", "0.1", "1", "1.5", "300", "1e27")),
    "date32": (pa.date32(), DAYS),
    "date64": (pa.date64(), DAYS),
    "day": (pa.date32(), DAYS[1:5]),
    "seconds": (pa.timestamp("s"), [MOMENT(1600, 1, 1), *MOMENTS]),
    "millis": (pa.timestamp("ms"), MOMENTS),
    "micros": (pa.timestamp("us"), [MOMENT(1600, 1, 1), *FINE]),
    "nanos": (pa.timestamp("ns"), FINE),
    "zoned": (pa.timestamp("us", "UTC"), [moment.replace(tzinfo=datetime.UTC) for moment in FINE]),
    "local": (pa.timestamp("ms", "Europe/Paris"), [moment.replace(tzinfo=datetime.UTC) for moment in MOMENTS]),
    "time32": (pa.time32("ms"), CLOCK),
    "time64": (pa.time64("us"), [*CLOCK, TIME(23, 59, 59, 1)]),
    "time_ns": (pa.time64("ns"), [*CLOCK, TIME(23, 59, 59, 1)]),
    "string": (pa.string(), TEXTS),
    "large_string": (pa.large_string(), TEXTS),
    "binary": (pa.binary(), [text.encode() for text in TEXTS] + [b"\xff\xff"]),
    "fixed": (pa.binary(2), [b"\0\0", b"ab", b"ba", b"\xff\xff"]),
    "words": (pa.dictionary(pa.int32(), pa.string()), TEXTS),
    "span": (pa.duration("ms"), [SPAN(-1), SPAN(0), SPAN(0, 1), SPAN(1)]),
    "nothing": (pa.null(), []),
}

LITERALS = [
    *(-1, 0, 1, 2, 300, (1 << 24) + 1, (1 << 53) + 1, (1 << 63) - 1, -(1 << 63)),
    *(0.0, -0.0, 0.1, 0.5, 1.0, 1.5, 1e300, float("nan"), float("inf"), True, False),
    *_decimals("0", "0.1", "1", "1.50", "1.234567890123", "1e27"),
    *(DATE(1970, 1, 1), DATE(2020, 1, 1), DATE(2024, 2, 29), DATE(2300, 1, 1)),
    *(MOMENT(1970, 1, 1), MOMENT(2020, 1, 1, 5), MOMENT(2020, 1, 1, 0, 0, 0, 1), MOMENT(2024, 2, 29, 12)),
    *(MOMENT(2020, 1, 1, 5, tzinfo=datetime.UTC), MOMENT(2020, 1, 1, tzinfo=datetime.timezone(SPAN(0, 3600)))),
    *(TIME(5), TIME(12, 30), TIME(23, 59, 59, 1), SPAN(0), SPAN(1), SPAN(0, 0, 1)),
    *("", "a", "ab", "1", "2020-01-01", "z" * 80, b"ab", b"a", b"\xff\xff", None),
    *(np.int8(1), np.uint64(1), np.float32(0.1), np.float64(1.5), np.bool_(True)),
    *(np.datetime64("2020-01-01T05", "s"), np.datetime64("2020-01-01T05:00:00.000000001", "ns")),
    *(pa.scalar(1, pa.uint64()), pa.scalar(1, pa.int8()), pa.scalar(1.5, pa.float32())),
    *(pa.scalar(DATE(2020, 1, 1), pa.date64()), pa.scalar(1, pa.timestamp("ns")), pa.scalar(5, pa.time32("s"))),
    *(pa.scalar("ab", pa.large_string()), pa.scalar(b"ab", pa.binary(2)), pa.scalar(1, pa.duration("ns"))),
    pa.scalar(None, pa.int32()),
]


def table() -> pa.Table:
    """Return the values of every type in ascending order, nulls behind them, and the number of each row."""
    columns = {
        name: pa.array([*values, *[None] * (ROWS - len(values))], kind) for name, (kind, values) in COLUMNS.items()
    }
    return pa.table({"i": pa.array(range(ROWS), pa.int64()), **columns})


def layouts(
    folder: Path, rows: pa.Table | None = None, declare: Callable[[Path], None] | None = None, **more
) -> dict[str, Path]:
    """Write a table in every layout.

    Parameters
    ----------
    folder : Path
    rows : pyarrow.Table, optional
        Without it, `table()`.
    declare : callable, optional
        Changes each file before it gets a footer of another form.
    **more
        Options of `pyarrow.parquet.write_table`.
    """
    found: dict[str, Path] = {}
    rows = table() if rows is None else rows
    count = rows.num_rows

    def write_file(rows: pa.Table, path: Path, **options) -> Path:
        pq.write_table(rows, path, **options, **more)
        if declare is not None:
            declare(path)
        return path

    def write(name: str, **options) -> Path:
        found[name] = write_file(rows, folder / f"{name}.parquet", **options)
        return found[name]

    write("one row group", store_decimal_as_integer=True)
    write("row groups", row_group_size=GROUP_ROWS)
    write("single rows", row_group_size=1, store_decimal_as_integer=True)
    write("no statistics", row_group_size=GROUP_ROWS, write_statistics=False)
    write("pages", write_page_index=True, max_rows_per_page=2)
    write("pages of row groups", write_page_index=True, max_rows_per_page=1, row_group_size=4)
    filtered = {field.name: {"ndv": 10, "fpp": 0.01} for field in rows.schema if not pa.types.is_boolean(field.type)}
    write("Bloom filters", row_group_size=1, bloom_filter_options=filtered, write_statistics=False)
    write(
        "integers and Bloom filters",
        row_group_size=GROUP_ROWS,
        bloom_filter_options=filtered,
        store_decimal_as_integer=True,
    )
    for form in ("flat", "index"):
        parquetext.upgrade(write(form, row_group_size=GROUP_ROWS), form=form)
    parquetext.upgrade(write("par3", row_group_size=GROUP_ROWS), form="flat")
    parquetext.finalize(found["par3"], confirm=True)
    sidecar.build(write("sidecar", row_group_size=GROUP_ROWS, bloom_filter_options=filtered))
    found["empty row groups"] = folder / "empty.parquet"
    with pq.ParquetWriter(found["empty row groups"], rows.schema, **more) as writer:
        for begin in range(0, count, GROUP_ROWS):
            writer.write_table(rows.slice(0, 0))
            writer.write_table(rows.slice(begin, GROUP_ROWS))
    if declare is not None:
        declare(found["empty row groups"])
    found["files"] = folder / "files"
    found["files"].mkdir()
    for begin in range(0, count, GROUP_ROWS):
        write_file(rows.slice(begin, GROUP_ROWS), found["files"] / f"{begin:02}.parquet")
    return found


def _of_table(**options) -> Callable:
    return lambda path, filters: parquetext.read_table(path, ["i"], filters=filters, **options)


def _of_dataset(**options) -> Callable:
    return lambda path, filters: parquetext.dataset(path, **options).to_table(["i"], filter=filters)


def _as_batches(path: Path, filters: object) -> pa.Table:
    batches = parquetext.dataset(path).to_batches(["i"], filter=filters)
    return pa.Table.from_batches(batches, pa.schema([("i", pa.int64())]))


def _with_schema(path: Path, filters: object) -> pa.Table:
    schema = parquetext.read_schema(path) if path.is_file() else parquetext.dataset(path).schema
    return parquetext.read_table(path, ["i"], filters=filters, schema=schema)


READERS: dict[str, Callable[[Path, object], pa.Table]] = {
    "read_table": _of_table(),
    "read_table, parquetext": _of_table(engine="parquetext"),
    "read_table, pyarrow": _of_table(engine="pyarrow"),
    "read_table, auto": _of_table(engine="auto"),
    "read_table, schema": _with_schema,
    "dataset": _of_dataset(),
    "dataset, parquetext": _of_dataset(engine="parquetext"),
    "batches": _as_batches,
}


def outcome(read: Callable[[], pa.Table]) -> list[int] | type:
    """Return the numbers of the rows, or the type of the error."""
    try:
        return read()["i"].to_pylist()
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        return next(kind for kind in type(error).mro() if kind.__module__ in ("pyarrow.lib", "builtins"))


def filters_of(
    name: str, values: list | None = None, whole: pa.Table | None = None, literals: Sequence = LITERALS
) -> Iterator[tuple[list[tuple], object]]:
    """Yield comparisons of a column with every literal, alone and together, and their results for the whole table.

    Operators that compare in one order are left out if another one is not implemented for the types.
    """
    values = COLUMNS[name][1] if values is None else values
    for literal in literals:
        for operator in ("=", "!=", "<", "<=", ">", ">=", "in", "not in"):
            filters = [(name, operator, [literal] if operator.endswith("in") else literal)]
            expected = expected_of(filters, whole)
            yield filters, expected
            if expected is pa.ArrowNotImplementedError:
                break
    for filters in _several(name, values):
        yield filters, expected_of(filters, whole)


def _several(name: str, values: list) -> Iterator[list]:
    yield [(name, "in", [])]
    yield [(name, "==", None)]
    for first, last in pairwise(values):
        yield [(name, "in", [first, last])]
        yield [(name, "not in", [last, None])]
        yield [(name, ">", first), (name, "<=", last)]
        yield [[(name, "==", first), ("count", "<", 3)], [(name, ">=", last)]]
        yield [(name, ">=", first), ("int64", "<", 0.1)]


@cache
def _whole() -> pa.Table:
    sink = pa.BufferOutputStream()
    pq.write_table(table(), sink)
    return pq.read_table(sink.getvalue())


def expected_of(filters: list, whole: pa.Table | None = None) -> list[int] | type:
    """Return the rows that pyarrow's expression finds in the whole table as read back from a file."""
    whole = _whole() if whole is None else whole
    return outcome(lambda: whole.filter(pq.filters_to_expression(filters)))
