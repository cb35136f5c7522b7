"""Whether a sidecar belongs to a file as it is now: by the file's version, by its footer, or not at all."""

from __future__ import annotations

import os
import shutil
import struct

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import sidecars

from parquetext import kernels, sidecar
from parquetext.errors import Damaged, Malformed, Unsupported
from parquetext.sidecar.origin import Belongs, Origin

pytestmark = pytest.mark.usefixtures("implementation")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.parquet"


def write(path, first: int, **options) -> None:
    """A thousand numbers from `first` on: files of one size for any `first`."""
    numbers = pa.array(range(first, first + 1000), pa.int64())
    pq.write_table(pa.table({"x": numbers}), path, compression="none", use_dictionary=False, **options)


def footer_length(path) -> int:
    return struct.unpack("<I", path.read_bytes()[-8:-4])[0]


def test_an_unchanged_file_is_recognized_by_its_times(path):
    write(path, 0)
    sidecar.build(path)
    plan = sidecar.open(path)
    assert plan.belongs is Belongs.YES
    assert plan.column("x").max.to_pylist() == [999]


def test_another_file_of_equal_size_and_footer_length_is_found_out(path):
    write(path, 1000)
    size, length, times = path.stat().st_size, footer_length(path), path.stat()
    sidecar.build(path)
    write(path, 2000)
    assert (path.stat().st_size, footer_length(path)) == (size, length)
    for restore in (False, True):
        if restore:
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        with pytest.raises(Damaged, match="another content") as caught:
            sidecar.open(path)
        assert caught.value.file.endswith("_a.parquet.pm")


def test_a_rewrite_in_the_same_file_is_found_out(path):
    write(path, 1000)
    sidecar.build(path)
    other = path.with_name("other")
    write(other, 2000)
    with path.open("r+b") as file:
        file.write(other.read_bytes())
    with pytest.raises(Damaged):
        sidecar.open(path)


def test_a_rewrite_at_once_after_building_is_found_out(path):
    """A change within the tick of the clock of the last one leaves all times as they are."""
    other = path.with_name("other")
    write(other, 2000)
    content = other.read_bytes()
    for _ in range(20):
        write(path, 1000)
        sidecar.build(path)
        with path.open("r+b") as file:
            file.write(content)
        with pytest.raises(Damaged):
            sidecar.open(path)


def test_another_size_is_found_out_without_a_look_inside(path):
    write(path, 0)
    sidecar.build(path)
    with path.open("ab") as file:
        file.write(b"more")
    with pytest.raises(Damaged):
        sidecar.open(path)


def test_a_copy_is_known_by_its_footer(tmp_path):
    source, copy = tmp_path / "1", tmp_path / "2"
    source.mkdir()
    write(source / "a.parquet", 0)
    sidecar.build(source / "a.parquet")
    shutil.copytree(source, copy)
    plan = sidecar.open(copy / "a.parquet")
    assert plan.belongs is Belongs.BY_FOOTER
    assert plan.column("x").max.to_pylist() == [999]


def test_values_from_the_data_are_not_used_if_only_the_footer_matches(path):
    """Without statistics, files with other values have the same footer."""

    def write(first: int) -> None:
        times = pa.array(range(first, first + 100), pa.timestamp("us"))
        table = pa.table(
            {"ts": times, "s": pa.array([f"{n:05}" for n in range(first, first + 100)])},
            pa.schema([pa.field("ts", pa.timestamp("us"), nullable=False), ("s", pa.string())]),
        )
        pq.write_table(
            table,
            path,
            compression="none",
            use_dictionary=False,
            write_statistics=False,
            sorting_columns=[pq.SortingColumn(0)],
            bloom_filter_options={"s": True},
        )

    write(100)
    sidecar.build(path)
    assert sidecar.open(path).bloom(0, 1)[0] == "inline"
    assert [value.value for value in sidecar.open(path).column("ts").min] == [100]
    write(500)
    plan = sidecar.open(path)
    assert plan.belongs is Belongs.BY_FOOTER
    assert plan.bloom(0, 1) == ("none", 0, 0)
    assert plan.column("ts").min.to_pylist() == [None]
    assert [finding.kind for finding in sidecar.compare(path)] == ["sidecar-differs"] * 2


def test_no_sidecar(path):
    write(path, 0)
    with pytest.raises(FileNotFoundError, match=r"_a\.parquet\.pm"):
        sidecar.open(path)


