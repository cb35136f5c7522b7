"""Columns outlive their file; files and columns pickle by path and version."""

from __future__ import annotations

import os
import pickle

import pyarrow as pa
import pyarrow.fs as pafs
import pytest

import parquetext
from parquetext.errors import Conflict

pytestmark = pytest.mark.usefixtures("implementation")


@pytest.fixture(params=["thrift", "flat", "index"])
def path(request, tmp_path) -> str:
    path = str(tmp_path / "data.parquet")
    table = pa.table({"id": range(6), "place": [{"x": n} for n in range(6)]})
    parquetext.write_table(table, path, row_group_size=2, form=request.param)
    return path


def facts(column) -> tuple:
    return column.name, column.min.to_pylist(), list(column.num_rows), column.physical_type, column.field_id


def test_a_column_answers_after_its_file_was_closed_and_removed(path):
    with parquetext.open(path) as file:
        column = file.column("place.x")
    os.remove(path)
    assert facts(column) == ("place.x", [0, 2, 4], [2, 2, 2], "INT64", None)
    with pytest.raises(ValueError, match="closed"):
        _ = file.num_rows


def test_the_last_column_closes_the_footer(path):
    file = parquetext.open(path)
    source, columns = file._source, file.columns()
    file.close()
    assert columns[1].name == "place.x"
    assert source.fd >= 0
    del columns
    assert source.fd == -1


def test_a_file_without_columns_taken_closes_at_once(path):
    with parquetext.open(path) as file:
        source = file._source
        assert list(file.column("id").num_rows) == [2, 2, 2]
    assert source.fd == -1
    file.close()


def test_files_and_columns_pickle(path, monkeypatch):
    monkeypatch.chdir(os.path.dirname(path))
    with parquetext.open(os.path.basename(path)) as file:
        column = file.column("place.x")
        pickled_file, pickled = pickle.dumps(file), pickle.dumps(column)
    pickled_after = pickle.dumps(column)
    monkeypatch.chdir("/")
    with pickle.loads(pickled_file) as again:
        assert type(again) is type(file)
        assert (again.form, again.read()) == (file.form, parquetext.read_table(path))
    for data in (pickled, pickled_after):
        assert facts(pickle.loads(data)) == facts(column)


def test_a_file_of_a_filesystem_pickles(path):
    filesystem = pafs.SubTreeFileSystem(os.path.dirname(path), pafs.LocalFileSystem())
    with parquetext.open((filesystem, os.path.basename(path))) as file, pickle.loads(pickle.dumps(file)) as again:
        assert again.num_rows == 6


def test_a_file_that_was_replaced_is_a_conflict(path):
    with parquetext.open(path) as file:
        pickled = pickle.dumps(file), pickle.dumps(file.column("id"))
    parquetext.write_table(pa.table({"id": range(6)}), path)
    for data in pickled:
        with pytest.raises(Conflict, match="replaced or changed") as caught:
            pickle.loads(data)
        assert caught.value.file == path


def test_a_file_that_is_gone_is_not_found(path):
    with parquetext.open(path) as file:
        pickled = pickle.dumps(file)
    os.remove(path)
    with pytest.raises(FileNotFoundError):
        pickle.loads(pickled)


def test_a_closed_file_does_not_pickle(path):
    with parquetext.open(path) as file:
        pass
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(file)
