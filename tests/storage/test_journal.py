"""Interrupted changes in place: a journal matches one file, is read, and is settled."""

from __future__ import annotations

import os
import random
import re
import shutil
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.journals import journal_of, leave_journal, leave_journal_1, stale_of

from parquetext.errors import Malformed, Refused
from parquetext.storage import Overlay, TailEdit, change, journals_beside, old_tail, open_source, recover
from parquetext.storage.journal import SECTOR

HEAD = bytes(range(256)) * 400 + b"x" * 100
OLD = HEAD + b"the old tail" * 250
LONGER, SHORTER = TailEdit(len(HEAD), b"a new one, longer " * 300), TailEdit(len(HEAD), b"short" * 150)
START = len(HEAD) // SECTOR * SECTOR  # of the sector that the tail begins in


def changed(edit: TailEdit) -> bytes:
    return OLD[: edit.keep] + edit.tail


def interrupted(folder: Path, content: bytes, edit: TailEdit = LONGER, leave=leave_journal) -> Path:
    """Return a file whose change from OLD to `edit` was interrupted when it contained `content`."""
    path = folder / "x.bin"
    path.write_bytes(OLD)
    leave(path, edit)
    path.write_bytes(content)
    return path


def read_as(path: Path, edit: TailEdit) -> bytes:
    return path.read_bytes()[: edit.keep] + bytes(edit.tail)


def sectors(old: bytes, new: bytes, which: str) -> bytes:
    """Return sectors from START on: `o` from the old content, `n` from the new one, `0` for zeros."""
    size = max(len(old), len(new))
    contents = {"o": old.ljust(size, b"\0"), "n": new.ljust(size, b"\0"), "0": bytes(size)}
    ends = [*range(START + SECTOR, START + SECTOR * len(which), SECTOR), size]
    parts = zip(which, [START, *ends], ends, strict=False)
    return old[:START] + b"".join(contents[kind][begin:end] for kind, begin, end in parts)


