"""Every public object is the same after it was pickled or copied, or it refuses at once."""

from __future__ import annotations

import copy
import inspect
import io
import os
import pickle
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pytest
from support.journals import leave_half_changed
from support.systems import replaces_open_files

import parquetext
from parquetext import errors, sidecar, storage
from parquetext.arrow.planned import open_planned
from parquetext.errors import Conflict, ParquetextError
from parquetext.footer import arrow_errors, row_counts

TABLE = pa.table({"x": range(6), "s": list("abcdef")})
TWICE = {"pickle": lambda made: pickle.loads(pickle.dumps(made)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.fixture
def path(tmp_path) -> str:
    path = str(tmp_path / "a.parquet")
    parquetext.write_table(TABLE, path, row_group_size=2)
    return path


def dataset(path: str):
    return parquetext.dataset(path).filter(pc.field("x") > 1)


def fragment(path: str):
    return next(iter(parquetext.dataset(path).get_fragments()))


def snapshot(path: str):
    store = sidecar.Store(path + ".store")
    store.append(TABLE)
    return store.snapshot()


def plan(path: str):
    sidecar.build(path)
    return sidecar.open(path)


def view(path: str):
    return parquetext.register_duckdb(duckdb.connect(), path, "a")


def column(path: str):
    return parquetext.open(path).column("x")


# How an object is made of a path, and something of it that stays the same.
SAME = {
    "File": (parquetext.open, lambda file: file.read()),
    "ParquetFile": (parquetext.ParquetFile, lambda file: file.read(["x"])),
    "Column": (column, lambda column: (column.name, column.min.to_pylist())),
    "ParquetSchema": (lambda path: parquetext.open(path).parquet_schema, lambda schema: schema.paths),
    "row groups": (lambda path: parquetext.open(path).row_groups, lambda groups: list(groups.num_rows)),
    "FileMetaData": (parquetext.read_metadata, lambda metadata: metadata.to_dict()),
    "RowGroupMetaData": (lambda path: parquetext.read_metadata(path).row_group(1), lambda group: group.to_dict()),
    "Report": (parquetext.verify, repr),
    "Finding": (lambda path: parquetext.findings.Finding("a", "b", "note"), repr),
    "Layout": (parquetext.layout, repr),
    "Advice": (parquetext.advise, repr),
    "Result": (lambda path: parquetext.upgrade(path, form="index"), repr),
    "CopiedFile": (lambda path: parquetext.merge([path], path + ".merged"), repr),
    "Dataset": (dataset, lambda dataset: dataset.to_table()),
    "Scanner": (lambda path: dataset(path).scanner(["s"]), lambda scanner: scanner.to_table()),
    "Fragment": (fragment, lambda fragment: fragment.to_table()),
    "RowGroupInfo": (lambda path: fragment(path).row_groups[1], lambda info: (info.id, info.num_rows)),
    "ParquetDataset": (parquetext.ParquetDataset, lambda dataset: dataset.read()),
    "view of DuckDB": (view, lambda dataset: (type(dataset), dataset.scanner().to_table())),
    "Store": (
        lambda path: (snapshot(path), sidecar.Store(path + ".store"))[1],
        lambda store: store.snapshot().num_rows,
    ),
    "Token": (lambda path: snapshot(path).token, lambda token: token),
    "Built": (sidecar.build, repr),
}
REFUSED = {
    "ParquetWriter": lambda path: parquetext.ParquetWriter(path + ".new", TABLE.schema),
    "Plan": plan,
    "Snapshot": snapshot,
    "column of a plan": lambda path: plan(path).columns[0],
    "Bounds": lambda path: column(path).min_bytes,
    "counts": lambda path: column(path).null_count,
    "batches of a file": lambda path: parquetext.open(path).iter_batches(),
    "batches of a ParquetFile": lambda path: parquetext.ParquetFile(path).iter_batches(),
    "batches of a dataset": lambda path: dataset(path).to_batches(),
    "new files": lambda path: parquetext.split(path, path + ".parts", row_groups=1),
}


@pytest.mark.parametrize("again", TWICE.values(), ids=TWICE)
@pytest.mark.parametrize(("make", "content"), SAME.values(), ids=SAME)
def test_unpickled_objects_read_the_same(path, make, content, again):
    made = make(path)
    copied = again(made)
    assert type(copied) is type(made)
    assert content(copied) == content(made)


@pytest.mark.parametrize("again", TWICE.values(), ids=TWICE)
@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_objects_that_hold_files_open_cannot_be_pickled(path, make, again):
    made = make(path)
    with pytest.raises(TypeError, match="pickle"):
        (pickle.dumps if again is TWICE["pickle"] else again)(made)


@replaces_open_files()
def test_a_parquet_file_keeps_its_arguments(path):
    footer = parquetext.read_metadata(path)
    made = parquetext.ParquetFile(path, metadata=footer, read_dictionary=["s"], engine="pyarrow", pre_buffer=False)
    data = pickle.dumps(made)
    assert pickle.loads(data).read().num_rows == TABLE.num_rows
    parquetext.write_table(TABLE, path, row_group_size=2)
    with pytest.raises(Conflict):
        pickle.loads(data)
    with parquetext.ParquetFile(path, metadata=footer, read_dictionary=["s"], engine="pyarrow") as made:
        again = pickle.loads(pickle.dumps(made))
    assert again.read().schema.field("s").type == pa.dictionary(pa.int32(), pa.string())
    assert again.metadata.equals(footer)
    assert again._engine == "pyarrow"


@pytest.mark.parametrize("kind", [parquetext.ParquetFile, parquetext.open])
def test_a_file_without_a_path_is_refused_at_once(path, kind):
    data = open(path, "rb").read()  # noqa: SIM115
    for source in (data, io.BytesIO(data), pa.BufferReader(data)):
        for again in (pickle.dumps, copy.copy):
            with kind(source) as file, pytest.raises(pickle.PicklingError, match="only a file that has a path"):
                again(file)


@replaces_open_files()
@pytest.mark.parametrize("remote", [False, True])
def test_a_file_that_is_read_by_its_sidecar_is_read_so_again(path, remote):
    sidecar.build(path)
    source = (pafs.SubTreeFileSystem(os.path.dirname(path), pafs.LocalFileSystem()), "a.parquet") if remote else path
    for again in TWICE.values():
        with open_planned(source) as made, again(made) as copied:
            assert (type(copied), copied.form) == (type(made), "sidecar")
            assert copied.read(filters=[("x", ">", 3)]).equals(TABLE.slice(4))
            column = again(made.column("x"))
            assert (column.name, column.min.to_pylist()) == ("x", [0, 2, 4])
    with open_planned(source) as made:
        data = pickle.dumps(made)
    os.remove(sidecar.sidecar_path(path).path)
    with pickle.loads(data) as copied:
        assert (copied.form, copied.read().equals(TABLE)) == ("thrift", True)
    parquetext.write_table(TABLE.slice(1), path)
    with pytest.raises(Conflict, match="since this was pickled"):
        pickle.loads(data)


@pytest.mark.parametrize("kind", [parquetext.open, parquetext.ParquetFile])
def test_a_file_that_is_read_under_a_journal_is_read_so_again(path, kind):
    leave_half_changed(Path(path))
    with kind(path) as made:
        for again in TWICE.values():
            with again(made) as copied:
                assert copied.read().equals(TABLE)


def test_a_closed_parquet_file_is_refused(path):
    with parquetext.ParquetFile(path) as file:
        pass
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(file)


def error_classes() -> list[type[ParquetextError]]:
    found = {
        each
        for module in (errors, arrow_errors, row_counts, storage)
        for each in vars(module).values()
        if inspect.isclass(each) and issubclass(each, ParquetextError)
    }
    return sorted(found, key=lambda each: each.__name__)


@pytest.mark.parametrize("again", TWICE.values(), ids=TWICE)
@pytest.mark.parametrize("kind", error_classes())
def test_errors_keep_their_attributes(kind, again):
    made = kind("too long", file="a.parquet", offset=7, expected=3, found=4, code=5)
    copied = again(made)
    assert type(copied) is kind
    assert str(copied) == str(made) == "a.parquet: too long (at offset 7)"
    assert vars(copied) == vars(made)
