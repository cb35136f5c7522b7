"""Files whose column chunks' places a ``_metadata`` file has are not written anew, unless that is ignored."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import parquet_bytes

import parquetext
from parquetext import edits
from parquetext.arrow.writing.rewriting import rewrite_file
from parquetext.errors import Refused

TABLE = pa.table({"n": range(1000), "text": [f"text {number % 7}" for number in range(1000)]})


@pytest.fixture
def lake(tmp_path) -> Path:
    """A folder with a summary of its only file, which is in a folder below."""
    lake, metadata = tmp_path / "lake", []
    pq.write_to_dataset(
        TABLE.append_column("day", pa.array([1] * 1000)),
        lake,
        ["day"],
        metadata_collector=metadata,
        basename_template="x-{i}.parquet",
    )
    pq.write_metadata(TABLE.schema, lake / "_metadata", metadata)
    pq.write_metadata(TABLE.schema, lake / "_common_metadata")
    return lake


def file_of(lake: Path) -> Path:
    return lake / "day=1" / "x-0.parquet"


def by_summary(lake: Path) -> pa.Table:
    return ds.parquet_dataset(lake / "_metadata").to_table()


def rewrites(path: Path, other: Path):
    """Every call that moves the column chunks of a file that is there."""
    yield lambda **ignore: edits.encode(path, {"n": "delta_binary_packed"}, **ignore)
    yield lambda **ignore: edits.encode(path, {"n": "delta_binary_packed"}, dry_run=True, **ignore)
    yield lambda **ignore: edits.encode(other, {"n": "delta_binary_packed"}, out=path, **ignore)
    yield lambda **ignore: edits.merge([other, other], path, **ignore)
    yield lambda **ignore: rewrite_file(other, path, **ignore)
    yield lambda **ignore: rewrite_file(path, path, codec="zstd", **ignore)


def test_changes_that_move_column_chunks_are_refused(lake, tmp_path):
    path, other = file_of(lake), tmp_path / "other.parquet"
    pq.write_table(TABLE, other)
    before = path.read_bytes()
    for change in rewrites(path, other):
        with pytest.raises(Refused, match=f"{lake}/_metadata has the places of its column chunks") as refused:
            change()
        assert refused.value.ignore == "summary" and refused.value.file == str(path)
    assert path.read_bytes() == before and by_summary(lake).equals(TABLE)
    assert edits.encode(path, {"n": "delta_binary_packed"}, out=tmp_path / "new.parquet").outcome == "encoded"
    assert edits.merge([path], path.with_name("joined.parquet")).rows == 1000  # the summary does not list it


def test_a_file_that_has_copies_keeps_them(lake):
    path = file_of(lake)
    done = edits.encode(path, {"n": "delta_binary_packed"}, ignore="summary")
    assert done.outcome == "encoded" and f"{lake}/_metadata" in done.message and "write it anew" in done.message
    with pytest.raises((OSError, AssertionError)):  # the reason for the refusal
        assert by_summary(lake).equals(TABLE)
    encoded = path.read_bytes()
    for change in (edits.strip, lambda path: edits.strip(path, dry_run=True)):
        with pytest.raises(Refused, match="has the places of its column chunks"):
            change(path)
    assert path.read_bytes() == encoded
    assert "write it anew" in edits.strip(path, ignore="summary").message
    assert by_summary(lake).equals(TABLE)


def test_a_change_of_the_footer_alone_leaves_the_summary_true(lake):
    path = file_of(lake)
    before = path.read_bytes()
    for change in (
        lambda: edits.upgrade(path, "flat"),
        lambda: edits.strip(path),
        lambda: edits.upgrade(path, "index", in_place=True),
        lambda: edits.finalize(path, confirm=True),
        lambda: edits.restore(path),
        lambda: edits.strip(path),
    ):
        assert "_metadata" not in change().message
        assert by_summary(lake).equals(TABLE)
    assert path.read_bytes() == before
    parquetext.write_table(TABLE, path)  # as pyarrow's
    assert parquetext.read_table(path).equals(TABLE)


def test_a_directory_reports_each_file(lake):
    found = parquetext.encode(lake, {"n": "delta_binary_packed"})
    assert [(one.outcome, "_metadata has the places" in one.message) for one in found] == [("refused", True)]
    [done] = parquetext.encode(lake, {"n": "delta_binary_packed"}, ignore="summary")
    assert done.outcome == "encoded"


def test_a_summary_in_a_store_is_found():
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/summaries/lake/day=1/x.parquet", parquet_bytes())
    assert edits.encode("memory://summaries/lake/day=1/x.parquet", {"a": "plain"}).outcome == "encoded"
    memory.pipe_file("/summaries/lake/_metadata", parquet_bytes())
    with pytest.raises(Refused, match="/summaries/lake/_metadata has the places"):
        edits.encode("memory://summaries/lake/day=1/x.parquet", {"a": "byte_stream_split"})


@pytest.mark.parametrize("name", ["_common_metadata", "_metadata.json", "metadata", "_metadata/"])
def test_other_names_refuse_nothing(tmp_path, name):
    position = tmp_path / name
    position.mkdir() if name.endswith("/") else position.write_bytes(parquet_bytes())
    (tmp_path / "x.parquet").write_bytes(parquet_bytes())
    assert edits.encode(tmp_path / "x.parquet", {"a": "delta_binary_packed"}).outcome == "encoded"


def test_a_file_of_that_name_that_is_no_parquet_refuses_nothing(tmp_path):
    (tmp_path / "_metadata").write_text("owner: me")
    (tmp_path / "x.parquet").write_bytes(parquet_bytes())
    assert edits.encode(tmp_path / "x.parquet", {"a": "delta_binary_packed"}).outcome == "encoded"
    (tmp_path / "_metadata").write_bytes(b"")
    assert "_metadata" not in edits.strip(tmp_path / "x.parquet").message
