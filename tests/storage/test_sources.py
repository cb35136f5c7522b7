"""Paths and sources: exact ranges from every kind of path."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow.fs as pafs
import pytest

from parquetext import wire
from parquetext.errors import Malformed, ParquetextError
from parquetext.storage import Target, open_source, resolve


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "a file.bin"
    file.write_bytes(bytes(range(200)))
    return file


def in_memory() -> pafs.FileSystem:
    filesystem = pafs._MockFileSystem()
    with filesystem.open_output_stream("x.bin") as stream:
        stream.write(bytes(range(200)))
    return filesystem


def test_a_local_path_is_read_without_a_filesystem_layer(path):
    local = pafs.LocalFileSystem()
    for form in (
        str(path),
        path,
        os.fsencode(path),
        f"file://{path}",
        f"file://{str(path).replace(' ', '%20')}",
        (local, str(path)),
        (pafs.SubTreeFileSystem(str(path.parent), local), path.name),
    ):
        assert resolve(form) == Target(str(path))


def test_a_uri_selects_its_filesystem():
    target = resolve("s3a://bucket/folder/x.parquet?region=us-east-1&endpoint_override=127.0.0.1:1")
    assert not target.is_local
    assert target.filesystem.type_name == "s3" and target.path == "bucket/folder/x.parquet"


@pytest.mark.parametrize("wrong", [17, None, ("a", "b"), "file://elsewhere/x", "nosuch://x/y"])
def test_an_object_that_is_not_a_path_is_an_error(wrong):
    with pytest.raises(ParquetextError):
        resolve(wrong)


def test_a_read_is_exact_and_counted(path):
    for target in (path, (in_memory(), "x.bin")):
        with open_source(target) as source:
            assert source.size == 200
            assert source.read(10, 5) == bytes(range(10, 15))
            assert source.read_tail(3) == (197, bytes(range(197, 200)))
            assert source.read_tail(1000) == (0, bytes(range(200)))
            assert (source.requests, source.bytes_read) == (3, 208)


@pytest.mark.parametrize(("offset", "length"), [(190, 11), (201, 0), (-1, 4), (0, 1 << 62)])
def test_a_range_outside_of_the_file_is_an_error_with_its_offset(path, offset, length):
    for target in (path, (in_memory(), "x.bin")):
        with open_source(target) as source, pytest.raises(Malformed) as error:
            source.read(offset, length)
        assert (error.value.code, error.value.offset, error.value.expected) == (wire.TRUNCATED, offset, length)
        assert error.value.file == source.name


def test_a_file_that_shrinks_while_it_is_read_is_an_error(path):
    with open_source(path) as source:
        os.truncate(path, 100)
        with pytest.raises(Malformed):
            source.read(90, 20)


def test_only_regular_files_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for wrong in (tmp_path / "pipe", tmp_path):
        with pytest.raises(ParquetextError, match="not a regular file"):
            open_source(wrong)
    with pytest.raises(FileNotFoundError):
        open_source(tmp_path / "absent")
