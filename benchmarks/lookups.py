"""Measure look-ups: one column's placement and statistics in all row groups, from the path or from an open file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow.fs
import pyarrow.parquet as pq

from parquetext import open as open_file
from parquetext.footer import File
from parquetext.storage import Target

from . import peers
from .cases import OURS, STRIDE, Row, rows_of
from .timing import Contender, compare
from .workspace import Subject

__all__ = ["kept_open", "many_at_once", "opened", "remote", "width"]

MANY = 1_000
REMOTE_CALLS = 20
THROUGH_FILESYSTEM = f"{OURS} through pyarrow.fs"
BY_INDEX = f"{OURS} by an index"
BY_THRIFT = f"{OURS} by Thrift alone"
TYPED = f"{OURS}, min and max as Arrow arrays"
OPENED = "open + one column's places, sizes, null counts, raw minima"
BOUNDS = "open + one column's min and max as Arrow arrays"
KEPT_OPEN = "kept open, one more column's places, sizes, null counts, raw minima"
KEPT = "pyarrow, metadata kept"


def _facts(column) -> tuple:
    """Read as many values as `peers.bounds_by_pyarrow` does."""
    return column.data_page_offset, column.total_compressed_size, column.null_count, column.min_bytes.to_list()


def _bounds(column) -> tuple:
    return column.min, column.max


def _look_up(path: object, names: list[str], fields: Callable = _facts) -> Callable[[int], object]:
    count = len(names)

    def look_up(call: int) -> object:
        with open_file(path) as file:
            return fields(file.column(names[call * STRIDE % count]))

    return look_up


def opened(
    subject: Subject, rounds: int, targets: dict[str, dict[str, float]], tick: Callable[[], None] | None = None
) -> list[Row]:
    """Measure opening the file and one look-up: a local path, the same file through pyarrow.fs, with an index, with
    only a Thrift footer; and its bounds as Arrow arrays."""
    names = subject.leaf_names
    elsewhere = Target(subject.flat, pyarrow.fs.LocalFileSystem())
    contenders = [
        Contender(OURS, _look_up(subject.flat, names), calls=200),
        Contender(THROUGH_FILESYSTEM, _look_up(elsewhere, names), calls=100),
        Contender(BY_INDEX, _look_up(subject.index, names), calls=200),
        Contender(BY_THRIFT, _look_up(subject.plain, names), calls=3),
        Contender(TYPED, _look_up(subject.flat, names, _bounds), calls=200),
        Contender("pyarrow", lambda call: peers.one_column_of_pyarrow(subject.plain, call * STRIDE % len(names))),
    ]
    timings = compare(contenders, rounds, tick)
    rows = []
    cases = {
        OURS: OPENED,
        THROUGH_FILESYSTEM: f"{OPENED}, through pyarrow.fs",
        BY_INDEX: f"{OPENED}, by an index",
        BY_THRIFT: f"{OPENED}, by Thrift alone",
        TYPED: BOUNDS,
    }
    for way, case in cases.items():
        pair = {OURS: timings[way], "pyarrow": timings["pyarrow"]}
        rows += rows_of(case, subject.name, pair, targets.get(way, {}))
    return rows


def remote(subject: Subject, limits: Mapping[str, tuple[int, int]]) -> list[Row]:
    """Measure one column over a filesystem before any data: the most requests and bytes of many look-ups."""
    names = subject.leaf_names
    elsewhere = Target(subject.flat, pyarrow.fs.LocalFileSystem())

    def cost(call: int, use: Callable) -> tuple[int, int]:
        with open_file(elsewhere) as file:
            use(file, names[call * STRIDE % len(names)])
            return file.io_stats

    rows = []
    uses = {"facts": lambda file, name: file.column(name), "values": lambda file, name: file.read([name])}
    for what, use in uses.items():
        costs = [cost(call, use) for call in range(REMOTE_CALLS)]
        allowed = limits.get(what, (None, None))
        for unit, most, limit in zip(("requests", "B"), map(max, zip(*costs, strict=True)), allowed, strict=True):
            ratio = most / limit if limit else None
            rows.append(
                Row(
                    f"remote, one column's {what}, before data",
                    subject.name,
                    f"{OURS}, {unit}",
                    most,
                    unit,
                    ratio,
                    ratio and 1.0,
                    at_most=True,
                )
            )
    return rows


def kept_open(subject: Subject, rounds: int, targets: dict[str, float]) -> list[Row]:
    """Measure one more column of an open file, also by an index, against pyarrow with its metadata in memory."""
    names, metadata = subject.leaf_names, pq.read_metadata(subject.plain)

    def one_more(file: File) -> Callable[[int], object]:
        return lambda call: _facts(file.column(names[call * STRIDE % len(names)]))

    with open_file(subject.flat) as flat, open_file(subject.index) as index:
        contenders = [
            Contender(OURS, one_more(flat), calls=1_000),
            Contender(BY_INDEX, one_more(index), calls=1_000),
            Contender(
                KEPT,
                lambda call: peers.bounds_by_pyarrow(metadata, call * STRIDE % len(names)),
                calls=200,
            ),
        ]
        timings = compare(contenders, rounds)
    rows = []
    for way, case in {OURS: KEPT_OPEN, BY_INDEX: f"{KEPT_OPEN}, by an index"}.items():
        pair = {OURS: timings[way], KEPT: timings[KEPT]}
        rows += rows_of(case, subject.name, pair, targets if way == OURS else {})
    return rows


def many_at_once(subject: Subject, rounds: int, targets: dict[str, float]) -> list[Row]:
    """Measure many columns of an open file by their names, against pyarrow with its metadata in memory."""
    names, metadata = subject.leaf_names, pq.read_metadata(subject.plain)
    many = min(MANY, len(names))

    def leaves(call: int) -> list[int]:
        return [(call + leaf) * STRIDE % len(names) for leaf in range(many)]

    with open_file(subject.flat) as file:
        contenders = [
            Contender(
                OURS, lambda call: [_facts(column) for column in file.columns([names[leaf] for leaf in leaves(call)])]
            ),
            Contender(KEPT, lambda call: [peers.bounds_by_pyarrow(metadata, leaf) for leaf in leaves(call)]),
        ]
        timings = compare(contenders, rounds)
    case = f"kept open, {many:,} columns' places, sizes, null counts, raw minima"
    return list(rows_of(case, subject.name, timings, targets))


def width(wide: Subject, narrow: Subject, rounds: int, target: float) -> list[Row]:
    """Compare the same look-up on a wide file and on a narrow one."""
    contenders = [
        Contender(subject.name, _look_up(subject.flat, subject.leaf_names), calls=200) for subject in (narrow, wide)
    ]
    timings = compare(contenders, rounds)
    on_narrow, on_wide = timings[narrow.name], timings[wide.name]
    slower, slower_at_best = on_wide.over(on_narrow)
    return [
        Row("look-up by width", narrow.name, OURS, on_narrow.median, "s", minimum=on_narrow.minimum),
        Row(
            "look-up by width",
            wide.name,
            OURS,
            on_wide.median,
            "s",
            slower,
            target,
            at_most=True,
            minimum=on_wide.minimum,
            minimum_ratio=slower_at_best,
        ),
    ]
