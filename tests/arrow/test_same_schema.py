"""Fields, extension types and nested dictionaries come as pyarrow gives them."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import parquetext

INNER = [pa.field("a", pa.int64(), False, {"unit": "m"}), pa.field("b", pa.struct([pa.field("c", pa.int8(), False)]))]
SCHEMA = pa.schema([pa.field("s", pa.struct(INNER)), pa.field("n", pa.int64(), False, {"unit": "s"})], {"by": "a test"})
ROWS = {"s": [{"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 2}}], "n": [1, 2]}
COLUMNS = [
    ["s.a", "n"],
    ["s.b.c", "n"],
    ["n", "s.b", "s"],
    {"q": pc.field("s", "a"), "m": pc.field("n"), "sum": pc.field("n") + 1},
]


@pytest.fixture
def fields(tmp_path) -> str:
    path = tmp_path / "fields.parquet"
    pq.write_table(pa.table(ROWS, schema=SCHEMA), path)
    return str(path)


@pytest.mark.parametrize("columns", COLUMNS, ids=["leaf", "deep leaf", "groups", "expressions"])
class TestFieldsKeepTheirMetadataAndWhetherTheyMayBeNull:
    def test_in_a_table(self, fields, columns):
        theirs = pq.read_table(fields, columns=columns)
        ours = parquetext.read_table(fields, columns=columns)
        assert ours.schema.equals(theirs.schema, check_metadata=True) and ours.equals(theirs)

    def test_in_a_scan(self, fields, columns):
        theirs = ds.dataset(fields).scanner(columns=columns)
        ours = parquetext.dataset(fields).scanner(columns=columns)
        assert ours.projected_schema.equals(theirs.projected_schema, check_metadata=True)
        assert ours.to_table().schema.equals(theirs.to_table().schema, check_metadata=True)


def uuids(rows: int) -> pa.Table:
    keys = pa.array([bytes([row] * 16) for row in range(rows)], pa.uuid())
    lists = pa.ListArray.from_arrays(list(range(rows + 1)), keys)
    return pa.table({"key": keys, "s": pa.StructArray.from_arrays([keys], ["key"]), "l": lists})


class TestExtensionTypesInNestedColumns:
    @pytest.mark.parametrize("rows", [0, 3])
    def test_a_dataset_gives_them(self, tmp_path, rows):
        pq.write_table(uuids(rows), tmp_path / "x.parquet")
        lake = parquetext.dataset(tmp_path)
        for found in (lake.to_table(), lake.head(9), lake.to_reader().read_all(), lake.take(list(range(rows)))):
            assert found.equals(uuids(rows))
        assert lake.to_table(filter=pc.field("s").is_valid()).num_rows == rows
        assert lake.to_table(filter=pc.field("s").is_null()).equals(uuids(0))

    def test_options_of_a_folder_change_nothing_of_them(self, tmp_path):
        pq.write_table(uuids(3), tmp_path / "x.parquet", store_schema=False)
        for options in ({}, {"pre_buffer": False}, {"arrow_extensions_enabled": False}):
            assert parquetext.read_table(tmp_path, **options).schema == pq.read_table(tmp_path, **options).schema
        lake = parquetext.dataset(tmp_path)
        assert lake.to_pyarrow().schema == lake.to_pyarrow().to_table().schema == lake.schema


def test_nested_columns_with_a_dictionary_in_each_row_group(tmp_path):
    words = pa.array(["a", "b", "a", None, "c", "b"]).dictionary_encode()
    lists = pa.ListArray.from_arrays([0, 1, 2, 3, 4, 5, 6], words)
    table = pa.table({"l": lists, "s": pa.StructArray.from_arrays([words], ["word"]), "n": range(6)})
    path = tmp_path / "x.parquet"
    pq.write_table(table, path, row_group_size=2)
    for columns in (None, ["l"], ["s", "n"]):
        theirs = pq.read_table(path, columns=columns, filters=[("n", ">", 1)])
        assert parquetext.read_table(path, columns, [("n", ">", 1)]).equals(theirs)
        assert parquetext.dataset(path).to_table(columns, [("n", ">", 1)]).equals(theirs)
    with parquetext.open(path) as file:
        assert file.read(row_groups=[2, 0]).to_pylist() == [*table.to_pylist()[4:], *table.to_pylist()[:2]]
