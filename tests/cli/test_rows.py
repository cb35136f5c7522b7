"""head, cat and bloom: rows as tables, CSV and JSON, those that meet conditions, and values that filters rule out."""

from __future__ import annotations

import csv
import io
import json

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from support.cli_runs import documents as rows
from support.cli_runs import run
from support.described import ROWS, write

import parquetext
from parquetext.cli import fact_tables
from parquetext.cli import row_commands as cli_rows


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("rows") / "a.parquet")
    parquetext.upgrade(path, form="flat")
    return path


def test_json_has_the_values_as_json_has_them(path):
    first, second = rows("head", path, "-n", 2)
    assert (first["price"], first["tags"], first["pos"]) == (None, None, {"x": 0, "when": "0"})
    assert second["tags"] == ["t1", None] and second["attrs"] == [{"key": "k", "value": 1}]
    assert (second["day"], second["amount"], second["raw"], second["flag"]) == ("2024-01-01", "0.01", "0100", False)
    assert second["when"] == "2024-01-01 00:00:01.000000Z"


def test_csv_is_read_again_by_pyarrow_and_duckdb(path, tmp_path):
    text = run("cat", path).stdout
    found = pyarrow.csv.read_csv(io.BytesIO(text.encode()))
    assert found.num_rows == ROWS and found["id"].to_pylist() == list(range(ROWS))
    assert found["price"].null_count == pq.read_table(path)["price"].null_count
    (tmp_path / "x.csv").write_text(text)
    tags = duckdb.sql(f"select tags::json from '{tmp_path / 'x.csv'}' where id = 1").fetchall()[0][0]
    assert json.loads(tags) == ["t1", None]


def test_csv_distinguishes_null_from_empty_text_and_quotes_if_needed(tmp_path):
    values = ["", None, 'say "x"', "a,b", "two\nlines", "plain"]
    pq.write_table(pa.table({"a": values, "b,c": [1.5] * 6}), tmp_path / "x.parquet")
    text = run("cat", tmp_path / "x.parquet").stdout
    assert text.startswith('a,"b,c"\n"",1.5\n,1.5\n"say ""x""",1.5\n')
    assert [row[0] for row in csv.reader(io.StringIO(text))][1:] == ["" if value is None else value for value in values]


def test_cat_of_several_files_has_the_names_once(path, tmp_path):
    other = tmp_path / "b.parquet"
    pq.write_table(pq.read_table(path), other)
    lines = run("cat", "-c", "id", path, other).stdout.splitlines()
    assert lines[0] == "id" and lines.count("id") == 1 and len(lines) == 1 + 2 * ROWS


@pytest.mark.parametrize(
    ("conditions", "meets"),
    [
        (["id >= 990"], lambda row: row["id"] >= 990),
        (["price is null", "id < 300"], lambda row: row["price"] is None and row["id"] < 300),
        (["name in ('name 1', \"name 2\", name 3)"], lambda row: row["name"] in ("name 1", "name 2", "name 3")),
        (["name not in (name 1)", "id<60"], lambda row: row["name"] != "name 1" and row["id"] < 60),
        (["name = name 7"], lambda row: row["name"] == "name 7"),
        (["when > 2024-01-01 00:16:00"], lambda row: row["when"] > "2024-01-01 00:16:00.000000Z"),
        (["amount <= 0.05"], lambda row: float(row["amount"]) <= 0.05),
        (
            ["flag = true", "id is not null", "id != 4", "small < 9"],
            lambda row: row["flag"] and row["small"] < 9 and row["id"] != 4,
        ),
        (["raw = 0x0500"], lambda row: row["raw"] == "0500"),
        (["day == 2024-01-02"], lambda row: False),
    ],
)
def test_filters_give_the_rows_that_meet_them(path, conditions, meets):
    options = [part for condition in conditions for part in ("--filter", condition)]
    assert rows("cat", path, *options) == [row for row in rows("cat", path) if meets(row)]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("id", "not a condition: 'id'"),
        ("id ~ 3", "not a condition"),
        ("id > x", "'x' is not a value of type int64"),
        ("nothing > 3", "no column 'nothing'"),
        ("id in (1,,2)", "not a condition"),
        ("flag = maybe", "'maybe' is not a value of type bool"),
        ("id is 3", "not a condition"),
    ],
)
def test_an_invalid_condition_is_reported(path, condition, message):
    done = run("head", path, "--filter", condition)
    assert done.exit_code == 2 and message in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_column_whose_name_holds_an_operator_is_found(tmp_path):
    pq.write_table(pa.table({"a = b": [1, 2], "x in y": [1, 2]}), tmp_path / "x.parquet")
    assert rows("cat", tmp_path / "x.parquet", "-w", "a = b = 2") == [{"a = b": 2, "x in y": 2}]
    assert rows("cat", tmp_path / "x.parquet", "-w", "x in y in (1)") == [{"a = b": 1, "x in y": 1}]


def test_head_reads_no_row_group_after_its_rows(path, tmp_path):
    cut = tmp_path / "cut.parquet"
    data = bytearray(path.read_bytes())
    with parquetext.open(path) as file:
        second = file.row_groups[1]
    data[second.file_offset : second.file_offset + second.total_compressed_size] = bytes(second.total_compressed_size)
    cut.write_bytes(data)
    assert len(rows("head", cut, "-n", 300)) == 300
    assert run("head", cut, "-n", 301).exit_code == 2


def test_a_table_as_wide_as_the_terminal_notes_its_omissions(tmp_path, monkeypatch):
    pq.write_table(pa.table({f"column {n}": [n, None] for n in range(500)}), tmp_path / "x.parquet")
    for module in (fact_tables, cli_rows):
        monkeypatch.setattr(module, "line_width", lambda: 60)
    lines = run("head", tmp_path / "x.parquet").stdout.splitlines()
    assert all(len(line) <= 60 for line in lines[:3]) and lines[-1] == "2 of 2 rows"
    assert lines[3] == "no room for: 494 columns (--column chooses, --format json has all)"


