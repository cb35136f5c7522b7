"""Files without path_in_schema, which pyarrow alone refuses, are read, changed and verified: the schema tells it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of
from support.paths_omitted import omit_paths

import parquetext
from parquetext import kernels, wire
from parquetext.catalog import batches_of
from parquetext.inspection.integrity.inspection import inspect

ROWS = 300
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "text": [None if n % 7 == 0 else f"value {n}" for n in range(ROWS)],
        "place": [{"x": n, "y": {"deep": str(n)}} for n in range(ROWS)],
        "tags": [["a"] * (n % 3) for n in range(ROWS)],
        "pairs": pa.array([[("k", n)] for n in range(ROWS)], pa.map_(pa.string(), pa.int32())),
        "a.b": pa.array(range(ROWS), pa.int16()),
    }
)
# parquet-testing of Apache Parquet, data/no_path_in_schema.zstd.parquet (pull request 108), Apache License 2.0.
PUBLIC = Path(__file__).parents[1] / "data" / "no_path_in_schema.zstd.parquet"
FORMS = ("thrift", "flat", "index")


@pytest.fixture
def bare(tmp_path) -> Path:
    pq.write_table(TABLE, tmp_path / "whole.parquet", row_group_size=100, write_page_checksum=True)
    return omit_paths(tmp_path / "whole.parquet", tmp_path / "bare.parquet")


@pytest.fixture(params=FORMS)
def path(request, bare) -> Path:
    """The file in each form of the footer that has slices."""
    if request.param != "thrift":
        parquetext.upgrade(bare, form=request.param)
    with parquetext.open(bare) as file:
        assert file.form == request.param
    return bare


def test_pyarrow_alone_refuses_such_a_file(bare):
    with pytest.raises(OSError, match="Couldn't deserialize thrift"):
        pq.read_table(bare)


def test_whole_tables_are_read(path, implementation):
    assert parquetext.read_table(path, key_values=True).equals(TABLE)


@pytest.mark.parametrize("columns", [["id"], ["a.b", "text"], ["tags", "pairs"]], ids=str)
def test_columns_are_read(path, columns, implementation):
    assert parquetext.read_table(path, columns).equals(TABLE.select(columns))


def test_parts_of_a_struct_are_read(path, implementation):
    deep = parquetext.read_table(path, [("place", "y", "deep")])
    assert deep.column("place").to_pylist() == [{"y": {"deep": str(n)}} for n in range(ROWS)]


def test_row_groups_batches_and_filters_are_read(path, implementation):
    with parquetext.open(path) as file:
        assert file.read(["id"], [2, 0]).column("id").to_pylist() == [*range(200, 300), *range(100)]
        batches = file.iter_batches(["id", "tags"], batch_size=64)
        assert pa.Table.from_batches(batches).equals(TABLE.select(["id", "tags"]))
        assert file.schema.equals(TABLE.schema)
    kept = parquetext.read_table(path, ["text"], filters=[("id", ">", 290)])
    assert kept.column("text").to_pylist() == TABLE.column("text").to_pylist()[291:]


def test_datasets_and_catalogs_have_such_files(path, implementation):
    rows = parquetext.dataset([path]).to_table(columns=["id"], filter=pc.field("id") < 5)
    assert rows.column("id").to_pylist() == list(range(5))
    catalog = pa.Table.from_batches(batches_of([path]))
    assert catalog.num_rows == 3 * 8 and catalog.column("error").null_count == catalog.num_rows
    assert inspect(path).rows == ROWS


def test_a_slice_of_one_chunk_has_the_path_at_its_offset(bare, implementation):
    footer = footer_of(bare.read_bytes())
    scan = kernels.scan.scan(footer)
    assert not any(present & wire.PRESENT_PATH_IN_SCHEMA for present in scan.chunks("present"))
    slices = kernels.slice.slice_footer(scan, [3], [0])
    chunk = kernels.thrift.path(slices, [wire.FILE_META_DATA_ROW_GROUPS, 0, wire.ROW_GROUP_COLUMNS, 0, 3])
    ids = [field[0] for field in kernels.thrift.fields(slices, chunk[1])]
    assert ids[:5] == [1, 2, 3, 4, 5] and ids == sorted(ids)
    assert kernels.scan.scan(slices).chunks("present")[0] & wire.PRESENT_PATH_IN_SCHEMA


@pytest.mark.parametrize("form", ["flat", "index"])
def test_upgrade_is_taken_back_byte_for_byte(bare, form, implementation):
    before = bare.read_bytes()
    assert parquetext.upgrade(bare, form=form).outcome == "upgraded"
    assert bare.read_bytes() != before
    parquetext.strip(bare)
    assert bare.read_bytes() == before


def test_finalize_is_taken_back_byte_for_byte(bare, implementation):
    before = bare.read_bytes()
    parquetext.finalize(bare, confirm=True)
    with parquetext.open(bare) as file:
        assert file.form == "par3" and file.read().equals(TABLE.replace_schema_metadata())
    assert parquetext.verify(bare, deep=True).ok
    parquetext.restore(bare)
    assert bare.read_bytes() == before


def test_verification_decodes_such_a_file_and_adds_a_note(path, implementation):
    report = parquetext.verify(path, deep=True)
    assert report.ok and report.rows == ROWS
    assert [(note.kind, note.is_note) for note in report.findings] == [("path-omitted", True)]
    assert "24 column chunks" in report.findings[0].message


@pytest.mark.parametrize("form", FORMS)
def test_a_public_file_is_read(form, tmp_path, implementation):
    path = shutil.copy(PUBLIC, tmp_path / "public.parquet")
    if form != "thrift":
        parquetext.upgrade(path, form=form)
    table = parquetext.read_table(path)
    assert table.column("b").to_pylist() == [1] * 6 and table.schema.names == ["a", "b", "c"]
    assert table.column("a").to_pylist()[0] == [("a", [(1, True), (2, False)])]
    assert parquetext.verify(path, deep=True).ok
