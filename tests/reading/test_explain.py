"""`explain` states the row groups, pages, bytes and decoders that a read uses."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import kernels
from parquetext.errors import ColumnError

ROWS = 1000
FILTER = [("a", ">=", 450), ("a", "<", 460)]


@pytest.fixture
def path(tmp_path) -> str:
    """A file of ten row groups with pages of twenty rows, an index of them, and a Bloom filter of `b`."""
    table = pa.table({"a": range(ROWS), "b": [2 * row for row in range(ROWS)], "c": [[row] for row in range(ROWS)]})
    path = str(tmp_path / "x.parquet")
    options = {"write_page_index": True, "use_dictionary": False, "bloom_filter_options": {"b": {"ndv": 100}}}
    pq.write_table(table, path, row_group_size=100, data_page_size=20, write_batch_size=20, **options)
    return path


@pytest.fixture
def source(path):
    with parquetext.open(path) as file:
        yield file


def stored_bytes(path: str, columns: list[int], row_groups: list[int]) -> int:
    metadata = pq.read_metadata(path)
    return sum(
        metadata.row_group(group).column(column).total_compressed_size for column in columns for group in row_groups
    )


def test_all_row_groups_are_read_without_a_filter(path, source):
    plan = source.explain(["a", "b"])
    assert [each.reason for each in plan.row_groups] == ["no filter"] * 10
    assert all(each.is_read and each.pages is None for each in plan.row_groups)
    assert plan.bytes_to_fetch == stored_bytes(path, [0, 1], list(range(10)))


def test_only_requested_row_groups_are_part_of_the_plan(path, source):
    plan = source.explain(["a"], [7, 2])
    assert [each.row_group for each in plan.row_groups] == [7, 2]
    assert plan.bytes_to_fetch == stored_bytes(path, [0], [2, 7])


def test_statistics_rule_out_row_groups(path, source):
    plan = source.explain(["b"], filters=FILTER)
    assert [each.row_group for each in plan.row_groups if each.is_read] == [4]
    assert plan.row_groups[4].reason == "may contain matching rows"
    assert {each.reason for each in plan.row_groups if not each.is_read} == {"ruled out by statistics"}
    assert plan.bytes_to_fetch == stored_bytes(path, [0, 1], [4])
    assert [each.column for each in plan.columns] == ["b", "a"]


def test_bloom_filters_are_named_if_they_rule_out_a_row_group(source):
    plan = source.explain(["b"], filters=[("b", "=", 301)])
    assert [each.reason for each in plan.row_groups if not each.is_read] == [
        "ruled out by Bloom filters" if each.row_group == 1 else "ruled out by statistics" for each in plan.row_groups
    ]


def test_our_decoder_skips_pages_and_reads_as_planned(path, source):
    plan = source.explain(["b"], filters=FILTER, engine="parquetext")
    (group,) = (each for each in plan.row_groups if each.is_read)
    assert group.pages == 10 and group.pages_read == 2
    assert 0 < plan.bytes_to_fetch < stored_bytes(path, [0, 1], [4])
    assert {each.decoder for each in plan.columns} == {"parquetext"}
    assert source.read(["b"], filters=FILTER, engine="parquetext")["b"].to_pylist() == list(range(900, 920, 2))


@pytest.mark.parametrize(
    ("engine", "decoder", "reason"),
    [
        ("pyarrow", "pyarrow", "requested by engine='pyarrow'"),
        ("parquetext", "parquetext", "requested by engine='parquetext'"),
        ("auto", "pyarrow", "engine='auto', and no chunk has a copy"),
    ],
)
def test_engines_choose_decoders(source, engine, decoder, reason):
    plan = source.explain(engine=engine)
    assert [(each.decoder, each.reason) for each in plan.columns] == [(decoder, reason)] * 3


def test_options_of_pyarrow_choose_pyarrow(source):
    (column,) = source.explain(["a"], page_checksum_verification=True).columns
    assert (column.decoder, column.reason) == ("pyarrow", "options of pyarrow's reader are given")


def test_many_values_choose_our_decoder(tmp_path):
    pq.write_table(pa.table({"n": pa.array(range(300_000), pa.int64())}), tmp_path / "n.parquet")
    with parquetext.open(tmp_path / "n.parquet") as file:
        (column,) = file.explain().columns
    assert column.decoder == ("parquetext" if kernels.implementation() == "native" else "pyarrow")


def test_copies_are_named_as_the_decoder(path):
    parquetext.encode(path, {"a": "plain"})
    with parquetext.open(path) as file:
        assert {each.decoder for each in file.explain(engine="auto").columns} == {"encoded copies"}


def test_an_unknown_column_raises_the_error_of_read(source):
    with pytest.raises(ColumnError, match="no column 'd'"):
        source.explain(["d"])


def test_the_representation_is_a_table(source):
    text = repr(source.explain(["b"], filters=FILTER))
    assert "row groups: 1 of 10" in text and "ruled out by statistics" in text and "column  decoder" in text
    assert "<table>" in source.explain()._repr_html_()


def test_a_dataset_explains_each_file(tmp_path):
    for day in (1, 2, 3):
        (tmp_path / f"day={day}").mkdir()
        table = pa.table({"id": range(100 * day, 100 * day + 100)})
        pq.write_table(table, tmp_path / f"day={day}" / "x.parquet", row_group_size=20)
    lake = parquetext.dataset(tmp_path)
    plan = lake.explain(["id"], filter=[("id", ">", 250), ("day", "<", 3)])
    assert [each.is_read for each in plan.files] == [False, True, False]
    explained = plan.files[1].explanation
    assert [each.is_read for each in explained.row_groups] == [False, False, True, True, True]
    assert plan.bytes_to_fetch == explained.bytes_to_fetch > 0
    assert "files: 1 of 3" in repr(plan)
    assert [each.reason for each in lake.explain().files] == ["no filter"] * 3


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", "parquetext", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_command_prints_the_plan(path, source):
    arguments = ("explain", path, "--column", "b", "--where", "a >= 450", "--where", "a < 460")
    lines = run(*arguments).splitlines()
    assert lines[0].split() == ["group", "rows", "plan", "pages", "bytes", "reason"]
    assert lines[5].split()[:3] == ["4", "100", "read"]
    found = json.loads(run(*arguments, "--json"))
    expected = source.explain(["b"], filters=FILTER).as_dict()
    assert found["row_groups"] == expected["row_groups"] and found["bytes_to_fetch"] == expected["bytes_to_fetch"]
