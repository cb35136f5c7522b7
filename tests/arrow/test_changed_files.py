"""Local files that change while they are open: rows of one content, or a Conflict that pyarrow's users catch, too."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import edits
from parquetext.errors import Conflict

ROWS = 4000
TABLE = pa.table({f"n{n}": range(n, n + ROWS) for n in range(40)} | {"list": [[n] for n in range(ROWS)]})
OTHER = pa.table({f"n{n}": range(n + 7, n + ROWS + 7) for n in range(40)} | {"list": [[n + 7] for n in range(ROWS)]})
PLAIN = {"row_group_size": 1000, "use_dictionary": False, "compression": "none"}  # pages of the same places and sizes
NAMES = ["n3", "list"]


@pytest.fixture(params=["thrift", "flat"])
def path(tmp_path, request) -> Path:
    path = tmp_path / "file.parquet"
    pq.write_table(TABLE, path, **PLAIN)
    if request.param == "flat":
        edits.upgrade(path, form="flat")
    return path


def later(path: Path) -> None:
    """Let a change show in the file's times, however soon after the last one it comes."""
    os.utime(path, ns=(0, os.stat(path).st_mtime_ns + 10**9))


def write_over(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()
    later(path)


def other_bytes(path: Path) -> bytes:
    other = path.with_name("other")
    pq.write_table(OTHER, other, **PLAIN)
    return other.read_bytes()


CHANGES = {
    "empty": lambda path: write_over(path, b""),
    "cut": lambda path: write_over(path, path.read_bytes()[:5000]),
    "longer": lambda path: write_over(path, path.read_bytes() + bytes(10)),
    "zeros": lambda path: write_over(path, bytes(50_000) + path.read_bytes()[50_000:]),
}
READS = {
    "default": lambda file: file.read(NAMES),
    "flat columns": lambda file: file.read(NAMES[:1]).append_column("list", TABLE["list"]),
    "pyarrow": lambda file: file.read(NAMES, engine="pyarrow"),
    "ours": lambda file: file.read(NAMES, engine="parquetext"),
    "auto": lambda file: file.read(NAMES, engine="auto"),
    "all": lambda file: file.read().select(NAMES),
    "filter": lambda file: file.read(NAMES, filters=[("n3", ">=", 0)]),
    "batches": lambda file: pa.Table.from_batches(file.iter_batches(NAMES)),
    "our batches": lambda file: pa.Table.from_batches(file.iter_batches(NAMES, engine="parquetext")),
    "pages": lambda file: file.pages("n3"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("read", READS)
def test_a_file_changed_in_place_gives_its_rows_or_a_conflict(path, change, read):
    with parquetext.open(path) as file:
        file.column("n3")
        CHANGES[change](path)
        if (change, read) == ("longer", "pages"):
            assert READS[read](file).num_rows
            return
        with pytest.raises(Conflict, match="changed in place") as caught:
            READS[read](file)
        assert isinstance(caught.value, OSError) and str(path) in str(caught.value)


@pytest.mark.parametrize("read", [name for name in READS if name != "pages"])
def test_rows_are_not_read_of_pages_that_were_written_over_by_ones_that_fit(tmp_path, read):
    path = tmp_path / "file.parquet"
    pq.write_table(TABLE, path, **PLAIN)
    with parquetext.open(path) as file:
        write_over(path, other_bytes(path))
        with pytest.raises(Conflict, match="changed in place"):
            READS[read](file)


@pytest.mark.parametrize("engine", ["pyarrow", "parquetext"])
def test_a_change_between_two_batches_is_a_conflict(tmp_path, engine):
    path = tmp_path / "file.parquet"
    pq.write_table(TABLE, path, **PLAIN)
    with parquetext.open(path) as file:
        batches = file.iter_batches(NAMES, batch_size=100, engine=engine)
        assert next(batches).num_rows == 100
        write_over(path, other_bytes(path))
        with pytest.raises(Conflict, match="changed in place"):
            list(batches)


@pytest.mark.parametrize("change", [os.unlink, lambda path: os.replace(shutil.copy(__file__, f"{path}.new"), path)])
@pytest.mark.parametrize("read", READS)
def test_a_file_that_is_deleted_or_replaced_is_read_on(path, change, read):
    with parquetext.open(path) as file:
        expected = READS[read](file)
        change(path)
        assert READS[read](file).equals(expected) and not file.findings


@pytest.mark.parametrize("change", [edits.upgrade, edits.strip], ids=["upgrade", "strip"])
@pytest.mark.parametrize("read", READS)
def test_a_change_of_the_footer_alone_changes_no_rows(path, change, read):
    with parquetext.open(path) as file:
        expected = READS[read](file)
        batches = file.iter_batches(NAMES, batch_size=100)
        first = next(batches)
        change(path, in_place=True)
        later(path)
        assert READS[read](file).equals(expected)
        assert pa.Table.from_batches([first, *batches]).equals(TABLE.select(NAMES))


def test_all_columns_of_a_file_whose_footer_moves_in_place_are_read_by_the_new_one(tmp_path):
    path = tmp_path / "file.parquet"
    pq.write_table(TABLE, path, **PLAIN)
    edits.upgrade(path, form="flat")
    with parquetext.open(path) as file:
        edits.strip(path, in_place=True)
        later(path)
        assert file.read().equals(TABLE)
        assert [finding.kind for finding in file.findings] == ["changed-in-place"]


def test_a_conflict_of_a_dataset_names_the_file(tmp_path, monkeypatch):
    path = tmp_path / "file.parquet"
    pq.write_table(TABLE, path, **PLAIN)
    batches = parquetext.dataset(tmp_path).to_batches(batch_size=100, fragment_readahead=0)
    next(batches)
    write_over(path, other_bytes(path))
    with pytest.raises(Conflict, match=str(path)):
        list(batches)


@pytest.mark.parametrize("read", ["read", "iter_batches", "explain"])
def test_columns_and_row_groups_are_those_of_a_file_that_was_changed_in_place_before_the_slice(tmp_path, read):
    """Names are resolved again after the change: leaf numbers of the old footer are those of other columns."""
    names = [f"c{number}" for number in range(3000)]
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    for path, order, row_group_size in ((old, names, 10), (new, names[::-1], 5)):
        table = pa.table({name: pa.array([int(name[1:])] * 10, pa.int64()) for name in order})
        pq.write_table(table, path, row_group_size=row_group_size)
        parquetext.upgrade(path, form="flat")
    with parquetext.open(old) as file:
        assert file.read(["c5"]).num_rows == 10
        data = new.read_bytes()
        with open(old, "r+b") as changed:
            changed.write(data)
            changed.truncate(len(data))
        if read == "explain":
            assert [column.column for column in file.explain(["c5"]).columns] == ["c5"]
            return
        found = file.read(["c5"]) if read == "read" else pa.Table.from_batches(file.iter_batches(["c5"]))
        assert found.to_pydict() == {"c5": [5] * 10}
