"""Measure one column's values through Polars, DuckDB and pandas: by our footers, and by each engine's reader."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping

from parquetext import read_table
from parquetext.engines import register_duckdb, scan_polars

from .cases import OURS, STRIDE, Row, rows_of
from .timing import Contender, compare
from .workspace import Subject

__all__ = ["measure"]

Run = Callable[[str], object]


def measure(subject: Subject, rounds: int, target: float | None) -> Iterator[list[Row]]:
    """Measure each installed engine: from path to values, and with a whole frame or view that is kept."""
    engines = {"polars": _polars, "duckdb": _duckdb, "pandas": _pandas}
    names = subject.top_level_names
    for engine, pairs in engines.items():
        if importlib.util.find_spec(engine):
            for case, (ours, theirs, is_demanded) in pairs(subject).items():
                contenders = [
                    Contender(OURS, _each_another(ours, names), calls=5),
                    Contender(engine, _each_another(theirs, names)),
                ]
                targets = {engine: target} if target and is_demanded else {}
                yield list(rows_of(case, subject.name, compare(contenders, rounds), targets))


def _each_another(run: Run, names: list[str]) -> Callable[[int], object]:
    return lambda call: run(names[call * STRIDE % len(names)])


def _polars(subject: Subject) -> Mapping[str, tuple[Run, Run, bool]]:
    import polars

    kept, own = scan_polars(subject.flat), polars.scan_parquet(subject.plain)
    return {
        "one column through Polars, named to the scan": (
            lambda name: scan_polars(subject.flat, [name]).collect(),
            lambda name: polars.scan_parquet(subject.plain).select(name).collect(),
            True,
        ),
        "one column through Polars, selected from a frame of all that is kept": (
            lambda name: kept.select(name).collect(),
            lambda name: own.select(name).collect(),
            False,  # both keep the footer
        ),
    }


def _duckdb(subject: Subject) -> Mapping[str, tuple[Run, Run, bool]]:
    import duckdb

    con = duckdb.connect()
    wide = register_duckdb(con, subject.flat, "whole")

    def named(name: str) -> object:
        register_duckdb(con, subject.flat, "narrow", columns=[name])
        return con.execute(f'SELECT "{name}" FROM narrow').fetchall()

    def in_variable(name: str) -> object:
        kept = wide  # DuckDB finds variables of the function that calls it
        return con.execute(f'SELECT "{name}" FROM kept').fetchall(), kept

    def own(name: str) -> object:
        return con.execute(f"""SELECT "{name}" FROM '{subject.plain}'""").fetchall()

    return {
        "one column through DuckDB, named to the view": (named, own, True),
        "one column through DuckDB, of all in a variable": (in_variable, own, False),
        "one column through DuckDB, of a view of all": (
            lambda name: con.execute(f'SELECT "{name}" FROM whole').fetchall(),
            own,
            False,
        ),
    }


def _pandas(subject: Subject) -> Mapping[str, tuple[Run, Run, bool]]:
    import pandas

    return {
        "one column into pandas": (
            lambda name: read_table(subject.flat, [name]).to_pandas(),
            lambda name: pandas.read_parquet(subject.plain, columns=[name]),
            True,
        )
    }
