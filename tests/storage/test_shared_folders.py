"""In a folder that is writable by others, their files are never mistaken for ours, whatever their names."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from support.journals import journal_of, leave_journal, stale_of
from support.systems import needs
from support.users import ANNA, MALLORY, as_user, shared_folder

from parquetext.errors import Conflict, Refused
from parquetext.storage import TailEdit, change, create, journals_beside, old_tail, recover
from parquetext.storage.folder import NEW, beside
from parquetext.storage.operations import Operations

HEAD = bytes(range(256)) * 40
OLD, FORGED = HEAD + b"the old tail" * 128, HEAD + b"what an intruder wants there" * 10
EDIT = TailEdit(len(HEAD), b"new" * 1000)
NEW_CONTENT = HEAD + EDIT.tail

shared = pytest.fixture(shared_folder)


@pytest.fixture
def path(shared) -> Path:
    file = shared / "x.bin"
    file.write_bytes(OLD)
    file.chmod(0o644)
    return file


def forge(path: Path) -> None:
    """Return a journal that claims a file of OLD to be an interrupted change of FORGED."""
    other = path.with_name("other")
    other.write_bytes(FORGED)
    leave_journal(other, TailEdit(len(HEAD), OLD[len(HEAD) :] + b"and more" * 64)).rename(journal_of(path))
    other.unlink()


def commit(path: Path, edit: TailEdit = EDIT, **options) -> str:
    with change(path, **options) as changing:
        changing.commit(edit)
    return changing.settled


PLANTED = {
    "of another user": (lambda journal: os.chown(journal, MALLORY, MALLORY), "belongs to user 61002"),
    "a hard link": (lambda journal: os.link(journal, journal.with_name("other name")), "has 2 hard links"),
    "a symbolic link": (
        lambda journal: (journal.rename(journal.with_name("elsewhere")), journal.symlink_to("elsewhere")),
        "is a symbolic link",
    ),
    "a pipe": (lambda journal: (journal.unlink(), os.mkfifo(journal)), "is not a regular file"),
    "a folder": (lambda journal: (journal.unlink(), journal.mkdir()), "is not a regular file"),
}


@pytest.fixture(params=PLANTED)
def planted(request, path) -> tuple[Path, str]:
    """Create a file next to the name of its journal, and return the reason why that is not trusted."""
    plant, reason = PLANTED[request.param]
    forge(path)
    plant(journal_of(path))
    return path, reason


def test_a_trusted_journal_of_that_content_is_acted_upon(path):
    """Without this, the other tests would test nothing."""
    forge(path)
    assert recover(path) == "put the old tail back" and path.read_bytes() == FORGED


def test_a_journal_that_is_not_trusted_is_never_acted_upon(planted):
    path, reason = planted
    assert old_tail(path) is None
    [found] = journals_beside(path)
    assert (found.verdict, found.message) == ("untrusted", f"{found.name} {reason}: not trusted, and left alone")
    with pytest.raises(Refused, match=reason):
        recover(path)
    with pytest.raises(Refused, match=reason):
        commit(path, in_place=True)
    assert path.read_bytes() == OLD and os.path.lexists(journal_of(path))
    assert reason in commit(path)
    assert path.read_bytes() == NEW_CONTENT and os.path.lexists(journal_of(path))


def test_a_forged_journal_does_not_use_the_write_access_of_root(path):
    assert as_user(MALLORY, lambda: forge(path)) == "None"
    assert as_user(ANNA, lambda: old_tail(path)) == "None"
    with pytest.raises(Refused, match="belongs to user 61002"):
        recover(path)
    assert "belongs to user 61002" in commit(path)
    assert path.read_bytes() == NEW_CONTENT


@pytest.mark.parametrize("owner", [0, ANNA])
def test_the_journal_of_the_files_owner_is_trusted_by_everybody_and_that_of_this_user_by_this_user(path, owner):
    forge(path)
    os.chown(path, ANNA, ANNA)
    os.chown(journal_of(path), owner, owner)
    journal_of(path).chmod(0o644)
    assert as_user(MALLORY, lambda: old_tail(path) is None) == str(owner == 0)
    assert old_tail(path).keep == len(HEAD)
    assert recover(path) == "put the old tail back"


def test_the_owner_can_repair_leftovers_of_root(path):
    os.chown(path, ANNA, ANNA)
    before = path.read_bytes()

    class Dying(Operations):
        def write(self, file, data, offset):
            if os.fstat(file).st_ino == path.stat().st_ino:
                os._exit(9)
            super().write(file, data, offset)

    process = os.fork()
    if process == 0:
        commit(path, in_place=True, operations=Dying())
    os.waitpid(process, 0)
    assert journal_of(path).stat().st_uid == ANNA and path.read_bytes() != before
    assert as_user(ANNA, lambda: recover(path)) == "put the old tail back"
    assert path.read_bytes() == before and os.listdir(path.parent) == ["x.bin"]


def test_a_journal_that_was_set_aside_follows_no_link(path):
    other = path.parent / "victim"
    other.write_bytes(b"the victim's")
    stale_of(path).symlink_to(other)
    forge(path)
    path.write_bytes(OLD + b"another file" * 1000)
    entry = journal_of(path).read_bytes()
    assert recover(path).startswith("set aside")
    assert other.read_bytes() == b"the victim's" and stale_of(path).read_bytes() == entry


@pytest.mark.parametrize(
    "make",
    [
        lambda name, victim: name.symlink_to(victim),
        lambda name, victim: os.mkfifo(name),
        lambda name, victim: name.mkdir(),
    ],
    ids=["link", "pipe", "folder"],
)
def test_a_new_file_is_not_written_through_an_existing_hidden_name(path, make):
    victim, hidden = path.parent / "victim", Path(beside(str(path), NEW))
    victim.write_bytes(b"the victim's")
    make(hidden, victim)
    for write in (commit, create, recover, lambda path: commit(path, in_place=True)):
        with pytest.raises(Refused, match="is not a regular file"):
            write(path)
    assert victim.read_bytes() == b"the victim's" and path.read_bytes() == OLD


def test_the_unfinished_file_of_another_user_is_removed_and_nothing_of_it_used(path):
    hidden = Path(beside(str(path), NEW))
    assert as_user(MALLORY, lambda: hidden.write_bytes(b"theirs")) == "6"
    assert commit(path) == "removed an unfinished new file"
    assert path.read_bytes() == NEW_CONTENT and path.stat().st_uid == 0 and os.listdir(path.parent) == ["x.bin"]


class Swapping(Operations):
    """Renames the folder of a file during its change, and puts a link in its place."""

    def __init__(self, folder: Path, elsewhere: Path):
        self.folder, self.elsewhere = folder, elsewhere

    def create(self, path, mode=0o600, folder=None):
        if not self.folder.is_symlink():
            self.folder.rename(self.folder.with_name("moved"))
            self.folder.symlink_to(self.elsewhere)
        return super().create(path, mode, folder)


@needs("O_DIRECTORY")
@pytest.mark.parametrize("in_place", [False, True])
def test_a_folder_that_is_exchanged_during_a_change_changes_nothing_else(tmp_path, in_place):
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    for each in (folder, elsewhere):
        each.mkdir()
        (each / "x.bin").write_bytes(OLD)
    with change(folder / "x.bin", in_place=in_place, operations=Swapping(folder, elsewhere)) as changing:
        changing.commit(EDIT)
    assert (tmp_path / "moved" / "x.bin").read_bytes() == NEW_CONTENT
    assert (elsewhere / "x.bin").read_bytes() == OLD
    assert os.listdir(tmp_path / "moved") == os.listdir(elsewhere) == ["x.bin"]


def test_a_link_that_takes_the_targets_name_during_a_change_is_not_followed(tmp_path):
    path, victim = tmp_path / "x.bin", tmp_path / "victim"
    for each in (path, victim):
        each.write_bytes(OLD)
    with change(path) as changing:
        path.unlink()
        path.symlink_to(victim)
        with pytest.raises(Conflict):
            changing.commit(EDIT)
    assert path.is_symlink() and victim.read_bytes() == OLD


def test_a_new_file_is_not_written_through_a_strangers_link(shared):
    goal, victim = shared / "_x.parquet.pm", shared / "victim"
    victim.write_bytes(b"the victim's")
    assert as_user(MALLORY, lambda: goal.symlink_to(victim)) == "None"
    with pytest.raises(Refused, match="symbolic link of user 61002"):
        create(goal, owner=ANNA)
    assert victim.read_bytes() == b"the victim's"
    os.chown(goal, ANNA, ANNA, follow_symlinks=False)
    new = create(goal, owner=ANNA)
    new.sink.write(b"ours")
    new.commit()
    assert goal.is_symlink() and victim.read_bytes() == b"ours"


def test_a_strangers_file_passes_on_neither_owner_nor_mode(shared):
    goal = shared / "_x.parquet.pm"
    assert as_user(MALLORY, lambda: (goal.write_bytes(b"theirs"), goal.chmod(0o666))) == "(6, None)"
    new = create(goal, owner=ANNA)
    new.sink.write(b"ours")
    new.commit()
    status = goal.stat()
    assert status.st_uid == 0 and not stat.S_IMODE(status.st_mode) & 0o022
