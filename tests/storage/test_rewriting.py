"""Files rewritten from their content: the old one or the new one is left, and no other file."""

from __future__ import annotations

import io
import os
import random

import pytest
from support.systems import needs

from parquetext.errors import Conflict, ParquetextError, Refused
from parquetext.storage import appender, change, create, open_source, rewriting
from parquetext.storage.operations import Operations

OLD = random.Random(3).randbytes(300_000)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "x.bin"
    file.write_bytes(OLD)
    return file


def test_ranges_and_bytes_come_in_their_order(path, tmp_path):
    numbers, stream, expected = random.Random(4), io.BytesIO(), b""
    with open_source(path) as source:
        local, other = create(tmp_path / "y.bin"), create(stream)
        sinks = [appender(local, source), appender(other, source)]
        for _ in range(200):
            begin = numbers.randrange(len(OLD))
            end = min(len(OLD), begin + numbers.choice([0, 1, 100, 40_000]))
            data = numbers.randbytes(numbers.choice([0, 5, 3000]))
            pieces = [(begin, (begin + end) // 2), ((begin + end) // 2, end)]
            expected += OLD[begin:end] + data
            for sink in sinks:
                for piece in pieces:
                    sink.copy(*piece)
                sink.write(data)
        large = bytes(2 << 20)
        for sink, new in zip(sinks, (local, other), strict=True):
            sink.write(large)
            sink.flush()
            new.commit()
            assert sink.size == len(expected + large)
    assert (tmp_path / "y.bin").read_bytes() == stream.getvalue() == expected + large


@needs("fchmod")
def test_the_new_file_keeps_mode_and_times(path):
    path.chmod(0o640)
    os.utime(path, ns=(5, 7))
    with change(path, keep_mtime=True) as changing, rewriting(changing) as written:
        written.sink.write(b"new")
        written.commit()
    assert (path.read_bytes(), path.stat().st_mode & 0o777, path.stat().st_mtime_ns) == (b"new", 0o640, 7)


def test_an_uncommitted_rewrite_keeps_the_old_file(path):
    with pytest.raises(ZeroDivisionError), change(path) as changing, rewriting(changing) as written:
        written.sink.write(bytes(3 << 20))
        raise ZeroDivisionError
    assert path.read_bytes() == OLD
    assert os.listdir(path.parent) == ["x.bin"]


def test_a_file_changed_meanwhile_is_not_overwritten(path):
    with change(path) as changing, rewriting(changing) as written:
        written.sink.write(b"ours")
        path.write_bytes(b"theirs")
        with pytest.raises(Conflict, match="another process"):
            written.commit()
    assert path.read_bytes() == b"theirs"
    assert os.listdir(path.parent) == ["x.bin"]


def test_a_file_changed_during_the_flush_is_not_overwritten(path):
    class Slow(Operations):
        """A disk that is so slow that another process changes the old file before the new one is flushed."""

        def fsync(self, file):
            super().fsync(file)
            path.write_bytes(b"theirs")

    with change(path, operations=Slow()) as changing, rewriting(changing) as written:
        written.sink.write(b"ours")
        with pytest.raises(Conflict, match="another process"):
            written.commit()
    assert path.read_bytes() == b"theirs"
    assert os.listdir(path.parent) == ["x.bin"]


def test_another_writer_has_to_wait(path):
    with change(path) as changing, rewriting(changing), pytest.raises(Conflict), change(path):
        pass


def test_a_file_is_not_rewritten_in_place(path):
    with change(path, in_place=True) as changing, pytest.raises(Refused, match="in place"), rewriting(changing):
        pass
    assert path.read_bytes() == OLD


def test_a_range_after_the_end_is_an_error(path, tmp_path):
    with open_source(path) as source:
        new = create(tmp_path / "y.bin")
        sink = appender(new, source)
        sink.copy(5, len(OLD) + 1)
        with pytest.raises(ParquetextError, match="ends"):
            sink.flush()
        new.abort()
    assert os.listdir(tmp_path) == ["x.bin"]
