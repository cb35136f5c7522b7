"""write_to_dataset: pyarrow's folders and options, each file with its footer before it has its name."""

from __future__ import annotations

import fsspec
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import ParquetextError, Refused

TABLE = pa.table({"part": ["a", "b", "a", "c"], "n": pa.array([1, 2, 3, 4], pa.int32())})
WIDE = pa.table({f"c{i:04}": pa.array(range(20_000), pa.int32()) for i in range(200)})


def _files(folder) -> list:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_files_are_in_folders_of_their_keys_with_the_requested_form(tmp_path):
    parquetext.write_to_dataset(TABLE, tmp_path, ["part"], form="flat")
    assert [path.parent.name for path in _files(tmp_path)] == ["part=a", "part=b", "part=c"]
    for path in _files(tmp_path):
        with parquetext.open(path) as file:
            assert file.form == "flat"
        assert pq.ParquetFile(path).metadata.row_group(0).column(0).has_column_index
    read = ds.dataset(tmp_path, partitioning="hive").to_table().select(["part", "n"]).sort_by("n")
    assert read.to_pydict() == TABLE.to_pydict()


def test_auto_gives_wide_files_a_packed_footer_and_narrow_ones_none(tmp_path):
    parquetext.write_to_dataset(WIDE, tmp_path / "wide", row_group_size=5_000)
    parquetext.write_to_dataset(TABLE, tmp_path / "narrow")
    (wide,), (narrow,) = _files(tmp_path / "wide"), _files(tmp_path / "narrow")
    with parquetext.open(wide) as first, parquetext.open(narrow) as second:
        assert (first.form, second.form) == ("packed", "thrift")


def test_without_its_form_a_file_is_the_one_that_pyarrow_writes(tmp_path):
    options = {"basename_template": "part-{i}.parquet", "compression": "zstd"}
    parquetext.write_to_dataset(TABLE, str(tmp_path / "ours"), ["part"], form="flat", **options)
    pq.write_to_dataset(TABLE, tmp_path / "theirs", ["part"], write_page_index=True, **options)
    for ours, theirs in zip(_files(tmp_path / "ours"), _files(tmp_path / "theirs"), strict=True):
        parquetext.strip(ours)
        assert ours.relative_to(tmp_path / "ours") == theirs.relative_to(tmp_path / "theirs")
        assert ours.read_bytes() == theirs.read_bytes()


def test_an_error_leaves_no_part_of_a_file(tmp_path):
    def refuse(written) -> None:
        raise RuntimeError(f"no {written.path}")

    with pytest.raises(RuntimeError, match=r"no .*part="):
        parquetext.write_to_dataset(TABLE, tmp_path, ["part"], form="flat", file_visitor=refuse)
    for path in _files(tmp_path):
        assert parquetext.verify(path).ok


def test_a_form_that_cannot_be_written_leaves_no_file(tmp_path):
    with pytest.raises(ParquetextError, match="nowhere"):
        parquetext.write_to_dataset(TABLE, tmp_path, form="flat", placement="nowhere")
    assert not _files(tmp_path)


def test_a_column_that_parquet_cannot_store_leaves_no_file(tmp_path):
    intervals = pa.table({"x": pa.array([None], pa.month_day_nano_interval())})
    with pytest.raises(pa.ArrowNotImplementedError):
        parquetext.write_to_dataset(intervals, tmp_path, form="flat")
    assert not _files(tmp_path)


def test_a_file_that_is_replaced_stays_until_the_new_one_is_whole(tmp_path):
    options = {"basename_template": "only-{i}.parquet", "form": "flat"}
    parquetext.write_to_dataset(TABLE, tmp_path, **options)
    (path,) = _files(tmp_path)
    path.chmod(0o640)
    parquetext.write_to_dataset(TABLE.slice(1), tmp_path, **options)
    assert _files(tmp_path) == [path]
    assert path.stat().st_mode & 0o777 == 0o640
    assert parquetext.read_table(path).num_rows == 3


def test_existing_data_is_an_error_or_removed_on_request(tmp_path):
    parquetext.write_to_dataset(TABLE, tmp_path, ["part"])
    with pytest.raises(pa.ArrowInvalid, match="empty"):
        parquetext.write_to_dataset(TABLE, tmp_path, ["part"], existing_data_behavior="error")
    before = _files(tmp_path)
    parquetext.write_to_dataset(TABLE.slice(0, 2), tmp_path, ["part"], existing_data_behavior="delete_matching")
    after = _files(tmp_path)
    assert len(after) == 3
    assert set(after) & set(before) == {path for path in before if path.parent.name == "part=c"}


@pytest.mark.parametrize("form", ["flat", "thrift"])
def test_other_filesystems(form):
    memory = fsspec.filesystem("memory")
    parquetext.write_to_dataset(TABLE, "lake", ["part"], memory, form=form)
    try:
        paths = memory.find("lake")
        assert [path.split("/")[-2] for path in paths] == ["part=a", "part=b", "part=c"]
        for path in paths:
            with parquetext.open((memory, path)) as file:
                assert file.form == form
    finally:
        memory.rm("lake", recursive=True)


def test_visitors_see_paths_of_the_filesystem_that_was_given(tmp_path):
    seen, metadata = [], []
    (tmp_path / "below").mkdir()
    part = pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())
    parquetext.write_to_dataset(TABLE, "below", filesystem=part, file_visitor=lambda file: seen.append(file.path))
    parquetext.write_to_dataset(TABLE, tmp_path / "else", metadata_collector=metadata, form="flat")
    assert seen == [str(path.relative_to(tmp_path)) for path in _files(tmp_path / "below")]
    assert [each.num_rows for each in metadata] == [4]


def test_encrypted_files_get_no_other_form(tmp_path):
    with pytest.raises(Refused, match="encrypted"):
        parquetext.write_to_dataset(TABLE, tmp_path, form="flat", encryption_config=object())
    assert not _files(tmp_path)
