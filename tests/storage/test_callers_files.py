"""File objects of the caller: every permitted behavior works, and any other raises an error."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import ParquetextError

TABLE = pa.table({"id": range(1000), "list": [[n] for n in range(1000)]})
ENGINES = [None, "pyarrow", "parquetext"]


@pytest.fixture(params=["thrift", "flat"])
def path(request, tmp_path) -> Path:
    path = tmp_path / "table.parquet"
    pq.write_table(TABLE, path, row_group_size=300)
    if request.param == "flat":
        parquetext.upgrade(path, form="flat")
    return path


class Reading(io.RawIOBase):
    """A file object whose reads go through `give`."""

    def __init__(self, data: bytes, give=lambda data, most: data):
        self._file, self._give = io.BytesIO(data), give

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, *position: int) -> int:
        return self._file.seek(*position)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, most: int = -1):
        begin = self._file.tell()
        given = self._give(self._file.read(most), most)
        if isinstance(given, bytes):
            self._file.seek(begin + len(given))
        return given


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("most", [1, 7, 1000])
def test_reads_may_be_short(path, engine, most):
    file = Reading(path.read_bytes(), lambda data, _: data[:most])
    assert parquetext.read_table(file, engine=engine).equals(TABLE)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_ends_before_its_end_is_an_error(path, engine):
    with pytest.raises(ParquetextError, match="ends"):
        parquetext.read_table(Reading(path.read_bytes(), lambda data, _: data[:0]), engine=engine)


@pytest.mark.parametrize(
    ("give", "error"),
    [
        (lambda data, most: data + bytes(1 << 20), OSError),  # which pyarrow copies behind the end of its memory
        (lambda data, most: None, BlockingIOError),
        (lambda data, most: "x" * most, TypeError),
        (lambda data, most: 5, TypeError),
    ],
    ids=["too much", "nothing", "text", "number"],
)
def test_an_invalid_answer_to_a_read_is_an_error(path, give, error):
    with pytest.raises(error):
        parquetext.read_table(Reading(path.read_bytes(), give))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [ValueError, OSError, MemoryError, KeyboardInterrupt])
def test_errors_of_any_read_are_raised(path, engine, kind):
    def read_until(last: int) -> int:
        """Count the reads; the one after the last raises."""
        reads: list[int] = []

        def give(data: bytes, most: int) -> bytes:
            if len(reads) == last:
                raise kind
            reads.append(most)
            return data

        assert parquetext.read_table(Reading(path.read_bytes(), give), engine=engine).equals(TABLE)
        return len(reads)

    for last in range(read_until(1 << 20)):
        with pytest.raises(kind):
            read_until(last)


@pytest.mark.parametrize("engine", ["pyarrow", "parquetext"])
def test_threads_share_a_file_object(path, engine):
    """It has one position, so each thread must seek and read without interruption."""
    mover: list[int] = []

    class Shared(Reading):
        def seek(self, *position: int) -> int:
            mover[:] = [threading.get_ident()]
            time.sleep(0)
            return super().seek(*position)

        def read(self, most: int = -1) -> bytes:
            assert mover == [threading.get_ident()]
            return super().read(most)

    file, failures = Shared(path.read_bytes()), []

    def read() -> None:
        try:
            for _ in range(5):
                assert parquetext.read_table(file, engine=engine, use_threads=False).equals(TABLE)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_buffer_over_a_decompressing_file_is_read_by_its_output(path, tmp_path):
    with gzip.open(tmp_path / "packed", "wb") as packed:
        packed.write(path.read_bytes())
    with gzip.open(tmp_path / "packed") as packed, io.BufferedReader(packed) as file:
        assert parquetext.read_table(file).equals(TABLE)


@pytest.mark.parametrize("protocol", ["filecache", "simplecache"])
def test_a_filesystem_that_keeps_copies_is_no_local_one(path, tmp_path, protocol):
    """Its protocol contains `file`, but a local file may have the same path."""
    fsspec.filesystem("memory").pipe(str(tmp_path / "one"), path.read_bytes())
    pq.write_table(TABLE.slice(0, 1), tmp_path / "one")
    files = fsspec.filesystem(protocol, target_protocol="memory", cache_storage=str(tmp_path / "kept"))
    assert parquetext.read_table(str(tmp_path / "one"), filesystem=files).equals(TABLE)
    assert parquetext.dataset(str(tmp_path / "one"), filesystem=files).to_table().equals(TABLE)


def test_urls_of_chained_filesystems_are_read(path):
    fsspec.filesystem("memory").pipe(f"/{path.parent.name}/chained", path.read_bytes())
    assert parquetext.read_table(f"simplecache::memory://{path.parent.name}/chained").equals(TABLE)


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="no /dev/stdin")
@pytest.mark.parametrize("source", ["'/dev/stdin'", "sys.stdin.buffer"])
def test_a_pipe_is_refused_and_not_called_a_file_that_is_not_there(path, source):
    script = f"""
import sys, parquetext, parquetext.errors
try:
    parquetext.read_table({source})
except (parquetext.errors.ParquetextError, OSError) as error:
    print(type(error).__name__)
"""
    ended = subprocess.run([sys.executable, "-c", script], input=path.read_bytes(), capture_output=True, timeout=120)
    assert ended.stdout.split() in ([b"ArrowMalformed"], [b"NotReadable"]) and ended.stderr == b""
