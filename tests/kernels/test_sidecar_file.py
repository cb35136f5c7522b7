"""Sidecars in files: ours are mapped up to the committed end, others are read; our note names the Parquet file."""

from __future__ import annotations

import os
import struct
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import sidecars

from parquetext import kernels, wire
from parquetext.errors import Damaged, ParquetextError
from parquetext.sidecar import build

ORIGIN = struct.Struct("<IIIIqqQQI")
PARQUET_BYTES = 6512  # as `sidecars.sidecar` says


@pytest.fixture
def kernel(implementation):
    yield kernels.sidecar
    kernels.sidecar.release_mappings()


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "_a.parquet.pm")


def write(position: str, data: bytes) -> None:
    """A new file in the place of another one."""
    with open(position + ".new", "wb") as file:
        file.write(data)
    os.rename(position + ".new", position)


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "foreign"])
class TestCommitted:
    def test_exactly_the_committed_bytes_are_mapped(self, kernel, ours, place):
        data = sidecars.sidecar(kernel, ours=ours)
        write(place, data + b"an append that was never committed")
        assert bytes(kernel.map_file(place)) == bytes(kernel.map_file(os.fsencode(place))) == data

    def test_a_new_file_in_its_place_is_another_one(self, kernel, ours, place):
        for squash_tracker in range(6):
            data = sidecars.sidecar(kernel, ours=ours, squash_tracker=squash_tracker)
            write(place, data)
            assert kernel.Reader(kernel.map_file(place)).squash_tracker == squash_tracker

    def test_a_commit_is_visible_to_the_next_mapping(self, kernel, ours, place):
        data = sidecars.sidecar(kernel, ours=ours)
        write(place, data)
        before = kernel.map_file(place)
        more = sidecars.appended(kernel, data, kernel.Reader(data), None, (9004, 600))
        with open(place, "r+b") as file:
            file.seek(len(data))
            file.write(more[len(data) :])
            file.flush()
            assert kernel.Reader(kernel.map_file(place)).row_group_count == 2
            file.seek(0)
            file.write(more[:8])
        assert kernel.Reader(kernel.map_file(place)).row_group_count == 3
        assert kernel.Reader(before, len(data)).row_group_count == 2

    def test_a_size_that_was_taken_back_is_seen_too(self, kernel, ours, place):
        data = sidecars.sidecar(kernel, ours=ours)
        more = sidecars.appended(kernel, data, kernel.Reader(data), None, (9004, 600))
        write(place, more)
        assert kernel.Reader(kernel.map_file(place)).row_group_count == 3
        with open(place, "r+b") as file:
            file.write(data[:8])
        assert kernel.Reader(kernel.map_file(place)).row_group_count == 2

    def test_more_files_than_are_kept_mapped(self, kernel, ours, tmp_path):
        for again in range(2):
            for number in range(7):
                position = str(tmp_path / f"{number}.pm")
                if not again:
                    write(position, sidecars.sidecar(kernel, ours=ours, squash_tracker=number))
                assert kernel.Reader(kernel.map_file(position)).squash_tracker == number

    @pytest.mark.parametrize(
        ("cut", "code"),
        [(0, wire.PM_TRUNCATED), (7, wire.PM_TRUNCATED), (8, wire.PM_SIZE_BEYOND), (-1, wire.PM_SIZE_BEYOND)],
    )
    def test_a_file_cut_after_it_was_mapped_before(self, kernel, ours, place, cut, code):
        data = sidecars.sidecar(kernel, ours=ours)
        write(place, data)
        kernel.map_file(place)
        os.truncate(place, cut % len(data))
        with pytest.raises(Damaged) as caught:
            kernel.map_file(place)
        assert (caught.value.code, caught.value.offset, caught.value.file) == (code, 0, place)


class TestRefused:
    @pytest.mark.parametrize("size", [0, 35])
    def test_a_size_that_no_sidecar_has(self, kernel, place, size):
        write(place, size.to_bytes(8, "little") + bytes(100))
        with pytest.raises(Damaged) as caught:
            kernel.map_file(place)
        assert (caught.value.code, caught.value.expected, caught.value.found) == (wire.PM_SIZE_SMALL, 36, size)

    def test_paths_that_are_not_files_are_errors(self, kernel, tmp_path):
        with pytest.raises(FileNotFoundError) as caught:
            kernel.map_file(str(tmp_path / "none"))
        assert caught.value.filename == str(tmp_path / "none")
        os.mkfifo(tmp_path / "fifo")
        for path in (tmp_path, tmp_path / "fifo"):
            with pytest.raises(ParquetextError, match="not a regular file"):
                kernel.map_file(str(path))
        with pytest.raises(ValueError, match=r"null (byte|character)"):
            kernel.map_file("a\0b")


