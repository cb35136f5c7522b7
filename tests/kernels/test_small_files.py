"""The kernel of small files: it opens a file with the schema of the first one, or leaves it to other readers."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.twins import both

from parquetext import kernels, wire
from parquetext.errors import ParquetextError
from parquetext.footer.best_form import thrift_footer

native = pytest.mark.skipif(kernels.implementation() != "native", reason="the compiled kernels alone open files")


@pytest.fixture
def paths(tmp_path) -> list[bytes]:
    for number in range(3):
        pq.write_table(pa.table({"n": [number, number + 1], "s": ["a", "b"]}), tmp_path / f"{number}.parquet")
    return [os.fsencode(tmp_path / f"{number}.parquet") for number in range(3)]


@pytest.fixture
def scan(paths):
    import parquetext

    with parquetext.open(os.fsdecode(paths[0])) as file:
        return kernels.scan.scan(bytes(thrift_footer(file._source)[0]))


SCHEMA = pa.schema({"n": pa.int64(), "s": pa.string()})


def test_the_twin_opens_no_file(paths, scan):
    files = both("small_files")[1].SmallFiles(scan, paths, 1 << 20)
    assert files.taken == bytes(3)
    assert files.read(SCHEMA.__arrow_c_schema__(), [0], [0]) is None


def test_paths_with_null_bytes_are_refused(scan):
    for module in both("small_files"):
        with pytest.raises(ValueError, match="embedded null byte"):
            module.SmallFiles(scan, [b"a\0b"], 1 << 20)


@pytest.mark.parametrize("file", [1, 3, 1 << 40])
def test_bounds_of_files_that_are_not_open_are_refused(paths, scan, file):
    for module in both("small_files"):
        files = module.SmallFiles(scan, [paths[0], b"missing", paths[2]], 1 << 20)
        for call in (lambda files=files: files.bounds(file, 0), lambda files=files: files.row_groups(file)):
            with pytest.raises(ParquetextError):
                call()


@native
def test_values_and_bounds_are_those_of_each_file(paths, scan):
    files = kernels.small_files.SmallFiles(scan, [*paths, b"missing"], 1 << 20)
    assert files.taken == b"\1\1\1\0"
    assert files.bounds(1, 0) == ([(1).to_bytes(8, "little")], [(2).to_bytes(8, "little")], [0], [2])
    assert files.row_groups(2) == 1
    with pytest.raises(ParquetextError):
        files.read(SCHEMA.__arrow_c_schema__(), [0], [3])
    found = files.read(SCHEMA.__arrow_c_schema__(), [1, 0], [2, 0])
    assert found.counts == [2, 2] and not found.is_filtered
    texts, numbers = found.addresses
    assert pa.Array._import_from_c(numbers, pa.int64()).to_pylist() == [2, 3, 0, 1]
    assert pa.Array._import_from_c(texts, pa.string()).to_pylist() == ["a", "b"] * 2


@native
def test_rows_that_match_a_filter_are_read(paths, scan):
    files = kernels.small_files.SmallFiles(scan, paths, 1 << 20)
    half = 1 << 63
    low = kernels.ranges.Ranges(wire.PHYSICAL_INT64, [(0, half + 1)])
    text = kernels.ranges.Ranges(wire.PHYSICAL_BYTE_ARRAY, [(b"b", b"b\0")])
    tests = [(0, low, False), (1, text, True)]
    for steps, expected in (
        ([0], [0, 1, 1]),
        ([1], [1, 2, 3]),
        ([0, 1, kernels.small_files.AND], [1]),
        ([0, 1, kernels.small_files.OR], [0, 1, 1, 2, 3]),
    ):
        found = files.read(SCHEMA.__arrow_c_schema__(), [0], [0, 1, 2], tests, steps)
        assert found.is_filtered and sum(found.counts) == len(expected)
        assert pa.Array._import_from_c(found.addresses[0], pa.int64()).to_pylist() == expected


@native
@pytest.mark.parametrize("steps", [[0, 0], [-1], [1], [0, 0, -3]])
def test_filters_without_one_result_are_refused(paths, scan, steps):
    files = kernels.small_files.SmallFiles(scan, paths, 1 << 20)
    ranges = kernels.ranges.Ranges(wire.PHYSICAL_INT64, [])
    for leaf in (0, 2):
        with pytest.raises(ParquetextError):
            files.read(SCHEMA.__arrow_c_schema__(), [0], [0], [(leaf, ranges, False)], steps if not leaf else [0])


@native
def test_a_leaf_beyond_the_schema_is_refused(paths, scan):
    files = kernels.small_files.SmallFiles(scan, paths, 1 << 20)
    with pytest.raises(ParquetextError):
        files.bounds(0, 2)
    with pytest.raises(ParquetextError):
        files.read(SCHEMA.__arrow_c_schema__(), [2], [0])


@native
def test_larger_files_are_left(paths, scan):
    size = os.path.getsize(paths[0])
    assert kernels.small_files.SmallFiles(scan, paths, size).taken == b"\1\1\1"
    assert kernels.small_files.SmallFiles(scan, paths, size - 1).taken == bytes(3)


@native
def test_a_type_with_two_readings_is_left(paths, scan):
    files = kernels.small_files.SmallFiles(scan, paths, 1 << 20)
    other = pa.schema({"n": pa.float64(), "s": pa.string()})
    assert files.read(other.__arrow_c_schema__(), [0], [0, 1]) is None


@native
def test_files_are_closed_with_the_object(paths, scan):
    before = len(os.listdir("/proc/self/fd"))
    files = kernels.small_files.SmallFiles(scan, paths, 1 << 20)
    assert len(os.listdir("/proc/self/fd")) == before + 3
    del files
    assert len(os.listdir("/proc/self/fd")) == before
