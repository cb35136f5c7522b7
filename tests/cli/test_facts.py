"""schema, meta, columns, row-groups and count: their output as text and as JSON, for each footer form."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.cli_runs import documents, run
from support.described import ROWS, write
from support.typer_runner import CliRunner

import parquetext
from parquetext.cli.app import app
from parquetext.inspection.content.value_text import as_json


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("facts")


@pytest.fixture(scope="module", params=["thrift", "flat", "index"])
def path(folder, request):
    path = write(folder / f"{request.param}.parquet")
    if request.param != "thrift":
        parquetext.upgrade(path, form=request.param)
    return path


def test_the_schema_is_the_text_that_parquet_tools_print(path):
    lines = run("schema", path).stdout.splitlines()
    assert lines[0] == "message schema {" and lines[-1] == "}"
    assert "  optional int64 when (TIMESTAMP(MICROS,true));" in lines
    assert "    repeated group list {" in lines and "      optional binary element (STRING);" in lines
    assert "  optional int32 small (INTEGER(8,false));" in lines


def test_duckdb_makes_of_the_schema_the_table_that_it_makes_of_the_file(path):
    with duckdb.connect() as con:
        con.execute(run("schema", "--format", "duckdb", path).stdout)
        theirs = con.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
        assert con.sql(f"DESCRIBE {path.stem}").fetchall() == theirs


def test_the_schema_for_spark_has_the_types_of_spark(path):
    from parquetext.spark.source.spark_schema import spark_schema

    with parquetext.open(path) as file:
        theirs = {field.name: field.dataType.simpleString() for field in file._on_form(lambda f: spark_schema(f, None))}
    lines = run("schema", "--format", "spark", path).stdout.splitlines()
    assert lines[0].startswith("CREATE TABLE ") and lines[-1] == ") USING parquet;"
    ours = {}
    for line in lines[1:-1]:
        name, kind = line.strip().rstrip(",").removesuffix(" NOT NULL").split(" ", 1)
        ours[name.strip("`")] = kind.replace("`", "").replace(", ", ",").replace(": ", ":").lower()
    assert ours == theirs


def test_a_type_that_spark_lacks_is_an_error_that_names_the_column(tmp_path):
    pq.write_table(pa.table({"t": pa.array([1], pa.timestamp("ns"))}), tmp_path / "x.parquet")
    done = run("schema", "--format", "spark", tmp_path / "x.parquet")
    assert done.exit_code == 2 and "column 't': Spark has no type for timestamp[ns]" in done.stderr


def test_the_schema_as_json_is_a_tree(path):
    (document,) = documents("schema", path, "--format", "arrow")
    children = {child["name"]: child for child in document["schema"]["children"]}
    assert children["when"]["logical_type"] == {"name": "TIMESTAMP", "unit": "us", "utc": True}
    assert [child["name"] for child in children["pos"]["children"]] == ["x", "when"]
    assert "id: int64" in document["arrow"]


def test_meta_prints_pyarrows_values(path):
    (document,) = documents("meta", path)
    theirs = pq.read_metadata(path)
    assert document["created_by"] == theirs.created_by and document["num_rows"] == ROWS
    assert (document["num_row_groups"], document["num_columns"]) == (theirs.num_row_groups, theirs.num_columns)
    assert document["file_size_bytes"] == path.stat().st_size
    assert document["footer_form"] == path.stem and document["key_value_metadata"]["owner"] == "me"
    text = run("meta", path).stdout
    assert "key owner" in text and "…" not in text


def test_columns_print_pyarrows_values_over_all_row_groups(path):
    found = {document["path_in_schema"]: document for document in documents("columns", path)}
    theirs = pq.read_metadata(path)
    for leaf in range(theirs.num_columns):
        chunks = [theirs.row_group(group).column(leaf) for group in range(theirs.num_row_groups)]
        ours = found[chunks[0].path_in_schema]
        assert ours["stats_null_count"] == sum(chunk.statistics.null_count for chunk in chunks)
        assert ours["total_compressed_size"] == sum(chunk.total_compressed_size for chunk in chunks)
        assert ours["compression"] == ["SNAPPY"] and set(ours["encodings"]) >= set(chunks[0].encodings)
    assert (found["price"]["stats_min"], found["price"]["stats_max"]) == (1.5, 999 * 1.5 - 0.0)
    assert found["when"]["stats_min"].startswith("2024-01-01 00:00:00") and found["raw"]["stats_max"] == "ff00"
    assert found["amount"]["stats_max"] == "9.99"


def test_columns_per_row_group_have_their_placement(path):
    found = documents("columns", path, "pos", "--per-row-group")
    assert [(each["path_in_schema"], each["row_group_id"]) for each in found] == [
        (name, group) for name in ("pos.x", "pos.when") for group in range(4)
    ]
    theirs = pq.read_metadata(path).row_group(1).column(4)
    assert found[1]["data_page_offset"] == theirs.data_page_offset
    assert found[1]["dictionary_page_offset"] == theirs.dictionary_page_offset
    assert "8 chunks" in run("columns", "-g", path, "pos").stdout


def test_a_bound_that_one_row_group_lacks_is_not_printed_for_all(tmp_path):
    path = tmp_path / "x.parquet"
    with pq.ParquetWriter(path, pa.schema({"a": pa.float64()})) as writer:
        writer.write_table(pa.table({"a": [1.0, 2.0]}))
        writer.write_table(pa.table({"a": [float("nan")]}))
        writer.write_table(pa.table({"a": pa.array([None], pa.float64())}))
    (found,) = documents("columns", path)
    assert (found["stats_min"], found["stats_max"], found["stats_null_count"]) == (None, None, 1)


def test_a_column_that_is_not_there_is_an_error_that_names_it(path):
    done = run("columns", path, "nothing")
    assert done.exit_code == 2 and "nothing" in done.stderr and str(path) in done.stderr


def test_row_groups_end_with_their_sum(path):
    lines = run("row-groups", path).stdout.splitlines()
    assert lines[-1].split()[:3] == ["4", "groups", "1,000"]
    (document,) = documents("row-groups", path)
    assert [group["row_group_num_rows"] for group in document["row_groups"]] == [300, 300, 300, 100]


def test_row_groups_print_their_sort_order(tmp_path):
    path = tmp_path / "x.parquet"
    order = [pq.SortingColumn(1, descending=True), pq.SortingColumn(0)]
    pq.write_table(pa.table({"a": [1, 2], "b": [2, 1]}), path, sorting_columns=order)
    for form in ("thrift", "flat", "index"):
        if form != "thrift":
            parquetext.upgrade(path, form=form)
        assert [each["column"] for each in documents("row-groups", path)[0]["row_groups"][0]["sorting_columns"]] == [
            "b",
            "a",
        ]
        assert "b desc, a" in run("row-groups", path).stdout


def test_count_of_several_files_ends_with_the_sum(path, folder):
    other = write(folder / "other.parquet")
    done = run("count", path, other)
    assert [line.split() for line in done.stdout.splitlines()] == [
        [str(ROWS), str(path)],
        [str(ROWS), str(other)],
        [str(2 * ROWS), "total"],
    ]
    assert run("count", path).stdout.split() == [str(ROWS), str(path)]


def test_a_narrow_terminal_gets_short_lines_and_a_note_of_omissions(path, monkeypatch):
    from parquetext.cli import fact_tables

    monkeypatch.setattr(fact_tables, "line_width", lambda: 60)
    lines = run("columns", path).stdout.splitlines()
    assert max(map(len, lines[:-1])) <= 60
    assert lines[-1].startswith("no room for: encodings, min, max")


@pytest.mark.parametrize("command", ["schema", "columns", "count"])
def test_h_is_help(command):
    done = run(command, "-h")
    assert done.exit_code == 0 and "Usage" in done.output


def test_bounds_over_all_row_groups_are_those_of_the_values(tmp_path):
    """Few row groups and many, nulls, row groups without values, and every kind of type."""
    values = {
        "i8": pa.array([3, -7, None, 100, 5, 6], pa.int8()),
        "u64": pa.array([3, 2**64 - 1, None, 100, 5, 6], pa.uint64()),
        "f32": pa.array([1.5, -2.5, None, 0.25, 7.75, 1.0], pa.float32()),
        "f64": [1.5, -2.5, None, 1e300, 7.75, 1.0],
        "text": ["b", "é", None, "zz", "z", "a"],
        "day": pa.array([5, -3, None, 100, 7, 8], pa.date32()),
        "flag": [True, False, None, True, True, True],
        "amount": pa.array([Decimal("1.50"), Decimal("-20.25"), None, Decimal("3.00"), None, None]),
    }
    for times in (1, 2, 30):
        path = tmp_path / f"{times}.parquet"
        table = pa.table({name: pa.chunked_array([array] * times) for name, array in values.items()})
        pq.write_table(table, path, row_group_size=1)
        for record in documents("columns", path):
            column = table[record["path_in_schema"]]
            bounds = (as_json(pc.min(column)), as_json(pc.max(column)))
            assert (record["stats_min"], record["stats_max"]) == bounds, record
            assert record["stats_null_count"] == column.null_count


def test_bounds_are_written_as_in_rows(tmp_path):
    path = tmp_path / "flags.parquet"
    pq.write_table(pa.table({"flag": [True, False]}), path, write_page_index=True)
    for command in ("columns", "columns -g", "pages"):
        shown = CliRunner().invoke(app, [*command.split(), str(path)]).stdout.split()
        assert {"false", "true"} <= set(shown) and not {"False", "True"} & set(shown), command


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (1, pa.timestamp("ns"), "1970-01-01 00:00:00.000000001"),
        (1_000_000, pa.timestamp("us"), "1970-01-01 00:00:01"),
        (1_001_000, pa.timestamp("us"), "1970-01-01 00:00:01.001000"),
        (3_723_000_004, pa.time64("us"), "01:02:03.000004"),
        (3_723_000_000, pa.time64("us"), "01:02:03"),
    ],
    ids=str,
)
def test_fractions_of_a_second_that_begin_with_zeros_stay(tmp_path, value, kind, text):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"at": pa.array([value], kind)}), path)
    for options in ((), ("--per-row-group",)):
        assert run("columns", path, *options).stdout.count(text + "  ") == 2
