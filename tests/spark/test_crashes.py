"""Notes of attempts: a file that has killed one is passed over, one that a living attempt is at is not."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import uuid

import pytest

from parquetext.spark import crashes, owner
from parquetext.spark.crashes import Crashed, Doing
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.results import RECORDS, Row, as_table, put, store
from parquetext.spark.state import done_before

FILES = ["a", "b", "c", "d"]
ELSEWHERE = "0" * 8  # no machine of ours


@pytest.fixture(params=["local", "memory://"])
def folder(request, tmp_path) -> str:
    return str(tmp_path) if request.param == "local" else f"{request.param}{uuid.uuid4().hex}"


def doing(folder: str, attempt: int, task: int = 7) -> Doing:
    return Doing(Filesystems(), folder, task, attempt)


def attempt(folder: str, number: int, *fatal: str) -> list[str]:
    """Record the files that a task has passed; a fatal one kills this process."""
    passed_over = []
    with doing(folder, number) as at:
        for file in sorted(FILES, key=at.is_doubtful):
            try:
                with at.file(file):
                    if file in fatal:
                        os.kill(os.getpid(), signal.SIGKILL)
            except Crashed:
                passed_over.append(file)
    return passed_over


def has_died(folder: str, number: int, *fatal: str, machine: str = "") -> bool:
    """The same in a process of its own, perhaps of another machine: whether it was killed."""
    child = os.fork()
    if child == 0:
        try:
            if machine:
                owner._machine = lambda: machine
            attempt(folder, number, *fatal)
            os._exit(0)
        finally:
            os._exit(1)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, -signal.SIGKILL)
    return ended != 0


def test_a_file_that_killed_an_attempt_is_skipped_by_all_later_ones(tmp_path):
    assert has_died(str(tmp_path), 1, "b")
    assert attempt(str(tmp_path), 2, "b") == attempt(str(tmp_path), 3, "b") == ["b"]


def test_a_task_with_two_fatal_files_ends_within_the_four_attempts_that_spark_makes(tmp_path):
    assert [has_died(str(tmp_path), number, "a", "c") for number in range(4)] == [True, True, True, False]
    assert attempt(str(tmp_path), 4, "a", "c") == ["a", "c"]


def test_a_file_that_a_living_attempt_is_at_is_done_by_another_all_the_same(folder):
    with doing(folder, 1).file("a"):
        assert attempt(folder, 2) == attempt(folder, 3) == []
        with doing(folder, 2).file("b"):
            late = doing(folder, 3)
            assert [late.is_doubtful(file) for file in FILES] == [True, True, False, False]
            assert attempt(folder, 3) == []
    assert not any(map(doing(folder, 4).is_doubtful, FILES))


def test_an_attempt_that_failed_without_dying_makes_no_file_doubtful(folder):
    with pytest.raises(RuntimeError), doing(folder, 1).file("a"):
        raise RuntimeError
    assert not doing(folder, 2).is_doubtful("a")


def test_a_dead_attempt_of_another_machine_is_known_by_its_silence(tmp_path, monkeypatch):
    monkeypatch.setattr(crashes, "LEASE_SECONDS", 0.2)
    assert has_died(str(tmp_path), 1, "b", machine=ELSEWHERE)
    assert attempt(str(tmp_path), 2, "b") == ["b"]


@pytest.mark.parametrize("ends", [True, False], ids=["ends", "goes on"])
def test_a_living_attempt_of_another_machine_is_known_by_its_next_sign(tmp_path, monkeypatch, ends):
    monkeypatch.setattr(crashes, "BEAT_SECONDS", 0.02)
    monkeypatch.setattr(crashes, "LEASE_SECONDS", 600)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(owner, "_machine", lambda: ELSEWHERE)
        theirs = doing(str(tmp_path), 1)
    with theirs:
        with theirs.file("b"):
            ours = doing(str(tmp_path), 2)
            assert ours.is_doubtful("b")
            if not ends:
                with ours.file("b"):
                    return
        with ours.file("b"):
            return


def test_an_attempt_whose_note_names_no_process_is_known_by_its_silence(folder, monkeypatch):
    monkeypatch.setattr(crashes, "LEASE_SECONDS", 0.2)
    put(Filesystems(), f"{folder}/_doing-00007-1.json", json.dumps({"owner": "", "file": "b"}).encode())
    assert attempt(folder, 2) == ["b"]


def test_only_attempts_after_the_first_write_and_only_while_they_are_at_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(crashes, "BEAT_SECONDS", 0.01)
    assert attempt(str(tmp_path), 0) == []
    assert list(tmp_path.iterdir()) == []
    with doing(str(tmp_path), 1):
        time.sleep(0.1)
        assert list(tmp_path.iterdir()) == []


def test_a_store_that_fails_for_a_moment_costs_neither_a_file_nor_the_signs_of_life(tmp_path, monkeypatch):
    monkeypatch.setattr(crashes, "BEAT_SECONDS", 0.01)
    message = threading.Semaphore(0)
    failing = iter([True, False, True, True])

    def moody(*arguments):
        if next(failing, False):
            raise OSError("503 Slow Down")
        message.release()
        return put(*arguments)

    monkeypatch.setattr(crashes, "put", moody)
    with doing(str(tmp_path), 1) as at, at.file("a"):
        for _ in range(3):  # the note, and signs of life after two that did not get through
            assert message.acquire(timeout=60)


def test_notes_are_no_records(tmp_path):
    folder = tmp_path / "run=1"
    folder.mkdir()
    assert has_died(str(folder), 1, "b")
    store(Filesystems(), str(folder), "part-0.parquet", as_table([Row("a", job="verify", outcome="ok", error=None)]))
    assert any(path.name.startswith("_doing-") for path in folder.iterdir())
    assert done_before(Filesystems(), str(tmp_path), "verify").select(RECORDS.names)["path"].to_pylist() == ["a"]
