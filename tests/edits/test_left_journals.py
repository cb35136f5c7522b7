"""A journal that a killed change has left never touches a file that took the name, whatever is done to that file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.journals import journal_of, leave_journal_1, stale_of

import parquetext
from parquetext import edits
from parquetext.errors import Malformed
from parquetext.storage import TailEdit
from parquetext.storage.operations import Operations

ROWS = 50_000
PLAIN = {"use_dictionary": False, "compression": "NONE", "row_group_size": ROWS}
SAME = np.random.default_rng(7).integers(0, 1 << 40, ROWS)  # more than 64 KiB in front of every footer


def table(day: int) -> pa.Table:
    """The table of a day: days differ in the first column alone, and so in its bounds."""
    return pa.table({"day": pa.array(range(day * ROWS, (day + 1) * ROWS), pa.int64()), "same": SAME})


def killed_in_the_middle(verb: str, path: Path) -> None:
    """Start a change in place, and end its process when half of the new tail is written."""
    process = os.fork()
    if process == 0:
        write, inode = Operations.write, path.stat().st_ino

        def half(self, file, data, offset):
            if os.fstat(file).st_ino != inode:
                write(self, file, data, offset)
                return
            end = (offset + len(data) // 2) // 512 * 512
            write(self, file, data[: end - offset], offset)
            os._exit(9)

        Operations.write = half
        getattr(edits, verb)(path, in_place=True, **({"confirm": True} if verb == "finalize" else {"form": "flat"}))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9
    assert journal_of(path).exists()


def written_in_place(path: Path, day: int) -> None:
    pq.write_table(table(day), path, **PLAIN)


def put_in_its_place(path: Path, day: int) -> None:
    pq.write_table(table(day), path.parent / "new", **PLAIN)
    os.replace(path.parent / "new", path)


@pytest.fixture
def path(tmp_path) -> Path:
    written_in_place(tmp_path / "x.parquet", 1)
    return tmp_path / "x.parquet"


@pytest.mark.parametrize("rewrite", [written_in_place, put_in_its_place])
@pytest.mark.parametrize("in_place", [False, True], ids=["replace", "in-place"])
def test_a_file_rewritten_over_a_killed_finalize_keeps_its_footer(path, rewrite, in_place):
    size = path.stat().st_size
    killed_in_the_middle("finalize", path)
    rewrite(path, 2)
    assert path.stat().st_size == size
    done = edits.upgrade(path, in_place=in_place, form="flat")
    assert done.outcome == "upgraded"
    assert "set aside a journal" in done.message and "not for this one" in done.message
    in_day = [("day", ">=", 2 * ROWS), ("day", "<", 3 * ROWS)]
    for read in (pq.read_table, parquetext.read_table):
        assert read(path).equals(table(2))
        assert read(path, filters=in_day).num_rows == ROWS
    assert [path.name for path in path.parent.iterdir() if path.name.startswith(".")] == [stale_of(path).name]


@pytest.mark.parametrize("rewrite", [written_in_place, put_in_its_place])
def test_verify_and_recover_report_the_journal_of_another_file(path, rewrite):
    killed_in_the_middle("finalize", path)
    [torn] = [finding for finding in parquetext.verify(path).findings if finding.kind == "change-interrupted"]
    assert not torn.is_note and "parquetext.recover puts the old tail back" in torn.message
    rewrite(path, 2)
    before = path.read_bytes()
    report = parquetext.verify(path, deep=True)
    assert report.ok and [finding.kind for finding in report.findings] == ["journal-stale"]
    done = edits.recover(path)
    assert done.outcome == "recovered" and done.message.endswith(f"it is {stale_of(path).name}")
    assert path.read_bytes() == before
    assert [finding.kind for finding in parquetext.verify(path).findings] == ["journal-stale"]
    assert edits.recover(path).outcome == "unchanged"


@pytest.mark.parametrize("verb", ["upgrade", "finalize"])
def test_a_file_whose_change_was_killed_reads_and_comes_back(path, verb):
    before = path.read_bytes()
    killed_in_the_middle(verb, path)
    with pytest.raises((pa.ArrowInvalid, OSError)):
        pq.read_table(path)
    assert parquetext.read_table(path).equals(table(1))
    assert edits.recover(path).message == "put the old tail back"
    assert path.read_bytes() == before


def test_a_killed_change_of_a_file_that_was_then_truncated_or_appended_to_is_set_aside(path):
    killed_in_the_middle("finalize", path)
    torn = path.read_bytes()
    for content in (torn[: len(torn) // 2], torn + b"appended"):
        stale_of(path).unlink(missing_ok=True)
        entry = journal_of(path).read_bytes()
        path.write_bytes(content)
        with pytest.raises(Malformed):
            parquetext.open(path)
        edits.recover(path)
        assert path.read_bytes() == content and stale_of(path).read_bytes() == entry
        stale_of(path).rename(journal_of(path))
    path.write_bytes(torn)
    assert edits.recover(path).message == "put the old tail back"
    assert pq.read_table(path).equals(table(1))


def test_a_journal_of_version_1_never_touches_a_sound_footer(path):
    """As an older version would have done it: lengths and the bytes before the tail are those of the killed change."""
    footer = path.stat().st_size - 8 - pq.read_metadata(path).serialized_size
    leave_journal_1(path, TailEdit(footer, b"half of a PAR3 footer" * 20))
    written_in_place(path, 2)
    assert "set aside a journal of version 1" in edits.upgrade(path).message
    assert parquetext.read_table(path, filters=[("day", ">=", 2 * ROWS)]).num_rows == ROWS


@pytest.mark.parametrize("form", ["par3", "encrypted"])
def test_a_journal_of_version_1_leaves_other_sound_forms_of_footers_alone(path, form):
    plain = path.read_bytes()
    if form == "par3":
        edits.finalize(path, confirm=True)
    else:
        path.write_bytes(plain[:-4] + b"PARE")
    sound = path.read_bytes()
    path.write_bytes(plain)
    leave_journal_1(path, TailEdit(len(plain) - 8 - pq.read_metadata(path).serialized_size, b"another" * 1000))
    path.write_bytes(sound)
    assert "set aside a journal of version 1" in edits.recover(path).message
    assert path.read_bytes() == sound


def test_a_journal_of_version_1_still_repairs_a_torn_tail(path):
    before = path.read_bytes()
    leave_journal_1(path, TailEdit(len(before) - 9, b"new" * 4000))
    path.write_bytes(before[:-9] + b"new" * 700)
    assert parquetext.read_table(path).equals(table(1))
    assert edits.recover(path).message == "put the old tail back"
    assert path.read_bytes() == before