def test_no_file(path):
    write(path, 0)
    sidecar.build(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        sidecar.open(path)


def test_a_foreign_sidecar_needs_the_version_token(path):
    write(path, 0)
    position = path.with_name("_a.parquet.pm")
    position.write_bytes(sidecars.sidecar(kernels.sidecar))
    with pytest.raises(Unsupported, match="version token"):
        sidecar.open(path)
    assert sidecar.open(path, parquet_size=6512).num_rows == 2000
    with pytest.raises(Damaged, match="no footer for a Parquet file of 6513 bytes"):
        sidecar.open(path, parquet_size=6513)


def test_of_two_places_the_one_that_belongs_is_taken(tmp_path):
    path = tmp_path / "data.parquet"
    write(path, 1000)
    assert sidecar.build(path, sidecar=tmp_path / "_data.parquet.pm").sidecar.endswith("_data.parquet.pm")
    write(path, 2000)
    sidecar.build(path)
    assert sidecar.open(path).sidecar == str(tmp_path / "_pm")


@pytest.mark.parametrize("verify", [True, False])
def test_damage_is_found_by_the_checksum(path, verify):
    write(path, 0)
    position = path.with_name("_a.parquet.pm")
    sidecar.build(path)
    data = bytearray(position.read_bytes())
    data[44] ^= 1
    position.write_bytes(data)
    if verify:
        with pytest.raises(Damaged, match="checksum"):
            sidecar.open(path)
    else:
        assert sidecar.open(path, verify=False).num_columns == 1


@pytest.mark.parametrize("size", [0, 7, 8, 40])
def test_a_cut_sidecar(path, size):
    write(path, 0)
    position = path.with_name("_a.parquet.pm")
    sidecar.build(path)
    os.truncate(position, size)
    with pytest.raises(Damaged):
        sidecar.open(path)


def test_bytes_after_the_committed_size_are_not_read(path):
    write(path, 0)
    sidecar.build(path)
    with path.with_name("_a.parquet.pm").open("ab") as file:
        file.write(b"a commit that was never made")
    assert sidecar.open(path).num_rows == 1000


def test_values_of_a_plan_stay_valid_after_close(path):
    write(path, 0)
    sidecar.build(path)
    with sidecar.open(path) as plan:
        column = plan.column("x")
    path.with_name("_a.parquet.pm").unlink()
    assert column.max.to_pylist() == [999]
    assert "closed" in repr(plan)


def test_a_plan_that_two_threads_close_at_once(path):
    class Late(sidecar.Plan):
        def __delattr__(self, name: str) -> None:
            super().__delattr__(name)  # by the first thread
            super().__delattr__(name)

    write(path, 0)
    sidecar.build(path)
    plan = sidecar.open(path)
    late = Late(plan.path, plan.sidecar, plan.reader, plan.belongs)
    late.close()
    late.close()
    assert repr(late).endswith(": closed>")


def test_remote_files(tmp_path):
    write(tmp_path / "a.parquet", 0)
    remote = pafs.PyFileSystem(pafs.FSSpecHandler(pytest.importorskip("fsspec").filesystem("memory")))
    with remote.open_output_stream("folder/a.parquet") as stream:
        stream.write((tmp_path / "a.parquet").read_bytes())
    try:
        sidecar.build((remote, "folder/a.parquet"))
        with sidecar.open((remote, "folder/a.parquet")) as plan:
            assert plan.column("x").max.to_pylist() == [999]
        assert sidecar.compare((remote, "folder/a.parquet")) == []
    finally:
        remote.delete_dir("folder")


@given(
    st.builds(
        Origin,
        st.integers(0, (1 << 32) - 1),
        st.integers(0, (1 << 32) - 1),
        st.integers(-1, (1 << 63) - 1),
        st.integers(-1, (1 << 63) - 1),
        st.integers(0, (1 << 64) - 1),
        st.integers(0, (1 << 64) - 1),
        st.text(max_size=20),
        st.booleans(),
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_note_is_read_as_it_was_written(origin):
    assert Origin.from_bytes(origin.to_bytes()) == origin


def test_a_note_of_a_later_layout_is_ignored():
    data = bytearray(Origin(1, 2).to_bytes())
    data[0] = 9
    assert Origin.from_bytes(bytes(data)) is None
    with pytest.raises(Malformed):
        Origin.from_bytes(b"short")