def test_no_rows_and_no_columns_are_no_failure(path, tmp_path):
    assert run("head", "-n", 0, path).stdout.splitlines()[-1] == f"0 of {ROWS:,} rows"
    pq.write_table(pa.table({"a": pa.array([], pa.int8())}), tmp_path / "x.parquet")
    assert run("head", tmp_path / "x.parquet").exit_code == 0
    assert run("cat", tmp_path / "x.parquet", "--json").stdout == ""
    pq.write_table(pa.table({}), tmp_path / "none.parquet")
    assert run("cat", tmp_path / "none.parquet").stdout == ""


def test_names_are_there_without_rows(path, tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int8()), "b": pa.array([], pa.string())}), tmp_path / "x.parquet")
    assert run("cat", tmp_path / "x.parquet").stdout == "a,b\n"
    assert run("cat", "-w", "a = 1", "-c", "b", tmp_path / "x.parquet").stdout == "b\n"
    assert run("head", tmp_path / "x.parquet").stdout == "a  b\n0 of 0 rows\n"
    for nothing in (("-n", 0), ("-w", "id < 0")):
        assert run("cat", *nothing, "-c", "id", "-c", "name", path).stdout == "id,name\n"
        assert run("head", *nothing, "-c", "id", "-c", "name", path).stdout.splitlines()[0] == "id  name"


def test_numbers_are_right_aligned_with_infinity_and_nan(tmp_path):
    values = [1.5, None, float("nan"), float("-inf"), 1e300]
    pq.write_table(pa.table({"price": values}), tmp_path / "x.parquet")
    assert run("head", tmp_path / "x.parquet").stdout.splitlines() == [
        " price", "   1.5", "", "   nan", "  -inf", "1e+300", "5 of 5 rows"
    ]  # fmt: skip


@pytest.fixture(scope="module")
def filtered(tmp_path_factory):
    path = tmp_path_factory.mktemp("bloom") / "a.parquet"
    table = pa.table(
        {"id": range(4000), "name": [f"name {n}" for n in range(4000)], "part": [n / 8 for n in range(4000)]}
    )
    filters = {name: {"ndv": 1000, "fpp": 0.001} for name in table.column_names}
    pq.write_table(table, path, row_group_size=1000, bloom_filter_options=filters)
    return path


def test_bloom_reports_for_each_row_group_if_it_may_contain_a_value(filtered):
    done = run("bloom", filtered, "id", 4, "--json")
    answers = [group["answer"] for group in json.loads(done.stdout)["row_groups"]]
    assert done.exit_code == 0 and answers == ["maybe", "absent", "absent", "absent"]
    absent = run("bloom", filtered, "name", "no such name")
    assert (absent.exit_code, absent.stdout.splitlines()[-1]) == (
        1,
        f"{len(answers)} row groups: {len(answers)} absent",
    )
    quiet = run("bloom", "--quiet", filtered, "name", "no such")
    assert (quiet.exit_code, quiet.output) == (1, "")


def test_bloom_without_filters_rules_nothing_out(path):
    done = run("bloom", path, "id", 4)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "4 row groups: 4 no filter")


def test_bloom_reports_impossible_requests(filtered):
    assert "'x' is not a value of type int64" in run("bloom", filtered, "id", "x").stderr
    assert "no column 'nothing'" in run("bloom", filtered, "nothing", "x").stderr
    assert "cannot be asked for 'nan'" in run("bloom", filtered, "part", "nan").stderr


@pytest.fixture
def partitioned(tmp_path):
    for key, value in (("2024", 1), ("2025", 2), ("__HIVE_DEFAULT_PARTITION__", 3)):
        (tmp_path / "lake" / f"year={key}" / "kind=a%20b").mkdir(parents=True)
        pq.write_table(pa.table({"v": [value]}), tmp_path / "lake" / f"year={key}" / "kind=a%20b" / "x.parquet")
    return tmp_path / "lake"


def test_cat_of_a_partitioned_directory_has_the_partition_columns(partitioned):
    assert run("cat", str(partitioned)).output.splitlines() == ["v,year,kind", "1,2024,a b", "2,2025,a b", "3,,a b"]
    rows = [json.loads(line) for line in run("cat", str(partitioned / "year=2*"), "--json").output.splitlines()]
    assert rows == [{"v": 1, "year": 2024, "kind": "a b"}, {"v": 2, "year": 2025, "kind": "a b"}]
    assert run("cat", str(partitioned / "year=2024")).output.splitlines() == ["v,kind", "1,a b"]
    assert run("cat", str(partitioned / "year=2024" / "kind=a%20b" / "x.parquet")).output.splitlines() == ["v", "1"]


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["-w", "year > 2024"], ["v,year,kind", "2,2025,a b"]),
        (["-w", "year is null", "-w", "v = 3", "-c", "year"], ["year", ""]),
        (["-w", "kind in ('a b')", "-w", "year != 2025", "-c", "v", "-c", "kind"], ["v,kind", "1,a b"]),
        (["-c", "year", "-n", "1"], ["year", "2024", "2025", ""]),
    ],
    ids=str,
)
def test_options_of_cat_take_partition_columns(partitioned, options, lines):
    assert run("cat", str(partitioned), *options).output.splitlines() == lines


def test_a_missing_partition_column_is_reported(partitioned):
    result = run("cat", str(partitioned), "-w", "yaer = 3")
    assert result.exit_code != 0
    assert "no column 'yaer'" in result.stderr
