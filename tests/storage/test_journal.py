"""Changes in place that were interrupted: how the journal is recognised, read and settled."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from parquetext.errors import Malformed
from parquetext.storage import Overlay, TailEdit, change, journal, old_tail, open_source, recover

HEAD = bytes(range(256)) * 400
OLD, NEW = HEAD + b"the old tail", HEAD + b"a new tail, longer than the old one"
LONGER, SHORTER = TailEdit(len(HEAD), NEW[len(HEAD):]), TailEdit(len(HEAD), b"short")


def interrupted(folder: Path, content: bytes, edit: TailEdit = LONGER) -> Path:
    """A file of OLD whose change to `edit` was stopped when it held `content`."""
    path = folder / "x.bin"
    path.write_bytes(OLD)
    with open_source(path) as source:
        entry = journal.encode(source, edit)
    Path(journal.journal_path(str(path))).write_bytes(entry)
    path.write_bytes(content)
    return path


def read_as(path: Path, edit: TailEdit) -> bytes:
    return path.read_bytes()[:edit.keep] + bytes(edit.tail)


STATES = {
    "untouched": (OLD, LONGER), "half": (HEAD + b"a new tail, lo", LONGER),
    "zeros": (HEAD + bytes(len(LONGER.tail)), LONGER),
    "later page first": (OLD + LONGER.tail[len(OLD) - len(HEAD):], LONGER), "cut": (HEAD + b"the o", SHORTER),
    "shorter, not cut": (HEAD + b"short" + OLD[len(HEAD) + 5:], SHORTER),
}


@pytest.mark.parametrize("state", STATES)
def test_a_reader_gets_the_old_tail_and_changes_nothing(tmp_path, state):
    path = interrupted(tmp_path, *STATES[state])
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    assert read_as(path, old_tail(path)) == OLD
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


@pytest.mark.parametrize("state", STATES)
def test_recovery_puts_the_old_tail_back(tmp_path, state):
    path = interrupted(tmp_path, *STATES[state])
    assert recover(path)
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["x.bin"]
    assert recover(path) is None


def test_recovery_keeps_a_change_that_was_whole(tmp_path):
    path = interrupted(tmp_path, NEW)
    assert recover(path) == "the new tail was whole"
    assert path.read_bytes() == NEW and os.listdir(tmp_path) == ["x.bin"]


@pytest.mark.parametrize("in_place", [False, True])
def test_the_next_change_recovers_first(tmp_path, in_place):
    path = interrupted(tmp_path, HEAD + b"a new tail, lo")
    with change(path, in_place=in_place) as changing:
        assert changing.source.read(0, changing.source.size) == OLD
        changing.commit(SHORTER)
    assert path.read_bytes() == HEAD + b"short" and os.listdir(tmp_path) == ["x.bin"]


def test_a_journal_reads_through_a_symbolic_link(tmp_path):
    path = interrupted(tmp_path, HEAD + b"a new tail, lo")
    (tmp_path / "folder").mkdir()
    link = tmp_path / "folder" / "link"
    link.symlink_to(path)
    assert read_as(path, old_tail(link)) == OLD


@pytest.mark.parametrize("spoil", [
    pytest.param(lambda entry: entry[:-1], id="cut"),
    pytest.param(lambda entry: entry[:20], id="cut in the header"),
    pytest.param(lambda entry: b"", id="empty"),
    pytest.param(lambda entry: bytes(len(entry)), id="zeros"),
    pytest.param(lambda entry: entry[:-1] + bytes([entry[-1] ^ 1]), id="tail flipped"),
    pytest.param(lambda entry: entry[:9] + bytes([entry[9] ^ 1]) + entry[10:], id="header flipped"),
    pytest.param(lambda entry: entry + b"x", id="longer"),
])
def test_a_journal_that_is_not_whole_was_never_in_use(tmp_path, spoil):
    path = interrupted(tmp_path, OLD)
    entry = Path(journal.journal_path(str(path)))
    entry.write_bytes(spoil(entry.read_bytes()))
    assert old_tail(path) is None
    assert recover(path) == "removed a journal that was not in use"
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["x.bin"]


@pytest.mark.parametrize("other", [
    NEW + b"longer than both", HEAD, b"", b"x" + NEW[1 << 10:], HEAD[:-1] + b"?" + b"a new ta" * 2,
])
def test_a_journal_never_touches_another_file_of_the_same_name(tmp_path, other):
    path = interrupted(tmp_path, other)
    assert old_tail(path) is None
    recover(path)
    assert path.read_bytes() == other and os.listdir(tmp_path) == ["x.bin"]


def test_without_a_journal_there_is_no_old_tail(tmp_path):
    (tmp_path / "x").write_bytes(b"x")
    assert old_tail(tmp_path / "x") is None


def test_an_overlay_reads_as_the_file_with_the_old_tail(tmp_path):
    path = interrupted(tmp_path, HEAD + b"a new tail, lo")
    edit = old_tail(path)
    with Overlay(open_source(path), edit.keep, edit.tail) as source:
        assert source.size == len(OLD)
        for start, length in ((0, 10), (len(HEAD) - 3, 7), (len(HEAD), 5), (len(OLD), 0), (0, len(OLD))):
            assert source.read(start, length) == OLD[start:start + length]
        with pytest.raises(Malformed):
            source.read(len(OLD) - 1, 2)


def test_the_journal_of_the_documentation_is_what_is_written(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
    described = bytes.fromhex(re.search(r"```hex journal\n(.*?)\n```", page, re.S)[1])
    (tmp_path / "x").write_bytes(b"abcold")
    with open_source(tmp_path / "x") as source:
        assert journal.encode(source, TailEdit(3, b"longer")) == described
