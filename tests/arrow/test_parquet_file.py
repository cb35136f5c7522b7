"""`ParquetFile` and `read_metadata` against pyarrow's."""

from __future__ import annotations

import inspect
import io
import os

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable

import parquetext
from parquetext.errors import LimitExceeded

FORMS = ["thrift", "flat", "index"]
TABLE = pa.table(
    {
        "id": range(6),
        "place": [{"x": n, "y": str(n)} for n in range(6)],
        "tags": [["a", "b"]] * 6,
        "name": [f"n{n}" for n in range(6)],
    },
    metadata={"whose": "ours"},
)


@pytest.fixture(params=FORMS)
def path(request, tmp_path) -> str:
    path = str(tmp_path / "data.parquet")
    parquetext.write_table(TABLE, path, row_group_size=2, form=request.param)
    return path


def assert_same(ours: pa.Table, theirs: pa.Table) -> None:
    assert ours.schema.equals(theirs.schema, check_metadata=True)
    assert ours.equals(theirs)


@pytest.mark.parametrize("name", ["ParquetFile", "read_metadata"])
def test_the_parameters_are_pyarrows(name):
    theirs = inspect.signature(getattr(pq, name)).parameters
    ours = inspect.signature(getattr(parquetext, name))
    for parameter in theirs.values():
        assert ours.parameters[parameter.name].default == parameter.default
        assert ours.parameters[parameter.name].kind == parameter.kind


@pytest.mark.parametrize(
    "columns",
    [
        None,
        [],
        ["id"],
        ["name", "id"],
        ["place.y"],
        ["place", "place.x"],
        ["tags"],
        ["id", "id"],
        [0, None, b"id", "id"],
        ["none", "id"],
        "id",
    ],
)
def test_columns_are_those_that_pyarrow_reads(path, columns):
    with parquetext.ParquetFile(path) as ours, pq.ParquetFile(path) as theirs:
        assert_same(ours.read(columns), theirs.read(columns))
        assert_same(ours.read_row_group(1, columns=columns), theirs.read_row_group(1, columns=columns))
        assert_same(ours.read_row_groups([2, 0], columns), theirs.read_row_groups([2, 0], columns))
        batches = [pa.Table.from_batches(each.iter_batches(4, [1, 2], columns)) for each in (ours, theirs)]
        assert_same(*batches)


PLACES = pa.array([{"b": 1, "c": "q"}, {"b": 2, "c": None}])
NUMBERS = pa.array([7, 8])
DOUBLES = {
    "flat": pa.Table.from_arrays([NUMBERS, PLACES, NUMBERS], ["x", "y", "x"]),
    "groups": pa.Table.from_arrays([PLACES, NUMBERS, PLACES], ["x", "y", "x"]),
    "a leaf and a group": pa.Table.from_arrays([PLACES, NUMBERS], ["x", "x"]),
    "fields": pa.Table.from_arrays([pa.StructArray.from_arrays([NUMBERS, NUMBERS], ["b", "b"]), NUMBERS], ["x", "y"]),
    "a field and a name with a dot": pa.Table.from_arrays([PLACES, NUMBERS, PLACES], ["x", "x.b", "x"]),
    "lists": pa.Table.from_arrays([pa.array([[1], [2, 3]]), pa.array([["a"], None])], ["x", "x"]),
}


