"""pyarrow's names, parameters and their order: a call that is right there is right here."""

from __future__ import annotations

import inspect

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.arrow.datasets.fragments import Fragment
from parquetext.arrow.datasets.scanner import Scanner

CLASSES = {
    "ParquetFile": (parquetext.ParquetFile, pq.ParquetFile),
    "ParquetDataset": (parquetext.ParquetDataset, pq.ParquetDataset),
    "ParquetWriter": (parquetext.ParquetWriter, pq.ParquetWriter),
    "FileMetaData": (parquetext.FileMetaData, pq.FileMetaData),
    "RowGroupMetaData": (parquetext.RowGroupMetaData, pq.RowGroupMetaData),
    "Dataset": (parquetext.arrow.datasets.dataset.Dataset, ds.FileSystemDataset),
    "UnionDataset": (parquetext.arrow.datasets.dataset.Dataset, ds.UnionDataset),
    "Scanner": (Scanner, ds.Scanner),
    "Fragment": (Fragment, ds.ParquetFileFragment),
}
FUNCTIONS = ["read_table", "read_pandas", "read_schema", "read_metadata", "write_table", "write_metadata"]
FUNCTIONS += ["write_to_dataset"]
# Documented members: `schema` exists on every dataset, `from_paths` does not.
MISSING = {"schema", "from_paths"}
OTHER_DEFAULTS = {
    ("read_table", "pre_buffer"),
    ("write_table", "write_page_index"),
    ("ParquetWriter", "write_page_index"),
}
OTHER_DEFAULTS |= {("dataset", "partitioning")}


def assert_takes_the_same(name: str, ours: object, theirs: object) -> None:
    """Each parameter of pyarrow's: by name, by place where it has one, with its default."""
    ours, theirs = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    for position, parameter in enumerate(theirs.values()):
        if parameter.kind is parameter.VAR_KEYWORD:
            assert any(each.kind is each.VAR_KEYWORD for each in ours.values())
            continue
        found = ours[parameter.name]
        assert (name, parameter.name) in OTHER_DEFAULTS or found.default == parameter.default
        if parameter.kind is not parameter.KEYWORD_ONLY:
            assert found.kind is parameter.kind and list(ours).index(parameter.name) == position


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    assert_takes_the_same(name, getattr(parquetext, name), getattr(pq, name))


def test_dataset():
    assert_takes_the_same("dataset", parquetext.dataset, ds.dataset)


@pytest.mark.parametrize("name", ["ParquetFile", "ParquetDataset", "ParquetWriter"])
def test_classes_that_callers_construct_have_pyarrows_parameters(name):
    assert_takes_the_same(name, *CLASSES[name])


@pytest.mark.parametrize("name", CLASSES)
def test_attributes_and_methods(name):
    ours, theirs = CLASSES[name]
    public = [each for each in dir(theirs) if not each.startswith("_") and each not in MISSING]
    assert [each for each in public if not hasattr(ours, each)] == []
    for each in public:
        assert callable(getattr(ours, each)) == callable(getattr(theirs, each)), each
        if callable(getattr(theirs, each)):
            assert_takes_the_same(each, getattr(ours, each), getattr(theirs, each))
