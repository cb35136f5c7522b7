"""Several processes change one file at once: each change happens whole, or is a Conflict."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import TABLE, parquet_bytes

from parquetext import edits
from parquetext.errors import Conflict

ROUNDS = 25


def writer(path: Path, in_place: bool, barrier, outcomes) -> None:
    """Upgrade and strip again and again, and return the outcomes."""
    done = conflicts = 0
    barrier.wait()
    for turn in range(ROUNDS):
        try:
            if turn % 2:
                edits.strip(path, in_place=in_place)
            else:
                edits.upgrade(path, form="flat", in_place=in_place)
            done += 1
        except Conflict:
            conflicts += 1
    outcomes.put((done, conflicts))


@pytest.mark.parametrize("modes", [(False, False), (True, True), (False, True)], ids=["replace", "in-place", "both"])
def test_writers_never_mix(tmp_path, modes):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_bytes())
    plain = path.read_bytes()
    edits.upgrade(path, form="flat")
    upgraded = path.read_bytes()

    context = multiprocessing.get_context("fork")
    barrier, outcomes = context.Barrier(len(modes) + 1), context.Queue()
    writers = [context.Process(target=writer, args=(path, mode, barrier, outcomes)) for mode in modes]
    for process in writers:
        process.start()
    barrier.wait()
    while any(process.is_alive() for process in writers):
        if not any(modes):
            assert pq.read_table(path, use_threads=False).equals(TABLE)
    for process in writers:
        process.join()
        assert process.exitcode == 0
    counts = [outcomes.get() for _ in writers]
    assert sum(done for done, _ in counts) > 0
    assert path.read_bytes() in (plain, upgraded)
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.parquet"]