CUT = """
import os, sys
from parquetext import kernels
kernels.use(sys.argv[1])
data = kernels.sidecar.map_file(sys.argv[2])
os.truncate(sys.argv[2], int(sys.argv[3]))
print(hash(bytes(data)) is not None, len(data))
"""


class TestTruncated:
    @pytest.mark.parametrize("left", [0, 4096])
    def test_a_foreign_sidecar_cut_while_it_is_read_ends_nothing(self, kernel, place, implementation, left):
        made = kernel.Writer(sidecars.columns(kernel))
        for number in range(60):
            made.add(1000, sidecars.chunks(kernel, number))
        data = made.finish(6004, 500)
        assert len(data) > 3 * 4096
        write(place, data)
        command = [sys.executable, "-c", CUT, implementation, place, str(left)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"True {len(data)}\n"), done.stderr

    def test_only_ours_are_mapped(self, kernel, place, tmp_path):
        write(place, sidecars.sidecar(kernel))
        assert type(kernel.map_file(place)) is bytes
        write(place, sidecars.sidecar(kernel, ours=True))
        assert type(kernel.map_file(place)) is not bytes
        data = sidecars.sidecar(kernel, ours=True)
        write(place, sidecars.appended(kernel, data, kernel.Reader(data), None, (9004, 600)))  # our note in it still
        assert type(kernel.map_file(place)) is bytes
        pq.write_table(pa.table({"a": range(9), "b": range(9)}), tmp_path / "t.parquet", row_group_size=3)
        built = build(tmp_path / "t.parquet")
        assert type(kernel.map_file(str(built.sidecar))) is not bytes


class TestUntouched:
    """Return a reader in one call if the note belongs to the Parquet file."""

    @pytest.fixture
    def file(self, tmp_path):
        path = tmp_path / "a.parquet"
        path.write_bytes(bytes(PARQUET_BYTES))
        return path

    def noted(self, kernel, status: os.stat_result, **other) -> bytes:
        fields = {
            "layout": wire.PM_ORIGIN_KNOWN_LAYOUT,
            "flags": 0,
            "crc": 1,
            "length": 500,
            "modified": status.st_mtime_ns,
            "changed": status.st_ctime_ns,
            "device": status.st_dev,
            "inode": status.st_ino,
            "tag": 0,
        } | other
        note = ORIGIN.pack(*fields.values())
        return sidecars.writer(kernel).finish(6004, 500, scratchpad=[(7, b"x"), (wire.PM_ORIGIN_CODE, note)])

    def test_it_is_read(self, kernel, file, place):
        write(place, self.noted(kernel, file.stat()))
        reader = kernel.open_untouched(str(file), place)
        assert reader.parquet_footer == (6004, 500)
        assert list(reader.chunks(0).array("byte_range_start")) == [4, 3004]
        assert ORIGIN.unpack(reader.note(wire.PM_ORIGIN_CODE))[2:4] == (1, 500)
        assert reader.note(9) is None

    @pytest.mark.parametrize(
        "other",
        [
            {"layout": 0},
            {"layout": 3},
            {"length": 499},
            {"modified": 1},
            {"changed": 1},
            {"device": 1},
            {"inode": 1},
            {"modified": -1, "changed": -1},
        ],
    )
    def test_a_note_of_another_file_is_not_used(self, kernel, file, place, other):
        write(place, self.noted(kernel, file.stat(), **other))
        assert kernel.open_untouched(str(file), place) is None

    def test_a_time_that_is_not_known_is_never_the_file_s(self, kernel, file, place):
        os.utime(file, ns=(-1, -1))
        write(place, self.noted(kernel, file.stat()))
        assert kernel.open_untouched(str(file), place) is None

    def test_a_file_that_was_touched(self, kernel, file, place):
        write(place, self.noted(kernel, file.stat()))
        assert kernel.open_untouched(str(file), place) is not None
        os.utime(file, ns=(1, 1))
        assert kernel.open_untouched(str(file), place) is None

    def test_a_file_of_another_size(self, kernel, file, place):
        file.write_bytes(bytes(PARQUET_BYTES + 1))
        write(place, self.noted(kernel, file.stat()))
        assert kernel.open_untouched(str(file), place) is None

    def test_no_note_no_sidecar_no_file_and_damage(self, kernel, file, place):
        assert kernel.open_untouched(str(file), place) is None
        write(place, sidecars.sidecar(kernel))
        assert kernel.open_untouched(str(file), place) is None
        good = self.noted(kernel, file.stat())
        write(place, good[:-4] + b"\xff" * 4)
        assert kernel.open_untouched(str(file), place) is None
        write(place, b"\xff" * 8 + good[8:])
        assert kernel.open_untouched(str(file), place) is None
        write(place, sidecars.writer(kernel).finish(6004, 500, scratchpad=[(wire.PM_ORIGIN_CODE, b"short")]))
        assert kernel.open_untouched(str(file), place) is None
        write(place, good)
        file.unlink()
        assert kernel.open_untouched(str(file), place) is None
