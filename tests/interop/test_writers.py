"""Files of at least ten writers get each footer form and come back byte for byte."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable

import parquetext

LEAST_WRITERS = 10
FORMS = "packed", "flat", "index", "modular", "jump-table"
TABLE = pa.table(
    {
        "number": [None if row % 7 == 0 else row / 4 for row in range(3000)],
        "text": [f"value {row * 7919 % 3000}" for row in range(3000)],
        "key": range(3000),
    }
)


def _by_duckdb(path: Path) -> None:
    import duckdb

    duckdb.from_arrow(TABLE).write_parquet(str(path))


def _by_fastparquet(path: Path) -> None:
    import fastparquet

    fastparquet.write(str(path), TABLE.to_pandas(), row_group_offsets=1000)


def _by_polars(path: Path) -> None:
    import polars

    polars.from_arrow(TABLE).write_parquet(path)


INSTALLED: dict[str, Callable[[Path], None]] = {
    "DuckDB": _by_duckdb,
    "fastparquet": _by_fastparquet,
    "Polars": _by_polars,
    "parquet-cpp-arrow": lambda path: pq.write_table(TABLE, path, row_group_size=1000),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory, corpus, expected) -> dict[str, list[Path]]:
    """Return up to three files by the name of their writer."""
    found: dict[str, list[Path]] = {}
    for path in readable(corpus, expected):
        with parquetext.open(path) as file:
            writer = re.split(r" version| \(|@|/v?\d", file.created_by or "")[0].strip()
        if writer and len(found.setdefault(writer, [])) < 3:
            found[writer].append(path)
    for writer, write in INSTALLED.items():
        path = tmp_path_factory.mktemp("written") / f"{writer}.parquet"
        write(path)
        found.setdefault(writer, []).append(path)
    assert len(found) >= LEAST_WRITERS, sorted(found)
    return found


@pytest.mark.parametrize("form", FORMS)
def test_files_of_ten_writers_get_the_form_and_come_back(tmp_path, files, form):
    upgraded = set()
    for writer, paths in files.items():
        for path in paths:
            copy = tmp_path / "copy.parquet"
            shutil.copyfile(path, copy)
            before = pq.read_metadata(path)
            if parquetext.upgrade(copy, form=form).outcome != "upgraded":
                continue
            upgraded.add(writer)
            assert not parquetext.verify(copy).findings, path
            after = pq.read_metadata(copy)
            assert (after.num_rows, after.num_row_groups, after.schema) == (
                before.num_rows,
                before.num_row_groups,
                before.schema,
            ), path
            with parquetext.open(copy, form=form) as ours, parquetext.open(path, form="thrift") as original:
                for mine, its in zip(ours.columns(), original.columns(), strict=True):
                    assert mine.path == its.path and list(mine.chunks.begins()) == list(its.chunks.begins()), path
            parquetext.strip(copy)
            assert copy.read_bytes() == path.read_bytes(), path
    assert len(upgraded) >= LEAST_WRITERS, sorted(upgraded)