@pytest.mark.parametrize("engine", ["pyarrow", "parquetext"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("table", DOUBLES.values(), ids=DOUBLES)
def test_a_duplicate_name_selects_all_its_columns(tmp_path, table, form, engine):
    path = tmp_path / "data.parquet"
    parquetext.write_table(table, path, row_group_size=1, form=form)
    with parquetext.ParquetFile(path, engine=engine) as ours, pq.ParquetFile(path) as theirs:
        for columns in (["x"], ["y", "x"], ["x", "x"], ["x.b"], ["x.b", "x"], ["x", "x.b"], ["x.list.element", "y"]):
            assert_same(ours.read(columns), theirs.read(columns))
            assert_same(ours.read_row_group(1, columns), theirs.read_row_group(1, columns))
            batches = [pa.Table.from_batches(each.iter_batches(columns=columns)) for each in (ours, theirs)]
            assert_same(*batches)


def test_metadata_are_pyarrows(path):
    with parquetext.ParquetFile(path) as ours, pq.ParquetFile(path) as theirs:
        assert ours.schema_arrow.equals(theirs.schema_arrow, check_metadata=True)
        assert ours.schema.equals(theirs.schema)
        assert ours.metadata == theirs.metadata
        assert ours.num_row_groups == theirs.num_row_groups == 3
        assert ours.scan_contents(["id", "name"], batch_size=4) == theirs.scan_contents(["id", "name"]) == 6
        assert [len(batch) for batch in ours.iter_batches(1000)] == [len(batch) for batch in theirs.iter_batches(1000)]
        assert ours.read_row_groups([]).num_rows == 0


def test_counts_may_be_floats(path):
    for opened, made in ((pq.ParquetFile, ds.dataset), (parquetext.ParquetFile, parquetext.dataset)):
        with opened(path) as file:
            assert [len(batch) for batch in file.iter_batches(4.0)] == [4, 2]
            assert file.read_row_groups([1.0]) == file.read_row_group(1.0) == file.read_row_group(1)
        assert max(len(batch) for batch in made(path).to_batches(batch_size=1.0)) == 1


def test_the_corpus_is_read_as_pyarrow_reads_it(corpus, expected):
    count = 0
    for file in readable(corpus, expected)[::4]:
        if file.stat().st_size > 1 << 16:
            continue
        with parquetext.ParquetFile(file) as ours, pq.ParquetFile(file) as theirs:
            assert ours.schema_arrow.equals(theirs.schema_arrow, check_metadata=True), file
            wanted = outcome(theirs.read)
            found = outcome(ours.read)
            assert found == wanted or str(found) == str(wanted), file  # a NaN equals nothing
            if isinstance(wanted, pa.Table):
                assert found.schema.equals(wanted.schema, check_metadata=True), file
                count += 1
    assert count > 40


def outcome(read):
    try:
        return read()
    except (pa.ArrowException, OSError):
        return "an error"


@pytest.mark.parametrize("row_group", [-1, 3])
def test_a_row_group_that_is_not_there_is_an_error_of_pyarrows_too(path, row_group):
    with parquetext.ParquetFile(path) as file:
        for read in (lambda: file.read_row_group(row_group), lambda: file.iter_batches(row_groups=[row_group])):
            with pytest.raises(pa.ArrowInvalid, match=f"row group {row_group}: the file has 3") as caught:
                read()
            assert isinstance(caught.value, IndexError)
        with pytest.raises(ValueError, match="batch_size must be greater than zero"):
            file.iter_batches(0)


@pytest.mark.parametrize(
    "options",
    [
        {"read_dictionary": ["name"]},
        {"read_dictionary": [-1, 10_000]},
        {"binary_type": pa.binary_view()},
        {"list_type": pa.LargeListType},
        {"buffer_size": 4096, "pre_buffer": False},
        {"page_checksum_verification": True, "arrow_extensions_enabled": False},
        {"memory_map": True},
        {"coerce_int96_timestamp_unit": "ms"},
    ],
)
def test_options_have_the_effects_of_pyarrows(path, options):
    with parquetext.ParquetFile(path, **options) as ours, pq.ParquetFile(path, **options) as theirs:
        assert ours.schema_arrow.equals(theirs.schema_arrow, check_metadata=True)
        assert_same(ours.read(), theirs.read())
        assert_same(ours.read(["id"]), theirs.read(["id"]))
        assert [batch.schema for batch in ours.iter_batches(4)] == [batch.schema for batch in theirs.iter_batches(4)]


def test_limits_hold_from_the_start(path):
    with pytest.raises(LimitExceeded):
        parquetext.ParquetFile(path, thrift_string_size_limit=10)


def test_a_file_object_of_the_callers_stays_open(path):
    with open(path, "rb") as source:
        with parquetext.ParquetFile(source) as file:
            assert_same(file.read(), pq.read_table(path))
        assert not source.closed
        assert not file.closed
        file.close(force=True)
        assert source.closed
        assert file.closed


def test_sources_other_than_paths(path):
    folder, name = os.path.split(path)
    filesystem = pafs.SubTreeFileSystem(folder, pafs.LocalFileSystem())
    with open(path, "rb") as source:
        data = source.read()
    for given, options in [
        (io.BytesIO(data), {}),
        (pa.BufferReader(data), {}),
        (name, {"filesystem": filesystem}),
        (data, {}),
    ]:
        with parquetext.ParquetFile(given, **options) as file:
            assert_same(file.read(), pq.read_table(path))
            assert file.metadata == pq.read_metadata(path)
        assert parquetext.read_metadata(given, **options).num_rows == 6


def test_given_metadata_replaces_that_of_the_file(path):
    theirs, ours = pq.read_metadata(path), parquetext.read_metadata(path)
    for metadata in (theirs, ours):
        with parquetext.ParquetFile(path, metadata=metadata) as file:
            assert file._file.form == "thrift"
            assert file.metadata == theirs
            assert_same(file.read(["name"]), pq.read_table(path, columns=["name"]))
    with pytest.raises(TypeError, match="got int"):
        parquetext.ParquetFile(path, metadata=5)


def test_a_pandas_index_comes_along(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=pd.Index(["x", "y"], name="key"))
    path, bare = tmp_path / "frame.parquet", tmp_path / "bare.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path)
    pq.write_table(pa.Table.from_pandas(frame).replace_schema_metadata(), bare)
    pd.testing.assert_frame_equal(
        parquetext.ParquetFile(path).read(["b"], use_pandas_metadata=True).to_pandas(), frame[["b"]]
    )
    assert parquetext.read_pandas(path, ["b"]).equals(pq.read_pandas(path, ["b"]))
    pd.testing.assert_frame_equal(parquetext.read_pandas(path, columns=["b"]).to_pandas(), frame[["b"]])
    for common in (pq.read_metadata(path), parquetext.read_metadata(path)):
        file = parquetext.ParquetFile(bare, common_metadata=common)
        assert file.read(["b"], use_pandas_metadata=True).column_names == ["b", "key"]


def test_metadata_answers_after_close_and_values_do_not(path):
    file = parquetext.ParquetFile(path)
    file.close()
    assert file.closed
    assert file.metadata.row_group(0).num_rows == 2
    with pytest.raises(ValueError, match="closed"):
        file.read()


def test_encrypted_files_are_left_to_pyarrow(path):
    with pytest.raises(TypeError, match="decryption_properties"):
        parquetext.ParquetFile(path, decryption_properties=5)


def test_every_public_name_of_pyarrow_parquet_is_there():
    theirs = {name for name, thing in vars(pq).items() if not (name.startswith("_") or inspect.ismodule(thing))}
    assert theirs <= {*parquetext.__all__}
    assert parquetext.SortingColumn is pq.SortingColumn


def test_read_metadata_returns_the_public_classes(tmp_path):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "x.parquet")
    metadata = parquetext.read_metadata(tmp_path / "x.parquet")
    assert isinstance(metadata, parquetext.FileMetaData)
    assert isinstance(metadata.row_group(0), parquetext.RowGroupMetaData)
    assert isinstance(metadata.row_group(0).column(0), parquetext.ColumnChunkMetaData)
    assert isinstance(metadata.schema, parquetext.ParquetSchema)
