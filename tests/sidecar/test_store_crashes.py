"""A writer of a store that dies at any moment: the last commit is read, and the next writer goes on."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.growing import grow
from support.killing import Killed, Killing
from support.powercut import Recording, put, states

from parquetext import sidecar

SECTOR = 512
MORE = pa.table({"a": [1000], "b": ["more"]})


def rows(first: int, count: int = 3) -> pa.Table:
    return pa.table({"a": range(first, first + count), "b": [f"text {n}" for n in range(first, first + count)]})


STEPS = {
    "create": lambda store: store.append(rows(0, 6), row_group_size=3),
    "append": lambda store: store.append(rows(6)),
    "replace": lambda store: store.replace(0, rows(50)),
    "recover": lambda store: (tear(store), store.recover()),
    "compact": lambda store: store.compact(always=True),
    "release": lambda store: store.release(),
}
KILLED = STEPS | {"commit": lambda store: grown(store).commit()}
FEWEST = dict.fromkeys(KILLED, 7) | {"release": 4}  # operations, states after a cut
UNCHANGED = {"recover", "compact", "release"}  # the rows


def grown(store: sidecar.Store) -> sidecar.Store:
    """With rows that another program has appended to its file."""
    grow(os.path.realpath(store.path), rows(70))
    return store


def tear(store: sidecar.Store) -> None:
    """Return the state that a killed append leaves."""
    with open(os.path.join(store.directory, "_0", "data.parquet"), "ab") as file:
        file.write(b"torn")


def content(directory: Path) -> pa.Table | None:
    """Return the committed rows; None if there are none."""
    try:
        with sidecar.Store(directory).snapshot() as snapshot:
            return snapshot.read()
    except FileNotFoundError:
        return None


def same(one: pa.Table | None, other: pa.Table | None) -> bool:
    return one is other if one is None or other is None else one.equals(other)


def check_going_on(directory: Path, now: pa.Table | None) -> None:
    """After `recover` other readers read the file again, and the next commit adds its rows to the committed ones."""
    store = sidecar.Store(directory)
    store.recover()
    if now is not None:
        assert pq.read_table(directory, use_threads=False).equals(now)
        assert sidecar.compare(directory / "data.parquet") == []
    store.append(MORE)
    expected = MORE if now is None else pa.concat_tables([now, MORE])
    assert content(directory).equals(expected)
    assert pq.read_table(directory, use_threads=False).equals(expected)


@pytest.fixture(scope="module")
def stages(tmp_path_factory) -> dict[str, Path]:
    """The store before each step."""
    folder = tmp_path_factory.mktemp("stages")
    store = sidecar.Store(folder / "store")
    (folder / "store").mkdir()
    found = {}
    for name, step in STEPS.items():
        found[name] = folder / name
        shutil.copytree(store.directory, found[name], symlinks=True)
        step(store)
    return found | {"commit": found["replace"]}


@pytest.mark.parametrize("step", KILLED)
@pytest.mark.parametrize("torn", [False, True], ids=["whole", "torn"])
def test_a_kill_at_any_operation_loses_nothing(stages, tmp_path, step, torn):
    before = content(stages[step])
    outcomes, done = [], False
    for k in itertools.count():
        directory = tmp_path / str(k)
        shutil.copytree(stages[step], directory, symlinks=True)
        try:
            KILLED[step](sidecar.Store(directory, operations=Killing(k, torn=torn)))
            done = True
        except Killed:
            pass
        now = content(directory)
        outcomes.append(now)
        check_going_on(directory, now)
        if done:
            break
    assert k >= FEWEST[step], "every operation was killed"
    changes = [number for number in range(1, k + 1) if not same(outcomes[number], outcomes[number - 1])]
    assert same(outcomes[0], before)
    assert len(changes) == (step not in UNCHANGED), "the commit is one operation, and stays"


def recorded(stage: Path, folder: Path, step: str) -> tuple[Recording, pa.Table | None, pa.Table]:
    """A step's operations, and the rows before and after."""
    work = folder / "work"
    shutil.copytree(stage, work, symlinks=True)
    before, recording = content(work), Recording(work, block=SECTOR)
    STEPS[step](sidecar.Store(work, operations=recording))
    return recording, before, content(work)


@pytest.mark.parametrize("step", STEPS)
def test_a_power_cut_at_any_moment_loses_nothing(stages, tmp_path, step):
    recording, before, after = recorded(stages[step], tmp_path, step)
    cut = tmp_path / "cut"
    cut.mkdir()
    seen = 0
    for state in states(recording):
        put(state, cut)
        now = content(cut)
        assert same(now, before) or same(now, after)
        if seen % 3 == 0:
            check_going_on(cut, now)
        seen += 1
    assert seen >= FEWEST[step], "writes were torn"
    for state in states(recording, after=True):
        put(state, cut)
        assert same(content(cut), after), "committed rows stay"


@pytest.mark.parametrize("step", ["append", "replace"])
def test_without_flushes_a_power_cut_breaks_a_store(stages, tmp_path, step):
    recording, before, after = recorded(stages[step], tmp_path, step)
    cut = tmp_path / "cut"
    cut.mkdir()
    outcomes = []
    for state in states(recording, flushes=False):
        put(state, cut)
        try:
            outcomes.append(content(cut))
        except (ValueError, OSError):
            return
    assert not all(same(table, before) or same(table, after) for table in outcomes)


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_an_operation_that_fails_leaves_the_last_commit(stages, tmp_path, call):
    """A full disk: the writer stays usable, and the next commit continues after the written bytes."""
    from parquetext.storage.operations import Operations

    class Failing(Operations):
        left = 0

        def _fail(self):
            self.left -= 1
            if self.left == -1:
                raise OSError(28, "No space left on device")

        def write(self, file, data, offset):
            if call == "write":
                super().write(file, bytes(data)[: len(data) // 2], offset)
                self._fail()
            super().write(file, data, offset)

        def fsync(self, file):
            if call == "fsync":
                self._fail()
            super().fsync(file)

    directory = tmp_path / "store"
    shutil.copytree(stages["append"], directory, symlinks=True)
    operations = Failing()
    store = sidecar.Store(directory, operations=operations)
    expected = content(directory)
    for k in range(4):
        operations.left = k
        with pytest.raises(OSError, match="No space"):
            store.append(rows(900))
        now = content(directory)
        assert same(now, expected) or (k == 3 and now.equals(pa.concat_tables([expected, rows(900)])))
        store.append(rows(10 * k))
        expected = pa.concat_tables([now, rows(10 * k)])
        assert content(directory).equals(expected)
