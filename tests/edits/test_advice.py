"""Advice on copies of columns: measured on samples, chosen within a budget."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.typer_runner import CliRunner

import parquetext
from parquetext.cli.app import app
from parquetext.edits.advice import ColumnAdvice, Estimate, chosen, growth_of
from parquetext.errors import ColumnError, ParquetextError
from parquetext.rewrite import sampling

ROWS = 6000
TABLE = pa.table(
    {
        "id": range(ROWS),
        "price": [row * 7919 % 10_007 / 100 if row % 9 else None for row in range(ROWS)],
        "name": [f"{row * 7919 % ROWS}" for row in range(ROWS)],
        "list": [[*range(row % 3)] for row in range(ROWS)],
        "nothing": pa.nulls(ROWS, pa.int32()),
    }
)


@pytest.fixture
def path(tmp_path, monkeypatch) -> Path:
    """A file, on a machine that decodes everything equally fast."""
    monkeypatch.setattr(sampling, "clock", itertools.count().__next__)
    file = tmp_path / "x.parquet"
    pq.write_table(TABLE, file, row_group_size=1500, compression="none", use_dictionary=False)
    return file


def column(leaf: int, size: int, *estimates: tuple, has_copy: bool = False) -> ColumnAdvice:
    made = tuple(Estimate(name, "none", bytes, speed) for name, bytes, speed in estimates)
    return ColumnAdvice(f"c{leaf}", leaf, "INT64", "plain", "none", 100, size, 100.0, has_copy, made)


@pytest.mark.parametrize("codec", ["none", "zstd", "snappy", "lz4"])
def test_estimates_are_close_to_the_sizes_of_encode(path, tmp_path, codec):
    found = {one.column.split(".")[0]: one for one in parquetext.advise(path).columns}
    for name, encoding in {"id": "delta_binary_packed", "price": "alp", "name": "fsst", "list": "pfor"}.items():
        [estimate] = [one for one in found[name].estimates if (one.encoding, one.codec) == (encoding, codec)]
        done = parquetext.encode(path, {name: encoding}, codec=codec, out=tmp_path / "y.parquet")
        size = int(done.message.split()[-1].replace(",", ""))
        assert estimate.bytes == pytest.approx(size, rel=0.05)


def test_a_column_is_described_with_its_current_encoding(path):
    advice = parquetext.advise(path, ["price"])
    assert (advice.path, advice.bytes) == (str(path), path.stat().st_size)
    [price] = advice.columns
    metadata = pq.read_metadata(path)
    chunks = [metadata.row_group(group).column(1) for group in range(metadata.num_row_groups)]
    assert price.bytes == sum(chunk.total_compressed_size for chunk in chunks)
    assert (price.column, price.type, price.encodings, price.codec) == ("price", "DOUBLE", "plain", "UNCOMPRESSED")
    assert (price.values, price.has_copy) == (ROWS, False)
    assert {(one.encoding, one.codec) for one in price.estimates} == {
        *itertools.product(("plain", "byte_stream_split", "alp"), ("none", "zstd", "snappy", "lz4"))
    }


def test_only_parts_of_the_file_are_read(path):
    """Of many row groups three are."""
    pq.write_table(pa.concat_tables([TABLE] * 10), path, row_group_size=1000, compression="none", use_dictionary=False)
    reads = []
    original = sampling._Kept.read

    def read(self, offset, length):
        reads.append((offset, length))
        return original(self, offset, length)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling._Kept, "read", read)
        parquetext.advise(path, ["id"])
    chunk = pq.read_metadata(path).row_group(0).column(0).total_compressed_size
    assert 0 < sum(length for _, length in {*reads}) <= 4 * chunk


def test_speeds_are_entries_by_seconds(path):
    """The clock ticks once between begin and end of each round."""
    [price] = parquetext.advise(path, ["price"]).columns
    assert price.values_per_second == 1500
    assert {one.values_per_second for one in price.estimates} == {1500}


def test_unknown_columns_are_an_error(path):
    with pytest.raises(ColumnError):
        parquetext.advise(path, ["no such"])


def test_the_best_copy_is_the_smallest_one_that_is_no_slower():
    one = column(0, 1000, ("plain", 999, 500.0), ("alp", 400, 100.0), ("pfor", 100, 90.0), ("delta", 700, 200.0))
    assert one.best.encoding == "alp"
    assert column(0, 1000, ("plain", 950, 500.0)).best is None


def test_the_budget_is_spent_on_the_best_ratio():
    columns = [
        column(0, 1000, ("alp", 800, 100.0)),
        column(1, 1000, ("alp", 100, 100.0)),
        column(2, 5000, ("alp", 2500, 100.0)),
        column(3, 1000, ("alp", 10, 100.0), has_copy=True),
    ]
    assert {budget: [*chosen(columns, budget)] for budget in (99, 100, 899, 900, 2600, 3400)} == {
        99: [],
        100: [1],
        899: [1],
        900: [1, 0],
        2600: [1, 2],
        3400: [1, 2, 0],
    }


@pytest.mark.slow
def test_references_to_copies_count_in_the_growth(tmp_path):
    """Of many small chunks it is as much as the copies themselves."""
    path, out = tmp_path / "wide.parquet", tmp_path / "y.parquet"
    table = pa.table({f"c{n}": [round(row * 1.37 + n, 2) for row in range(200)] for n in range(150)})
    pq.write_table(table, path, row_group_size=100)
    for growth in (0.1, 0.3):
        done = parquetext.encode(path, "best", max_growth=growth, out=out)
        assert done.bytes_after <= (1 + growth) * done.bytes_before
    assert done.outcome == "encoded"


def test_a_growth_is_a_share():
    assert [growth_of(message) for message in (None, 0.5, "20%", "1.5", " 7 %", 0)] == [0.2, 0.5, 0.2, 1.5, 0.07, 0.0]
    for wrong in ("much", "-1%", "nan", "inf", -0.1):
        with pytest.raises(ParquetextError, match="share"):
            growth_of(wrong)


def test_best_stays_within_the_growth_and_reports_its_choice(path, tmp_path):
    before = path.stat().st_size
    out = tmp_path / "y.parquet"
    done = parquetext.encode(path, "best", max_growth="40%", out=out)
    assert done.outcome == "encoded" and done.message.startswith("best: ")
    within = parquetext.advise(path).within("40%")
    for name, one in within.items():
        assert f"{name} by {one.encoding}, {one.codec}" in done.message
    assert sum(one.bytes for one in within.values()) <= 0.4 * before
    assert {one.column: one.has_copy for one in parquetext.advise(out).columns} == {
        one.column: one.column in within for one in parquetext.advise(path).columns
    }
    parquetext.strip(out)
    assert out.read_bytes() == path.read_bytes()


def test_best_changes_nothing_if_no_column_gains(path):
    done = parquetext.encode(path, "best", max_growth=0)
    assert (done.outcome, done.bytes_written) == ("unchanged", 0)
    assert "no copy" in done.message
    parquetext.encode(path, "best", max_growth=9)
    again = parquetext.encode(path, "best", max_growth=9)
    assert (again.outcome, parquetext.verify(path, deep=True).findings) == ("unchanged", [])


def test_best_can_be_combined_with_named_encodings(path):
    done = parquetext.encode(path, {"id": "plain", "price": "best"}, codec="zstd", max_growth=1)
    assert done.message.startswith("best: price by ")
    assert [one.column for one in parquetext.advise(path).columns if one.has_copy] == ["id", "price"]


def test_a_table_is_written_with_its_best_copies(path):
    parquetext.write_table(TABLE, path, copies="best", form="flat", use_dictionary=False, compression="none")
    with parquetext.open(path) as file:
        assert file.form == "flat"
        assert file.read(engine="parquetext").equals(TABLE)
        assert not file.findings
    assert any(one.has_copy for one in parquetext.advise(path).columns)


def test_the_command_shows_a_table_and_documents(path):
    before = path.read_bytes()

    def run(*arguments):
        return CliRunner().invoke(app, ["encode", *map(str, arguments)])

    shown = run(path, "--advise", "--column", "price", "--max-growth", "100%")
    assert shown.exit_code == 0, shown.output
    assert "byte_stream_split" in shown.stdout and "best: price by " in shown.stdout
    [document] = map(json.loads, run(path, "--advise", "--json").stdout.splitlines())
    assert [one["column"] for one in document["columns"]][:3] == ["id", "price", "name"]
    assert run(path, "--advise", "--column", "no such").exit_code == 2
    assert run(path, "--advise", "--max-growth", "much").exit_code == 2
    assert run(path, "--column", "id").exit_code == 2
    assert path.read_bytes() == before
    done = run(path, "--encoding", "best", "--max-growth", "50%", "--json")
    assert json.loads(done.stdout)["message"].startswith("best: ")


def test_vast_values_are_listed_without_estimates(path):
    table = pa.table({"id": [1], "vast": pa.array(["a" * (17 << 20)])})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    number, vast = parquetext.advise(path).columns
    assert number.estimates and not vast.estimates
    assert (vast.values, vast.best) == (1, None)
    assert CliRunner().invoke(app, ["encode", str(path), "--advise"]).exit_code == 0
