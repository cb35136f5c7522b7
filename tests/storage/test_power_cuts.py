"""A power cut at any moment of a change loses nothing, for each state that the disk may have."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from support.powercut import Recording, put, states

from parquetext.storage import TailEdit, change, old_tail, recover, rewriting
from parquetext.storage.operations import Operations

HEAD = bytes(range(256)) * 20 + b"not at a sector"
OLD = HEAD + b"old" * 4000
EDITS = {
    "longer": TailEdit(len(HEAD), b"longer" * 4000),
    "shorter": TailEdit(len(HEAD), b"short"),
    "as long": TailEdit(len(HEAD), b"new" * 4000),
    "appended": TailEdit(len(OLD), b"appended" * 2000),
}


class Unflushed(Operations):
    """Operations that do not wait for the disk, because only the recorded operations count."""

    def fsync(self, file):
        """Do nothing: the data is in memory."""

    def fsync_folder(self, folder):
        """Do nothing: the names are in memory."""


UNFLUSHED = Unflushed()


@pytest.fixture(params=EDITS)
def edit(request) -> TailEdit:
    return EDITS[request.param]


def recorded(folder: Path, edit: TailEdit, in_place: bool, block: int = 4096) -> Recording:
    (folder / "x.bin").write_bytes(OLD)
    recording = Recording(folder, block=block)
    with change(folder / "x.bin", in_place=in_place, operations=recording) as changing:
        changing.commit(edit)
    return recording


def new_content(edit: TailEdit) -> bytes:
    return OLD[: edit.keep] + edit.tail


def test_replacing_leaves_the_old_file_or_the_new_one_at_every_moment(tmp_path, edit):
    recording = recorded(tmp_path, edit, in_place=False)
    contents = {dict(state)["x.bin"] for state in states(recording)}
    assert contents == {OLD, new_content(edit)}


def test_rewriting_a_file_leaves_the_old_one_or_the_new_one_at_every_moment(tmp_path):
    (tmp_path / "x.bin").write_bytes(OLD)
    recording = Recording(tmp_path)
    with (
        change(tmp_path / "x.bin", operations=recording, keep_mtime=True) as changing,
        rewriting(changing) as written,
    ):
        written.sink.write(b"first")
        written.sink.copy(3, len(OLD) - 5)
        written.sink.write(b"last")
        written.commit()
    contents = {dict(state)["x.bin"] for state in states(recording)}
    assert contents == {OLD, b"first" + OLD[3:-5] + b"last"}


@pytest.mark.parametrize("block", [512, 4096], ids=["sectors", "pages"])
def test_a_change_in_place_can_be_read_and_recovered_at_every_moment(tmp_path, edit, block):
    recording = recorded(tmp_path, edit, in_place=True, block=block)
    path = tmp_path / "x.bin"
    outcomes, torn = set(), 0
    for state in states(recording):
        put(state, tmp_path)
        now = path.read_bytes()
        if now not in (OLD, new_content(edit)):
            torn += 1
            under_journal = old_tail(path)
            assert now[: under_journal.keep] + under_journal.tail == OLD
        recover(path, operations=UNFLUSHED)
        outcomes.add(path.read_bytes())
        assert os.listdir(tmp_path) == ["x.bin"]
    assert outcomes == {OLD, new_content(edit)}
    assert torn


def test_a_cut_during_recovery_loses_nothing_either(tmp_path, edit):
    path = tmp_path / "x.bin"
    interrupted = list(states(recorded(tmp_path, edit, in_place=True)))
    seen = set()
    for state in interrupted[::5]:
        put(state, tmp_path)
        recording = Recording(tmp_path)
        recover(path, operations=recording)
        seen |= set(states(recording))
    outcomes = set()
    for state in seen:
        put(state, tmp_path)
        recover(path, operations=UNFLUSHED)
        outcomes.add(path.read_bytes())
    assert outcomes <= {OLD, new_content(edit)}


@pytest.mark.parametrize("first", [False, True], ids=["replaced", "in place"])
@pytest.mark.parametrize("second", [False, True], ids=["then replaced", "then in place"])
def test_a_cut_during_or_after_a_second_change_leaves_one_of_three_contents(tmp_path, edit, first, second):
    """Even if the cut restores the journal of the first change."""
    path = tmp_path / "x.bin"
    path.write_bytes(OLD)
    recording = Recording(tmp_path)
    last = TailEdit(len(HEAD) - 99, b"of the second" * 900)
    for in_place, each in ((first, edit), (second, last)):
        with change(path, in_place=in_place, operations=recording) as changing:
            changing.commit(each)
    outcomes = set()
    for state in itertools.chain(states(recording), states(recording, after=True)):
        put(state, tmp_path)
        recover(path, operations=UNFLUSHED)
        outcomes.add(path.read_bytes())
        brought_back = {".x.bin.parquetext-journal-stale"} if first and not second else set()
        assert set(os.listdir(tmp_path)) - brought_back == {"x.bin"}
    assert outcomes == {OLD, new_content(edit), HEAD[:-99] + last.tail}


@pytest.mark.parametrize("in_place", [False, True], ids=["replace", "in-place"])
def test_without_flushes_a_power_cut_breaks_a_file(tmp_path, in_place):
    edit = EDITS["longer"]
    recording = recorded(tmp_path, edit, in_place)
    path = tmp_path / "x.bin"
    outcomes = set()
    for state in states(recording, flushes=False):
        put(state, tmp_path)
        recover(path, operations=UNFLUSHED)
        outcomes.add(path.read_bytes())
    assert outcomes - {OLD, new_content(edit)}
