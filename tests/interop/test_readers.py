"""Readers that know nothing of us read a file with our footer exactly as they read it without."""

from __future__ import annotations

import datetime
import decimal
import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.every_type import map_column, nested_columns

from parquetext import edits
from parquetext.demo.readers import READERS, Outcome, installed_readers, read_many_with
from parquetext.spark import JavaNotFound, find_java_home

ROWS = 500
AFTER_STOP = "after-stop"
CODECS = {
    "pyarrow": ["none", "snappy", "gzip", "brotli", "zstd", "lz4"],
    "polars": ["none", "snappy", "gzip", "brotli", "zstd", "lz4"],
    "duckdb": ["none", "snappy", "gzip", "brotli", "zstd", "lz4"],
    "spark": ["none", "snappy", "gzip", "zstd", "lz4"],
}
ALL_CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]


def flat_table() -> pa.Table:
    """Every type that all the readers know, nulls among the values."""
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=n % 900) for n in range(ROWS)]
    instants = [datetime.datetime(2021, 5, 6, 7, 8, 9, n) for n in range(ROWS)]
    columns = {
        "small": pa.array([n % 100 for n in range(ROWS)], pa.int32()),
        "big": pa.array([n * 10**12 for n in range(ROWS)], pa.int64()),
        "float": pa.array([n / 7 for n in range(ROWS)], pa.float32()),
        "double": pa.array([n / 3 for n in range(ROWS)], pa.float64()),
        "text": pa.array([f"t{n % 17}" for n in range(ROWS)], pa.string()),
        "binary": pa.array([bytes([n % 256, 255]) for n in range(ROWS)], pa.binary()),
        "flag": pa.array([n % 3 == 0 for n in range(ROWS)], pa.bool_()),
        "day": pa.array(days, pa.date32()),
        "instant": pa.array(instants, pa.timestamp("us")),
        "zoned": pa.array(instants, pa.timestamp("us", tz="UTC")),
        "price": pa.array([decimal.Decimal(n).scaleb(-2) for n in range(ROWS)], pa.decimal128(18, 2)),
    }
    with_nulls = {
        f"{name}_or_null": pa.array([None if n % 5 == 0 else v for n, v in enumerate(column.to_pylist())], column.type)
        for name, column in columns.items()
    }
    return pa.table({**columns, **with_nulls})


def nested_table() -> pa.Table:
    """Lists, structs and maps, and structs of lists."""
    return pa.table({**nested_columns(ROWS), "map": map_column(ROWS)})


@dataclass(frozen=True)
class Pair:
    """A file as pyarrow wrote it, and the same file with our footer."""

    name: str
    codec: str
    plain: str
    upgraded: str


@pytest.fixture(scope="module")
def pairs(tmp_path_factory) -> list[Pair]:
    """Flat and nested types, every codec, 1 and 50 row groups, both markers, both placements, the arrow dialect."""
    folder = tmp_path_factory.mktemp("readers")
    tables = {"flat": flat_table(), "nested": nested_table()}
    cases = [(kind, codec, 1, {}) for kind in tables for codec in ALL_CODECS]
    for kind in tables:
        cases += [(kind, "snappy", 50, {}), (kind, "zstd", 1, {"marker": "thrift"})]
        cases += [(kind, "gzip", 2, {"placement": AFTER_STOP}), (kind, "zstd", 50, {"form": "packed"})]
        cases += [
            (kind, "snappy", 2, {"form": "arrow", "placement": position}) for position in (AFTER_STOP, "in-struct")
        ]
    cases += [("plain", "snappy", 2, {"form": "arrow", "placement": AFTER_STOP})]
    cases += [("plain", codec, 2, {"placement": AFTER_STOP}) for codec in ("none", "snappy")]
    tables["plain"] = tables["flat"].drop_columns(["price", "price_or_null"])
    return [_make_pair(folder, kind, tables[kind], codec, groups, options) for kind, codec, groups, options in cases]


def _make_pair(folder: Path, kind: str, table: pa.Table, codec: str, groups: int, options: dict[str, str]) -> Pair:
    name = "-".join([kind, codec, str(groups), *options.values()])
    plain, upgraded = str(folder / f"{name}.parquet"), str(folder / f"{name}-upgraded.parquet")
    pq.write_table(table, plain, compression=codec, row_group_size=ROWS // groups)
    shutil.copyfile(plain, upgraded)
    assert edits.upgrade(upgraded, **{"form": "flat", **options}).outcome == "upgraded"
    return Pair(name, codec, plain, upgraded)


def _suits(reader: str, pair: Pair) -> bool:
    """fastparquet misreads long-form field ids and supports few types: it gets only the extension after the stop."""
    if reader == "fastparquet":
        return pair.name.startswith("plain") and pair.name.endswith(AFTER_STOP)
    return pair.codec in CODECS[reader]


@dataclass(frozen=True)
class Answers:
    """Return a reader's result for each pair of files, and for one pair's PAR3 file and the file restored from it."""

    reader: str
    pairs: list[tuple[Pair, Outcome, Outcome]]
    restored: Outcome
    final: Outcome


SLOW = "spark"


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.slow) if name == SLOW else name for name in READERS]
)
def answers(request, pairs, tmp_path_factory) -> Answers:
    """All files in one process for each reader: some take long to start."""
    reader = request.param
    if reader not in installed_readers():
        pytest.skip(f"{reader} is not installed")
    if reader == SLOW:
        _need_java(request)
    suited = [pair for pair in pairs if _suits(reader, pair)]
    final, restored = (str(tmp_path_factory.mktemp("par3") / name) for name in ("final.parquet", "restored.parquet"))
    shutil.copyfile(suited[0].upgraded, final)
    edits.finalize(final, confirm=True)
    shutil.copyfile(final, restored)
    edits.restore(restored)
    paths = [path for pair in suited for path in (pair.plain, pair.upgraded)]
    *of_pairs, of_restored, of_final = read_many_with(reader, [*paths, restored, final])
    return Answers(reader, list(zip(suited, of_pairs[::2], of_pairs[1::2], strict=True)), of_restored, of_final)


def _need_java(request) -> None:
    try:
        find_java_home()
    except JavaNotFound as error:
        pytest.skip(str(error))
    request.getfixturevalue("quick_java")


def test_readers_read_upgraded_files_as_before(answers):
    assert answers.pairs
    for pair, before, after in answers.pairs:
        assert before.ok, f"{answers.reader} cannot read {pair.name} as pyarrow wrote it: {before.message}"
        assert after.ok, f"{answers.reader} cannot read {pair.name} with our footer: {after.message}"
        assert after.rows == ROWS
        assert after.digest == before.digest, f"{answers.reader} reads other values from {pair.name} with our footer"


def test_readers_refuse_par3_files_and_read_them_when_restored(answers):
    assert not answers.final.ok and answers.final.message
    _, _, upgraded = answers.pairs[0]
    assert answers.restored.ok
    assert (answers.restored.digest, answers.restored.rows) == (upgraded.digest, upgraded.rows)
