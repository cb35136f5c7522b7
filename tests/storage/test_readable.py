"""Inputs that can be read: paths, bytes, open files, URLs."""

from __future__ import annotations

import io
import mmap
import os
import tempfile
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import Malformed, ParquetextError

TABLE = pa.table({"id": range(100), "word": [f"word {n}" for n in range(100)]})


@pytest.fixture(scope="module", params=["thrift", "flat"])
def path(request, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("readable") / "table.parquet"
    pq.write_table(TABLE, path, row_group_size=30)
    if request.param == "flat":
        parquetext.upgrade(path, form="flat")
    return path


def in_memory(path: Path) -> fsspec.AbstractFileSystem:
    files = fsspec.filesystem("memory")
    files.pipe("/folder/table.parquet", path.read_bytes())
    return files


class Seekable:
    """A file object with only the methods that reading needs."""

    def __init__(self, data: bytes):
        self._file = io.BytesIO(data)
        self.read, self.seek, self.tell = self._file.read, self._file.seek, self._file.tell
        self.closed = False


SOURCES = {
    "str": str,
    "path": lambda path: path,
    "file URI": lambda path: path.as_uri(),
    "filesystem and path": lambda path: (pafs.LocalFileSystem(), str(path)),
    "filesystem's URI and path": lambda path: (path.parent.as_uri(), path.name),
    "bytes": lambda path: path.read_bytes(),
    "bytearray": lambda path: bytearray(path.read_bytes()),
    "memoryview": lambda path: memoryview(path.read_bytes()),
    "mmap": lambda path: mmap.mmap(os.open(path, os.O_RDONLY), 0, access=mmap.ACCESS_READ),
    "BytesIO": lambda path: io.BytesIO(path.read_bytes()),
    "file": lambda path: path.open("rb"),
    "unbuffered file": lambda path: path.open("rb", buffering=0),
    "file to change": lambda path: path.open("r+b"),
    "file object": lambda path: Seekable(path.read_bytes()),
    "pyarrow.Buffer": lambda path: pa.py_buffer(path.read_bytes()),
    "pyarrow.BufferReader": lambda path: pa.BufferReader(path.read_bytes()),
    "pyarrow.OSFile": lambda path: pa.OSFile(str(path)),
    "pyarrow.memory_map": lambda path: pa.memory_map(str(path)),
    "pyarrow.PythonFile": lambda path: pa.PythonFile(path.open("rb"), mode="r"),
    "file of pyarrow.fs": lambda path: pafs.LocalFileSystem().open_input_file(str(path)),
    "fsspec's URL": lambda path: in_memory(path) and "memory://folder/table.parquet",
    "fsspec and path": lambda path: (in_memory(path), "/folder/table.parquet"),
    "fsspec's file": lambda path: in_memory(path).open("/folder/table.parquet"),
    "fsspec's local file": lambda path: fsspec.filesystem("file").open(str(path)),
    "fsspec.open": lambda path: in_memory(path) and fsspec.open("memory://folder/table.parquet"),
    "fsspec.open of a local file": lambda path: fsspec.open(str(path)),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_of_source_is_read(kind, path, implementation):
    make = SOURCES[kind]
    with parquetext.open(make(path)) as file:
        assert file.column("id").max.to_pylist() == [29, 59, 89, 99]
        assert file.read(["word"], filters=[("id", ">", 97)])["word"].to_pylist() == ["word 98", "word 99"]
        assert file.read(engine="parquetext") == TABLE
    assert parquetext.read_table(make(path)) == TABLE
    assert parquetext.read_schema(make(path)) == TABLE.schema


def test_a_home_directory_is_found(path, monkeypatch):
    monkeypatch.setenv("HOME", str(path.parent))
    assert parquetext.read_table("~/table.parquet", ["id"]).num_rows == 100


def test_files_that_the_caller_has_opened_stay_open_and_are_read_from_the_beginning(path):
    for file in (path.open("rb"), io.BytesIO(path.read_bytes()), pa.OSFile(str(path)), Seekable(path.read_bytes())):
        file.seek(17)
        assert parquetext.read_table(file) == TABLE
        assert parquetext.read_table(file, ["id"]) == TABLE.select(["id"])
        assert not file.closed


def test_a_buffer_of_the_caller_may_grow_after_reading(path):
    buffer = io.BytesIO(path.read_bytes())
    table = parquetext.read_table(buffer)
    buffer.seek(0, io.SEEK_END)
    buffer.write(b"more")
    assert table == TABLE


def test_a_temporary_file_without_a_name_is_read(path):
    with tempfile.TemporaryFile() as file:
        file.write(path.read_bytes())
        file.flush()
        assert parquetext.read_table(file) == TABLE


def text(path: Path) -> io.TextIOWrapper:
    return path.open()


def pipe(path: Path) -> io.BufferedReader:
    reading, writing = os.pipe()
    os.close(writing)
    return os.fdopen(reading, "rb")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: 17, "<int>"),
        (lambda path: None, "<NoneType>"),
        (text, r"table\.parquet: open as text"),
        (pipe, "cannot seek"),
        (lambda path: pa.input_stream(str(path), compression="gzip"), "cannot seek"),
        (lambda path: pa.OSFile(str(path.with_name("new")), "w"), "not open for reading"),
        (lambda path: fsspec.open(str(path), compression="gzip"), "compressed by gzip"),
        (lambda path: ("nowhere", "x.parquet"), "'nowhere'"),
        (lambda path: (fsspec.filesystem("memory"), Path("x.parquet")), "give a string"),
    ],
    ids=["int", "None", "text", "pipe", "gzip stream", "writing", "gzip by fsspec", "no filesystem", "fsspec's path"],
)
def test_an_unreadable_source_is_a_type_error_with_the_reason(make, message, path):
    for read in (parquetext.open, parquetext.read_table, parquetext.read_schema):
        with pytest.raises(TypeError, match=message) as caught:
            read(make(path))
        assert isinstance(caught.value, ParquetextError)


def test_a_closed_file_is_a_value_error(path):
    file = path.open("rb")
    file.close()
    with pytest.raises(ValueError, match="closed"):
        parquetext.open(file)


def test_an_unknown_scheme_is_named():
    with pytest.raises(pa.ArrowInvalid, match="nosuch://x/y: Unrecognized filesystem type in URI") as caught:
        parquetext.open("nosuch://x/y")
    assert isinstance(caught.value, ParquetextError)


def test_errors_name_the_given_source():
    for source, name in ((b"no Parquet file", "<bytes>"), (io.BytesIO(b"no Parquet file"), "<BytesIO>")):
        with pytest.raises(Malformed) as caught:
            parquetext.open(source)
        assert caught.value.file == name
