"""A file that is replaced or removed while it is open is read as it was."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.systems import replaces_open_files

import parquetext
from parquetext import systems

pytestmark = [replaces_open_files(), pytest.mark.usefixtures("reopened")]


@pytest.fixture
def table() -> pa.Table:
    points = [[{"u": n, "v": bool(i % 2)} for i in range(n % 4)] if n % 6 else None for n in range(40)]
    kind = pa.list_(pa.struct([("u", pa.int16()), ("v", pa.bool_())]))
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("points", kind)])
    return pa.table([pa.array(range(40)), pa.array(points, kind)], schema=schema)


def assert_same(ours: pa.Table, theirs: pa.Table) -> None:
    """Equal values, types, order and field metadata."""
    assert ours.schema.remove_metadata().equals(theirs.schema.remove_metadata(), check_metadata=True)
    assert ours.equals(theirs)


@pytest.fixture(params=["by its descriptor", "by its path"])
def reopened(request, monkeypatch) -> None:
    """Let pyarrow open a file again with /proc, if this system has it, and without."""
    if request.param == "by its path":
        monkeypatch.setattr(systems, "path_of", lambda file: f"/no-such-folder/{file}")


@pytest.mark.parametrize("memory_map", [False, True])
def test_a_file_that_is_replaced_meanwhile_is_read_as_it_was(path, table, tmp_path, memory_map):
    other, before = tmp_path / "other.parquet", pq.read_table(path, columns=["id", "points"])
    pq.write_table(table.slice(20), other)
    with parquetext.open(path) as file:
        assert file.read(["id"], memory_map=memory_map).equals(table.select(["id"]))
        other.replace(path)
        assert_same(file.read(["id", "points"], memory_map=memory_map), before)


IN_ITS_PLACE = {"nothing": lambda path: None, "a folder": os.mkdir, "a loop": lambda path: os.symlink(path, path)}


@pytest.mark.parametrize("put", IN_ITS_PLACE.values(), ids=IN_ITS_PLACE)
def test_a_file_that_is_removed_meanwhile_is_read(path, put):
    before = pq.read_table(path, columns=["id", "points"])
    with parquetext.open(path) as file:
        os.remove(path)
        put(path)
        assert_same(file.read(["id", "points"]), before)
