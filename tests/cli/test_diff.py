"""diff and rewrite as commands."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.cli_runs import run
from support.described import ROWS, table, write

from parquetext.cli.choices import OptimizeFor
from parquetext.edits.options import OPTIMIZED_FOR

NAN = float("nan")


def found(*arguments: object) -> list[dict]:
    done = run("diff", *arguments, "--json")
    assert done.exit_code in (0, 1), done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.parquet")


def test_a_file_does_not_differ_from_itself(path):
    done = run("diff", path, path)
    assert (done.exit_code, done.stdout) == (0, "no difference: schema, statistics, values\n")


def test_values_that_differ_are_counted_and_the_first_is_shown(path, tmp_path):
    rows = table()
    prices, tags = rows["price"].to_pylist(), rows["tags"].to_pylist()
    prices[5], prices[901], tags[400] = 9.25, None, ["x"]
    changed = rows.set_column(1, "price", pa.array(prices)).set_column(3, "tags", pa.array(tags))
    pq.write_table(changed, tmp_path / "b.parquet", row_group_size=77)
    values = {each["name"]: each for each in found(path, tmp_path / "b.parquet", "--only", "values")}
    assert values.keys() == {"price", "tags"}
    price = values["price"]
    assert (price["rows"], price["first_row"], price["a"], price["b"]) == (2, 5, 7.5, 9.25)
    assert (values["tags"]["first_row"], values["tags"]["b"]) == (400, ["x"])
    done = run("diff", path, tmp_path / "b.parquet", "--only", "values")
    assert done.exit_code == 1 and "  price, 2 rows, the first is row 5:  - 7.5  + 9.25" in done.stdout.splitlines()
    assert done.stdout.splitlines()[-1] == "2 differences: 2 of values"


def test_nan_equals_nan_and_null_equals_null(tmp_path):
    values = [NAN, None, 1.0, [NAN]][:3]
    for name in "ab":
        pq.write_table(pa.table({"x": values, "y": [[NAN], None, []]}), tmp_path / f"{name}.parquet")
    assert found(tmp_path / "a.parquet", tmp_path / "b.parquet", "--only", "values") == []
    pq.write_table(pa.table({"x": [None, NAN, 1.0], "y": [[NAN], None, []]}), tmp_path / "b.parquet")
    (x,) = found(tmp_path / "a.parquet", tmp_path / "b.parquet", "--only", "values")
    assert (x["rows"], x["a"], x["b"]) == (2, "nan", None)


def test_schemas_that_differ(path, tmp_path):
    rows = table().drop(["small"]).append_column("new", pa.array([1] * ROWS, pa.int8()))
    rows = rows.set_column(0, "id", rows["id"].cast(pa.int32()))
    pq.write_table(rows, tmp_path / "b.parquet")
    schema = {each["name"]: (each["a"], each["b"]) for each in found(path, tmp_path / "b.parquet", "--only", "schema")}
    assert schema == {
        "id": ("optional int64 id", "optional int32 id"),
        "small": ("optional int32 small (INTEGER(8,false))", None),
        "new": (None, "optional int32 new (INTEGER(8,true))"),
    }
    values = found(path, tmp_path / "b.parquet", "--only", "values")
    assert [(each["name"], each["what"]) for each in values] == [("id", "types: not compared")]


def test_the_order_of_columns_and_arrows_types_count_as_schema(tmp_path):
    pq.write_table(pa.table({"a": ["x"], "b": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"b": [1], "a": ["x"]}), tmp_path / "b.parquet")
    (order,) = found(tmp_path / "a.parquet", tmp_path / "b.parquet", "--only", "schema")
    assert (order["what"], order["a"], order["b"]) == ("order of columns", ["a", "b"], ["b", "a"])
    pq.write_table(pa.table({"a": pa.array(["x"], pa.large_string()), "b": [1]}), tmp_path / "b.parquet")
    (kind,) = found(tmp_path / "a.parquet", tmp_path / "b.parquet", "--only", "schema")
    assert (kind["name"], kind["what"], kind["b"]) == ("a", "Arrow type", "large_string")


def test_statistics_and_key_values_that_differ(path, tmp_path):
    rows = table().slice(0, 900).replace_schema_metadata({"owner": "you"})
    pq.write_table(rows, tmp_path / "b.parquet", compression="zstd")
    message = {(each["name"], each["what"]): (each["a"], each["b"]) for each in found(path, tmp_path / "b.parquet")}
    assert message["num_rows", ""] == (1000, 900) and message["owner", "key-value"] == ("me", "you")
    assert message["id", "compression"] == (["SNAPPY"], ["ZSTD"]) and message["id", "stats_max"] == (999, 899)
    assert ("id", "rows") not in message


def test_quiet_and_missing_files(path, tmp_path):
    done = run("diff", "-q", path, write(tmp_path / "b.parquet"))
    assert (done.exit_code, done.output) == (0, "")
    missing = run("diff", path, tmp_path / "none.parquet")
    assert missing.exit_code == 2 and "none.parquet" in missing.stderr


def test_rewrite_optimizes_for_a_use(path, tmp_path):
    out = tmp_path / "out.parquet"
    assert [use.value for use in OptimizeFor] == [*OPTIMIZED_FOR]
    codecs = {}
    for use in OPTIMIZED_FOR:
        done = run("rewrite", path, "--out", out, "--optimize-for", use)
        assert done.exit_code == 0 and pq.read_table(out).equals(pq.read_table(path)), done.output
        codecs[use] = pq.read_metadata(out).row_group(0).column(0).compression
    assert codecs["size"] == "ZSTD" and codecs["scan"] == "SNAPPY" != codecs["random_access"]
    refused = run("rewrite", path, "--out", out, "--optimize-for", "speed")
    assert refused.exit_code == 2 and "random_access" in refused.stderr


def test_rewrite_then_diff(path, tmp_path):
    out = tmp_path / "out.parquet"
    options = ("--codec", "zstd", "--level", 5, "--row-group-size", 400, "--encoding", "price=byte_stream_split")
    done = run("rewrite", path, "--out", out, *options)
    assert done.exit_code == 0 and "(3 row groups, 1,000 rows, thrift footer)" in done.stdout
    assert run("diff", path, out, "--only", "values", "--only", "schema").exit_code == 0
    made = json.loads(run("rewrite", path, "--out", out, "--sort", "name", "--sort", "id:desc", "--json").stdout)
    assert made["rows"] == ROWS and made["bytes_after"] == out.stat().st_size
    expected = table().sort_by([("name", "ascending"), ("id", "descending")])
    assert pq.read_table(out).equals(expected)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--encoding", "price=fast"), 2, "byte_stream_split"),
        (("--encoding", "price"), 2, "delta_byte_array"),
        (("--codec", "lzo"), 2, "zstd"),
        (("--level", 3), 2, "a compression level needs a codec"),
        (("--codec", "zstd", "--level", 99), 2, "level 99 is not valid for codec 'zstd': use -131072 to 22"),
        (("--codec", "gzip", "--level", 0), 2, "level 0 is not valid for codec 'gzip': use 1 to 9"),
        (("--codec", "snappy", "--level", 3), 2, "codec 'snappy' has no compression levels"),
        (("--codec", "none", "--level", 3), 2, "codec 'none' has no compression levels"),
        (("--sort", "prce"), 1, "no column 'prce'; the nearest: 'price'"),
        (("--encoding", "name=rle"), 1, "RLE only supports BOOLEAN; you asked for rle for 'name'"),
        (("--encoding", "name=byte_stream_split"), 1, "you asked for byte_stream_split for 'name'"),
    ],
    ids=str,
)
def test_rewrite_reports_impossible_requests(path, tmp_path, options, code, message):
    done = run("rewrite", path, "--out", tmp_path / "out.parquet", *options)
    assert done.exit_code == code and message in done.stderr, done.output
    assert not (tmp_path / "out.parquet").exists()
