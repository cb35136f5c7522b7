"""The commit of a write, killed before each of its steps: the old dataset or the new one, ended by the next write."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.objects import BUCKET, names, put, s3_server

import parquetext
from parquetext.errors import Refused
from parquetext.spark.output import committing, staging
from parquetext.spark.output.committing import APPEND, ERROR, IGNORE, OVERWRITE, OVERWRITE_PARTITIONS
from parquetext.spark.output.staging import Folder, Staging
from parquetext.spark.owner import Owner
from parquetext.storage import Target
from parquetext.storage.backends.s3 import S3Backend

OLD, NEW = ["old"], ["new 0", "new 1", "new 2"]
STEPS = 100  # more than a commit has


class Killed(BaseException):
    """No code catches it, and none runs after it, as in a killed process."""


@pytest.fixture
def dataset(tmp_path) -> Folder:
    return Folder.of(Target(str(tmp_path / "data")))


def write_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"text": [text]}), path)


def texts(dataset: Folder) -> list[str] | None:
    """Return the files that every reader sees, without hidden names."""
    if not dataset.exists():
        return None
    return sorted(
        text
        for path in Path(dataset.path).rglob("part-*")
        if "/." not in str(path)[len(dataset.path) :]
        for text in pq.read_table(path, partitioning=None)["text"].to_pylist()
    )


def staged(dataset: Folder, beside: bool) -> tuple[Staging, list[tuple[str, str]]]:
    """A write of three files, in two partitions, and one file of an attempt that was given up."""
    new = Staging.new(dataset, beside)
    positions = [f"k={number % 2}/part-{number}" for number in range(3)]
    for text, position in zip(NEW, positions, strict=True):
        write_file(Path(new.attempts.path, "0-a", position), text)
    write_file(Path(new.attempts.path, "0-b", "part-failed"), "failed")
    return new, [(f"0-a/{position}", position) for position in positions]


def kill_before(monkeypatch, step: int) -> None:
    """Raise `Killed` from the step-th call on that changes anything."""
    calls = iter(range(STEPS))

    def counted(function):
        def call(*arguments, **options):
            if next(calls) >= step:
                raise Killed
            return function(*arguments, **options)

        return call

    class Dying(pafs.LocalFileSystem):
        move, delete_file, create_dir, open_output_stream = (
            counted(getattr(pafs.LocalFileSystem, name))
            for name in ("move", "delete_file", "create_dir", "open_output_stream")
        )

    monkeypatch.setattr(committing.ThreadPoolExecutor, "map", lambda pool, function, items: map(function, items))
    monkeypatch.setattr(pafs, "LocalFileSystem", Dying)
    for owner, name in (
        (os, "rename"),
        (committing, "_exchange"),
        (committing, "_flush"),
        (Folder, "remove"),
        (committing.Manifest, "write"),
    ):
        monkeypatch.setattr(owner, name, counted(getattr(owner, name)))


def numbered_otherwise(stat):
    """`os.stat` on a machine that has another number for the same device."""

    def call(*arguments, **options):
        mode, inode, device, *rest = stat(*arguments, **options)
        return os.stat_result((mode, inode, device + 1, *rest))

    return call


@pytest.mark.parametrize("exchanges", [True, False], ids=["one step", "two renames"])
@pytest.mark.parametrize(
    ("mode", "is_there", "beside"),
    [
        (OVERWRITE, True, True),
        (OVERWRITE, True, False),
        (OVERWRITE, False, True),
        (APPEND, True, False),
        (APPEND, False, True),
        (ERROR, False, True),
    ],
)
def test_a_commit_that_is_killed_anywhere_is_ended_by_the_next_write(tmp_path, mode, is_there, beside, exchanges):
    outcomes = set()
    for step in range(STEPS):
        folder = tmp_path / str(step)
        dataset = Folder.of(Target(str(folder / "data")))
        if is_there:
            write_file(folder / "data" / "part-old", OLD[0])
        new, files = staged(dataset, beside)
        before = texts(dataset)
        after = sorted((OLD if is_there and mode == APPEND else []) + NEW)
        with pytest.MonkeyPatch.context() as patched:
            if not exchanges:
                patched.setattr(committing.ctypes, "CDLL", lambda *_, **__: object())
            kill_before(patched, step)
            dying = Folder(pafs.LocalFileSystem(), dataset.path)
            try:
                committing.commit(Staging(Folder(dying.filesystem, new.folder.path), new.job), dying, files, mode)
                killed = False
            except Killed:
                killed = True
        if beside and (exchanges or not is_there):  # there whole from one moment to the next
            assert texts(dataset) in (before, after)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Owner, "is_alive", lambda owner: False)
            patched.setattr(os, "stat", numbered_otherwise(os.stat))
            committing.settle_leftovers(dataset)
        assert texts(dataset) in (before, after)
        outcomes.add(texts(dataset) == after)
        assert not [path for path in folder.rglob("*") if ".parquetext-" in path.name]
        if not killed:
            assert (folder / "data/_SUCCESS").exists()
            break
    assert step > 5 and outcomes == {False, True}


@pytest.mark.parametrize(
    ("is_local", "exchanges"),
    [(True, True), (True, False), (False, True)],
    ids=["one step", "two renames", "as on a store"],
)
@pytest.mark.parametrize("beside", [True, False], ids=["beside", "within"])
def test_replaced_partitions_are_old_or_new_wherever_the_commit_is_killed(tmp_path, beside, is_local, exchanges):
    old, new_texts = ["old 0", "old 1", "old 2"], ["new 0", "new 1", "new 2", "old 2"]
    outcomes = set()
    for step in range(STEPS):
        folder = tmp_path / str(step)
        dataset = Folder.of(Target(str(folder / "data")))
        for number in range(3):
            write_file(folder / f"data/k={number}/part-{old[number]}", old[number])
        (folder / "data/_SUCCESS").touch()
        new, files = staged(dataset, beside)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Folder, "is_local", is_local)
            if not exchanges:
                patched.setattr(committing.ctypes, "CDLL", lambda *_, **__: object())
            kill_before(patched, step)
            dying = Folder(pafs.LocalFileSystem(), dataset.path)
            try:
                committing.commit(
                    Staging(Folder(dying.filesystem, new.folder.path), new.job), dying, files, OVERWRITE_PARTITIONS
                )
                killed = False
            except Killed:
                killed = True
        found = texts(dataset)
        if is_local and exchanges:  # each partition changes from one moment to the next
            assert [text for text in found if text in ("old 0", "new 0", "new 2")] in (["old 0"], ["new 0", "new 2"])
            assert [text for text in found if text[-1] == "1"] in (["old 1"], ["new 1"])
        assert "old 2" in found
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Owner, "is_alive", lambda owner: False)
            patched.setattr(os, "stat", numbered_otherwise(os.stat))
            committing.settle_leftovers(dataset)
        assert texts(dataset) in (old, new_texts) and (folder / "data/_SUCCESS").exists()
        outcomes.add(texts(dataset) == new_texts)
        assert not [path for path in folder.rglob("*") if ".parquetext-" in path.name]
        if not killed:
            break
    assert step > 5 and outcomes == {False, True}


def test_partitions_replace_those_of_a_dataset_that_was_made_meanwhile(dataset, monkeypatch):
    new, files = staged(dataset, beside=True)
    write = committing.Manifest.write

    def make(*arguments) -> None:
        write_file(Path(dataset.path, "k=0/part-old"), "old 0")
        write_file(Path(dataset.path, "k=2/part-old"), "old 2")
        write(*arguments)

    monkeypatch.setattr(committing.Manifest, "write", make)
    committing.commit(new, dataset, files, OVERWRITE_PARTITIONS)
    assert texts(dataset) == [*NEW, "old 2"]


@pytest.mark.parametrize("theirs", [APPEND, OVERWRITE, OVERWRITE_PARTITIONS])
@pytest.mark.parametrize("beside", [True, False])
def test_a_decision_of_another_machine_is_completed_for_other_partitions_only(dataset, monkeypatch, theirs, beside):
    """Decided, then some of it replaced by partitions: those stay, the rest is done."""
    write_file(Path(dataset.path, "k=1/part-old"), "old 1")
    write_file(Path(dataset.path, "k=2/part-old"), "old 2")
    with monkeypatch.context() as patched:
        patched.setattr(Owner, "driver", lambda: Owner("0" * 8, 1, 1))
        killed, files = staged(dataset, beside)
        patched.setattr(committing, "settle", lambda folder: None)
        committing.commit(killed, dataset, files, theirs)
    os.utime(killed.manifest.path, (1, 1))
    new = Staging.new(dataset, beside)
    write_file(Path(new.attempts.path, "0-a", "k=0", "part-last"), "last")
    committing.commit(new, dataset, [("0-a/k=0/part-last", "k=0/part-last")], OVERWRITE_PARTITIONS)
    assert texts(dataset) == ["last", "old 1", "old 2"]
    monkeypatch.setattr(Owner, "is_alive", lambda owner: False)
    committing.settle_leftovers(dataset)
    assert (
        texts(dataset)
        == {
            APPEND: ["last", "new 1", "old 1", "old 2"],
            OVERWRITE: ["last", "new 1"],
            OVERWRITE_PARTITIONS: ["last", "new 1", "old 2"],
        }[theirs]
    )
    assert not [path for path in Path(dataset.parent.path).rglob("*") if ".parquetext-" in path.name]


@pytest.mark.parametrize(("mode", "left"), [(APPEND, ["new 0", "new 1", "new 2", "old"]), (ERROR, OLD), (IGNORE, OLD)])
@pytest.mark.parametrize("when", ["before", "at the last moment"])
def test_a_dataset_created_meanwhile_is_not_lost(dataset, monkeypatch, mode, left, when):
    new, files = staged(dataset, beside=True)

    def make() -> None:
        write_file(Path(dataset.path, "part-old"), OLD[0])

    if when == "before":
        make()
    else:
        write = committing.Manifest.write
        monkeypatch.setattr(committing.Manifest, "write", lambda *arguments: (make(), write(*arguments)))
    if mode == ERROR:
        with pytest.raises(FileExistsError, match="made meanwhile"):
            committing.commit(new, dataset, files, mode)
    else:
        committing.commit(new, dataset, files, mode)
    assert texts(dataset) == sorted(left)
    assert [path.name for path in Path(dataset.parent.path).iterdir()] == ["data"]


def test_two_that_end_the_same_write_at_once_do_it_once(dataset, monkeypatch):
    write_file(Path(dataset.path, "part-old"), OLD[0])
    new, files = staged(dataset, beside=True)
    with monkeypatch.context() as patched:
        patched.setattr(committing, "settle", lambda folder: None)
        committing.commit(new, dataset, files, OVERWRITE)
    other, look = threading.Thread(target=committing.settle, args=(new.folder,)), committing._is

    def overtaken(*arguments):
        found = look(*arguments)
        if other.ident is None:
            other.start()
            other.join(0.3)
        return found

    monkeypatch.setattr(committing, "_is", overtaken)
    committing.settle(new.folder)
    other.join()
    assert texts(dataset) == NEW
    assert [path.name for path in Path(dataset.parent.path).iterdir()] == ["data"]


def test_a_swap_that_was_done_is_not_done_again(dataset):
    """The next writes of another machine may come before the staging folder goes."""
    write_file(Path(dataset.path, "part-old"), OLD[0])
    new, files = staged(dataset, beside=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Folder, "remove", lambda folder: None)
        committing.commit(new, dataset, files, OVERWRITE)
    later, files = staged(dataset, beside=True)
    committing.commit(later, dataset, files[:1], OVERWRITE)
    committing.settle(new.folder)
    assert texts(dataset) == NEW[:1]


def test_a_file_that_is_gone_stops_the_write_before_anything_is_done(dataset):
    write_file(Path(dataset.path, "part-old"), OLD[0])
    new, files = staged(dataset, beside=True)
    os.unlink((new.attempts / files[1][0]).path)
    with pytest.raises(FileNotFoundError, match="a file that a task has written is gone"):
        committing.commit(new, dataset, files, OVERWRITE)
    committing.settle(new.folder)
    assert texts(dataset) == OLD


def test_an_object_that_cannot_be_copied_stops_the_write_before_anything_is_done(monkeypatch):
    monkeypatch.setattr(S3Backend, "copy_limit", 2)
    with s3_server() as filesystem:
        dataset = Folder(filesystem, f"{BUCKET}/data")
        put(filesystem, f"{dataset.path}/part-old", b"old")
        new = Staging.new(dataset, beside=False)
        put(filesystem, f"{new.attempts.path}/0-a/part-0", b"new")
        with pytest.raises(Refused, match="3 bytes: S3 copies"):
            committing.commit(new, dataset, [("0-a/part-0", "part-0")], OVERWRITE)
        committing.settle(new.folder)
        assert names(filesystem, dataset.path) == ["part-old"]


def test_the_owner_of_a_folder_is_parsed_from_its_name(dataset, monkeypatch):
    mine = Staging.new(dataset, beside=True).folder
    assert Owner.parse(mine.name.partition(".parquetext-")[2]) == Owner.driver()
    assert Owner.driver().is_alive()
    assert staging.leftovers(dataset) == []
    this = Owner.driver()
    assert Owner(this.machine, this.process, this.started + 1).is_alive() is False  # another had its number
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert Owner(this.machine, child, 0).is_alive() is False  # a zombie
    os.waitpid(child, 0)
    assert Owner(this.machine, child, 0).is_alive() is False
    assert Owner("0" * 8, this.process, this.started).is_alive() is None

    def refused(process, signal):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refused)
    assert Owner(this.machine, child, 0).is_alive() is None  # somebody else's, in a /proc that hides those


def test_a_folder_of_another_machine_is_left_over_when_it_has_not_changed_for_long(dataset):
    Path(dataset.path).mkdir()
    theirs = Path(dataset.path, f".parquetext-{'0' * 8}-1-1-{'0' * 16}")
    write_file(theirs / "attempts/0-a/part-0", "text")
    assert staging.leftovers(dataset) == []
    long_ago = os.stat(theirs).st_mtime - staging.FORGOTTEN - 60
    for path in [theirs, *theirs.rglob("*")]:
        os.utime(path, (long_ago, long_ago))
    assert [folder.path for folder in staging.leftovers(dataset)] == [str(theirs)]


@pytest.mark.parametrize("theirs", [APPEND, OVERWRITE])
@pytest.mark.parametrize("beside", [True, False])
def test_an_unfinished_decision_of_another_machine_is_dropped_after_an_overwrite(dataset, monkeypatch, theirs, beside):
    write_file(Path(dataset.path, "part-old"), OLD[0])
    with monkeypatch.context() as patched:
        patched.setattr(Owner, "driver", lambda: Owner("0" * 8, 1, 1))
        killed, files = staged(dataset, beside)
        patched.setattr(committing, "settle", lambda folder: None)
        committing.commit(killed, dataset, files, theirs)
    os.utime(killed.manifest.path, (1, 1))  # some systems tell times by their clock's ticks
    new = Staging.new(dataset, beside)
    write_file(Path(new.attempts.path, "0-a", "part-last"), "last")
    committing.commit(new, dataset, [("0-a/part-last", "part-last")], OVERWRITE)
    assert texts(dataset) == ["last"]
    monkeypatch.setattr(Owner, "is_alive", lambda owner: False)
    committing.settle_leftovers(dataset)
    assert texts(dataset) == ["last"]
    assert not [path for path in Path(dataset.parent.path).rglob("*") if ".parquetext-" in path.name]


def test_leftovers_of_another_machine_are_removed_on_request(spark, dataset, monkeypatch):
    from parquetext.spark import recover

    with monkeypatch.context() as patched:
        patched.setattr(Owner, "driver", lambda: Owner("0" * 8, 1, 1))
        decided, files = staged(dataset, beside=True)
        patched.setattr(committing, "settle", lambda folder: None)
        committing.commit(decided, dataset, files, OVERWRITE)
        begun, _ = staged(dataset, beside=False)
    mine = Staging.new(dataset, beside=True)
    assert sorted(recover(spark, dataset.path)) == sorted([decided.folder.path, begun.folder.path])
    assert texts(dataset) == NEW
    assert mine.running.exists()
    assert recover(spark, dataset.path) == []


def test_foreign_names_are_not_mistaken_for_staging_folders(dataset):
    for name in (".parquetext-notes", ".data.parquetext-new", ".parquetext-12345678-x-1"):
        for position in (dataset.path, dataset.parent.path):
            Path(position, name).mkdir(parents=True)
    assert staging.leftovers(dataset) == []


def test_datasets_with_a_long_common_prefix_are_independent(tmp_path):
    one, other = (Folder.of(Target(str(tmp_path / ("長" * 80 + end)))) for end in "ab")
    new, files = staged(one, beside=True)
    assert staging.stagings(other) == []
    committing.commit(new, one, files, ERROR)
    assert texts(one) == NEW and len(os.listdir(tmp_path)) == 1


def test_a_task_of_a_write_that_is_over_brings_nothing_back(dataset):
    new = Staging.new(dataset, beside=True)
    committing.settle(new.folder)
    with pytest.raises(OSError):
        new.folder.make_below("attempts/0-a")
    assert not new.folder.exists()


def test_a_staging_folder_is_removed_while_attempts_change_it(dataset):
    class Busy(pafs.LocalFileSystem):
        def delete_dir(self, path):
            next(meanwhile)(path)

    remove = pafs.LocalFileSystem().delete_dir
    # A file that was found has another name by now, another has come since; at last nobody writes any more.
    meanwhile = iter([lambda path: remove(f"{path}/renamed"), os.rmdir, remove, remove])
    folder = Staging.new(Folder(Busy(), dataset.path), beside=True).folder
    folder.remove()
    assert not folder.exists()
    folder.remove()  # it is not there
    assert next(meanwhile, None) is None


def test_the_package_reads_committed_rows(dataset):
    new, files = staged(dataset, beside=True)
    committing.commit(new, dataset, files, OVERWRITE)
    assert parquetext.dataset(dataset.path).to_table().num_rows == 3
