"""ParquetDataset and read_pandas return pyarrow's results, through our datasets."""

from __future__ import annotations

import io
import pickle

import fsspec
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import Unsupported

FRAME = pd.DataFrame(
    {"year": [2023, 2023, 2024], "n": pd.array([1, None, 9_007_199_254_740_993], "Int64"), "text": ["a", "b", "a"]},
    index=pd.Index([7, 8, 9], name="id"),
)
TABLE = pa.Table.from_pandas(FRAME)


@pytest.fixture
def lake(tmp_path):
    parquetext.write_to_dataset(TABLE, tmp_path / "lake", ["year"], form="flat")
    return tmp_path / "lake"


def test_rows_schema_and_names_are_those_of_pyarrow(lake):
    ours, theirs = parquetext.ParquetDataset(lake), pq.ParquetDataset(lake)
    assert ours.schema.equals(theirs.schema, check_metadata=True)
    assert ours.read().equals(theirs.read())
    assert (ours.files, ours.filesystem) == (theirs.files, theirs.filesystem)
    assert [fragment.path for fragment in ours.fragments] == ours.files
    assert ours.partitioning.schema == theirs.partitioning.schema


def test_filters_leave_rows_out_and_columns_are_chosen(lake):
    filters = [("year", "=", 2023), ("n", ">", 0)]
    for given in (filters, (pc.field("year") == 2023) & (pc.field("n") > 0)):
        read = parquetext.ParquetDataset(lake, filters=given).read(["text"])
        assert read.to_pydict() == {"text": ["a"]}


@pytest.mark.parametrize(
    "wrong, error, text",
    [([("n", "=<", 3)], ValueError, '"=<" is not a valid operator'), ([("n", "in", 3)], TypeError, None)],
)
def test_an_invalid_filter_is_an_error_at_once(lake, wrong, error, text):
    with pytest.raises(error, match=text):
        parquetext.ParquetDataset(lake, filters=wrong)


def test_a_frame_comes_back_with_its_index_and_types(lake, tmp_path):
    path = tmp_path / "one.parquet"
    parquetext.write_table(TABLE, path)
    for read in (parquetext.read_pandas(path, ["n"]), parquetext.ParquetDataset(path).read_pandas(columns=["n"])):
        pd.testing.assert_frame_equal(read.to_pandas(), FRAME[["n"]])
    read = parquetext.ParquetDataset(lake).read(["text"], use_pandas_metadata=True)
    pd.testing.assert_frame_equal(read.to_pandas().sort_index(), FRAME[["text"]])


def test_metadata_of_pandas_is_also_taken_from_the_common_file(tmp_path):
    bare = TABLE.replace_schema_metadata(None)
    parquetext.write_table(bare, tmp_path / "part.parquet")
    pq.write_metadata(TABLE.schema, tmp_path / "_common_metadata")
    read = parquetext.ParquetDataset(tmp_path).read_pandas(columns=["text"])
    pd.testing.assert_frame_equal(read.to_pandas(), FRAME[["text"]])


def test_a_file_in_memory_is_read_like_one_with_a_path(tmp_path):
    sink = io.BytesIO()
    parquetext.write_table(TABLE, sink, form="flat")
    held = parquetext.ParquetDataset(sink, filters=[("n", "=", 1)])
    assert held.schema.equals(TABLE.schema, check_metadata=False)
    assert held.read(["text"])["text"].to_pylist() == ["a"]
    wider = pa.schema([("text", pa.large_string()), ("new", pa.int8())])
    read = parquetext.ParquetDataset(sink, schema=wider).read()
    assert read.schema.equals(wider)
    assert read["text"].to_pylist() == ["a", "b", "a"]
    with pytest.raises(Unsupported, match="no fragment"):
        held.fragments  # noqa: B018


def test_a_filesystem_is_ignored_for_a_file_in_memory():
    data = io.BytesIO()
    pq.write_table(TABLE, data)
    for filesystem in (pafs.LocalFileSystem(), fsspec.filesystem("memory")):
        for source in (data, pa.BufferReader(data.getvalue())):
            data.seek(0)
            expected = pq.read_table(source, filesystem=filesystem)
            assert parquetext.read_table(source, filesystem=filesystem).equals(expected)
            assert parquetext.ParquetDataset(source, filesystem=filesystem).read().equals(expected)
        with pytest.raises(TypeError):
            parquetext.read_table(5, filesystem=filesystem)
        for read in (pq.read_metadata, parquetext.read_metadata, pq.read_schema, parquetext.read_schema):
            with pytest.raises(ValueError, match="nothing to open with"):
                read(data, filesystem=filesystem)


def test_folders_above_a_single_file_name_no_columns(lake):
    (path, *_) = parquetext.ParquetDataset(lake).files
    assert "year" not in parquetext.ParquetDataset(path).schema.names


def test_equal_ones_have_the_same_files_schema_and_ways_of_reading(lake):
    first = parquetext.ParquetDataset(lake, read_dictionary=["text"])
    assert first == pickle.loads(pickle.dumps(first)) == parquetext.ParquetDataset(lake, read_dictionary=["text"])
    assert first != parquetext.ParquetDataset(lake)
    assert first != parquetext.ParquetDataset(first.files)
    assert pa.types.is_dictionary(first.read()["text"].type)
    with pytest.raises(TypeError, match="ParquetDataset"):
        first.equals(str(lake))


def test_a_path_object_is_no_path_of_another_filesystem(lake):
    memory = fsspec.filesystem("memory")
    with pytest.raises(TypeError, match="local filesystem"):
        parquetext.ParquetDataset(lake, filesystem=memory)
    part = pafs.SubTreeFileSystem(str(lake.parent), pafs.LocalFileSystem())
    assert parquetext.ParquetDataset("lake", filesystem=part).read().num_rows == 3