LONG = changed(LONGER)
STATES = {
    "untouched": (OLD, LONGER),
    "grown": (OLD + bytes(len(LONG) - len(OLD)), LONGER),
    "grown a little": (OLD + bytes(77), LONGER),
    "half": (sectors(OLD, LONG, "nnnnoooooo"), LONGER),
    "later sectors first": (sectors(OLD, LONG, "ooonoonnnnn"), LONGER),
    "holes": (sectors(OLD, LONG, "nononnnn0nnn"), LONGER),
    "cut": (OLD[: len(HEAD) + 750], SHORTER),
    "cut in between": (OLD[: len(HEAD) + 1500], SHORTER),
    "shorter, not cut": (changed(SHORTER) + OLD[len(changed(SHORTER)) :], SHORTER),
    "block cleared behind the cut, not cut": (
        OLD[: len(HEAD) + 750] + bytes(START + 1024 - len(HEAD) - 750) + OLD[START + 1024 :],
        SHORTER,
    ),
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
    path = interrupted(tmp_path, LONG)
    assert recover(path) == "removed a journal that is no longer needed: the new tail is whole"
    assert path.read_bytes() == LONG and os.listdir(tmp_path) == ["x.bin"]


@pytest.mark.parametrize("in_place", [False, True])
def test_the_next_change_recovers_first_and_reports_it(tmp_path, in_place):
    path = interrupted(tmp_path, *STATES["half"])
    with change(path, in_place=in_place) as changing:
        assert changing.source.read(0, changing.source.size) == OLD
        assert changing.settled == "put the old tail back"
        changing.commit(SHORTER)
    assert path.read_bytes() == changed(SHORTER) and os.listdir(tmp_path) == ["x.bin"]


def test_a_journal_reads_through_a_symbolic_link(tmp_path):
    path = interrupted(tmp_path, *STATES["half"])
    (tmp_path / "folder").mkdir()
    link = tmp_path / "folder" / "link"
    link.symlink_to(path)
    assert read_as(path, old_tail(link)) == OLD


def test_a_file_that_was_copied_with_its_journal_is_repaired(tmp_path):
    (tmp_path / "first").mkdir()
    interrupted(tmp_path / "first", *STATES["half"])
    copied = Path(shutil.copytree(tmp_path / "first", tmp_path / "copy")) / "x.bin"
    os.utime(copied, ns=(1, 1))
    assert read_as(copied, old_tail(copied)) == OLD
    assert recover(copied) == "put the old tail back"
    assert copied.read_bytes() == OLD


SPOILED = {
    "cut": lambda entry: entry[:-1],
    "cut in the header": lambda entry: entry[:20],
    "cut behind the header": lambda entry: entry[:80],
    "empty": lambda entry: b"",
    "zeros": lambda entry: bytes(len(entry)),
    "tail flipped": lambda entry: entry[:-1] + bytes([entry[-1] ^ 1]),
    "header flipped": lambda entry: entry[:9] + bytes([entry[9] ^ 1]) + entry[10:],
    "sums flipped": lambda entry: entry[:85] + bytes([entry[85] ^ 1]) + entry[86:],
    "longer": lambda entry: entry + b"x",
    "tail missing": lambda entry: entry[:-3000] + bytes(3000),
    "header missing": lambda entry: bytes(80) + entry[80:],
}


@pytest.mark.parametrize("spoil", SPOILED)
def test_a_journal_that_is_not_whole_was_never_in_use(tmp_path, spoil):
    path = interrupted(tmp_path, OLD)
    entry = journal_of(path)
    entry.write_bytes(SPOILED[spoil](entry.read_bytes()))
    assert old_tail(path) is None
    assert recover(path) == "removed a journal of a change that had not begun"
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["x.bin"]


def test_a_journal_of_a_later_version_is_left_to_that(tmp_path):
    path = interrupted(tmp_path, *STATES["half"])
    entry = journal_of(path)
    entry.write_bytes(b"PQXJRNL3" + entry.read_bytes()[8:])
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    assert old_tail(path) is None
    with pytest.raises(Refused, match="is of a later version"):
        recover(path)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


def test_a_journal_that_claims_more_than_it_holds_takes_no_memory_for_it(tmp_path):
    path = interrupted(tmp_path, OLD)
    entry = bytearray(journal_of(path).read_bytes())
    entry[24:32] = (1 << 62).to_bytes(8, "little")  # the new length, and so the number of checksums
    entry[76:80] = zlib.crc32(entry[:76]).to_bytes(4, "little")
    journal_of(path).write_bytes(entry)
    assert recover(path) == "removed a journal of a change that had not begun"
    assert path.read_bytes() == OLD


HALF = STATES["half"][0]
FOREIGN = {
    "longer than both": LONG + b"more",
    "shorter than both": HEAD,
    "empty": b"",
    "others before the tail": b"?" * len(HEAD) + HALF[len(HEAD) :],
    "another last byte of these": OLD[:-1] + b"!",
    "appended to": OLD + b"appended by another program",
    "one byte of one sector": HALF[: START + 700] + b"!" + HALF[START + 701 :],
    "the same sectors elsewhere": HEAD + HALF[len(HEAD) :][::-1],
    "cut in the middle of a new sector": LONG[: len(OLD) + 100],
    "zeros in the old tail": OLD[:-600] + bytes(600),
}


@pytest.mark.parametrize("edit", [LONGER, SHORTER], ids=["longer", "shorter"])
@pytest.mark.parametrize("other", FOREIGN)
def test_the_journal_of_another_file_is_set_aside(tmp_path, other, edit):
    path = interrupted(tmp_path, FOREIGN[other], edit)
    entry = journal_of(path).read_bytes()
    assert old_tail(path) is None
    [found] = journals_beside(path)
    assert found.verdict == "others"
    done = recover(path)
    assert done.startswith(f"set aside a journal for a file of {len(OLD)} bytes, inode ")
    assert done.endswith("UTC: not for this one; it is .x.bin.parquetext-journal-stale")
    assert path.read_bytes() == FOREIGN[other]
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == {
        "x.bin": FOREIGN[other],
        stale_of(path).name: entry,
    }
    [found] = journals_beside(path)
    assert found.message == "the journal of another file, which was set aside"
    assert recover(path) is None


@pytest.mark.parametrize("in_place", [False, True])
def test_a_change_continues_if_the_journal_is_of_another_file(tmp_path, in_place):
    other = OLD[:-1] + b"!"
    path = interrupted(tmp_path, other)
    with change(path, in_place=in_place) as changing:
        assert changing.settled.startswith("set aside")
        changing.commit(SHORTER)
    assert path.read_bytes() == changed(SHORTER)
    assert sorted(os.listdir(tmp_path)) == [stale_of(path).name, "x.bin"]


contents = st.integers(0, 2600).flatmap(lambda size: st.binary(min_size=size, max_size=size))


@given(kept=st.integers(0, 1100), old=contents, new=contents, data=st.data())
def test_every_mixture_of_sectors_is_recognised_and_no_other_byte_passes(tmp_path_factory, kept, old, new, data):
    head = bytes(index % 251 for index in range(kept))
    path = tmp_path_factory.mktemp("mixture") / "x.bin"
    path.write_bytes(head + old)
    leave_journal(path, TailEdit(kept, new))
    cut, end = kept + min(len(old), len(new)), kept + max(len(old), len(new))
    mixed, at = bytearray(head), kept
    while at < end:
        stop = min((at // SECTOR + 1) * SECTOR, end)
        stop = cut if at < cut < stop else stop
        side = data.draw(st.sampled_from([old, new]))
        mixed += side[at - kept : stop - kept].ljust(stop - at, b"\0")
        at = stop
    path.write_bytes(mixed)
    assert read_as(path, old_tail(path)) == head + old
    if end > kept:
        spot = data.draw(st.integers(kept, end - 1))
        sides = {side[spot - kept : spot - kept + 1] or b"\0" for side in (old, new)}
        mixed[spot] = data.draw(st.integers(0, 255).filter(lambda byte: bytes([byte]) not in sides))
        path.write_bytes(mixed)
        assert old_tail(path) is None
        recover(path)
        assert path.read_bytes() == mixed
    shutil.rmtree(path.parent)


def peak_of(work) -> int:
    """Return the peak of allocated memory in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("old", "new"), [(3 << 20, 5 << 20), (5 << 20, 3 << 20)], ids=["longer", "shorter"])
def test_large_tails_are_written_compared_and_put_back_in_steps(tmp_path, old, new):
    path, chance = tmp_path / "x.bin", random.Random(old)
    before, edit = HEAD + chance.randbytes(old + 77), TailEdit(len(HEAD), chance.randbytes(new + 99))
    after = HEAD + edit.tail
    path.write_bytes(before)
    leave_journal(path, edit)
    middle = (len(HEAD) + min(old, new) // 2) // SECTOR * SECTOR
    path.write_bytes((after[:middle] + before[middle:]).ljust(len(after), b"\0"))
    assert peak_of(lambda: recover(path)) < 6 << 20
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["x.bin"]
    with change(path, in_place=True) as changing:
        assert peak_of(lambda: changing.commit(edit)) < 3 << 20
    assert path.read_bytes() == after
    leave_journal(path, edit)
    for flipped in (middle, len(after) - 1, len(HEAD)):
        path.write_bytes(after[:flipped] + bytes([after[flipped] ^ 1]) + after[flipped + 1 :])
        assert old_tail(path) is None


def ends_in(end: bytes):
    return lambda source: source.read_tail(len(end))[1] == end


@pytest.mark.parametrize(
    ("content", "done"),
    [
        (HEAD + b"a new tail, lo", "put the old tail back"),
        (HEAD + b"one of another file: sound", "set aside"),
        (OLD, "removed a journal that is no longer needed: the old tail"),
        (LONG, "removed a journal that is no longer needed: the new tail"),
        (b"?" + OLD[1 : len(HEAD) - 1] + b"?" * 100, "set aside"),
        (LONG + b"x", "set aside"),
    ],
)
def test_a_journal_of_version_1_counts_only_for_a_file_without_a_sound_end(tmp_path, content, done):
    path = interrupted(
        tmp_path,
        content.ljust(len(OLD), b".")
        if done == "put the old tail back"
        else content.replace(b": sound", b":".ljust(3000) + b": sound"),
        leave=leave_journal_1,
    )
    before, is_sound = path.read_bytes(), ends_in(b": sound")
    assert (old_tail(path, is_sound) is None) == (done == "set aside")
    assert recover(path, is_sound=is_sound).startswith(done)
    assert path.read_bytes() == (OLD if done == "put the old tail back" else before)


def test_a_journal_of_version_1_is_set_aside_without_a_check_for_valid_footers(tmp_path):
    path = interrupted(tmp_path, HEAD + b"a new tail, lo".ljust(3000), leave=leave_journal_1)
    assert old_tail(path) is None
    assert recover(path).startswith("set aside a journal of version 1, for a file of")


def test_without_a_journal_there_is_no_old_tail(tmp_path):
    (tmp_path / "x").write_bytes(b"x")
    assert old_tail(tmp_path / "x") is None and journals_beside(tmp_path / "x") == []


def test_an_overlay_reads_as_the_file_with_the_old_tail(tmp_path):
    path = interrupted(tmp_path, *STATES["half"])
    edit = old_tail(path)
    with Overlay(open_source(path), edit.keep, edit.tail) as source:
        assert source.size == len(OLD)
        for start, length in ((0, 10), (len(HEAD) - 3, 7), (len(HEAD), 5), (len(OLD), 0), (0, len(OLD))):
            assert source.read(start, length) == OLD[start : start + length]
        with pytest.raises(Malformed):
            source.read(len(OLD) - 1, 2)


def example(version: str) -> bytes:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
    return bytes.fromhex(re.search(rf"```hex {version}\n(.*?)\n```", page, re.S)[1])


def test_the_documented_journal_is_written(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"abcold")
    entry = bytearray(leave_journal(path, TailEdit(3, b"longer" * 100)).read_bytes())
    entry[32:64] = b"".join(number.to_bytes(8, "little") for number in (2049, 77, 10**18, 10**18 + 1))
    entry[76:80] = zlib.crc32(entry[:76]).to_bytes(4, "little")
    assert entry == example("journal")


def test_the_journal_of_version_1_in_the_documentation_is_read(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"abclong??")
    journal_of(path).write_bytes(example("journal-1"))
    assert read_as(path, old_tail(path, lambda source: False)) == b"abcold"
