"""Systems that lack functions of Linux: reads work, changes work or are refused in one line, and no data is lost."""

from __future__ import annotations

import errno
import importlib
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.systems import SYSTEMS, take_away
from support.typer_runner import CliRunner

import parquetext
from parquetext import kernels, sidecar, storage, systems
from parquetext.cli.app import app
from parquetext.errors import Conflict
from parquetext.storage.folder import Folder
from parquetext.storage.operations import Operations
from parquetext.storage.source import TailEdit

TABLE = pa.table({"price": [float(n) for n in range(300)], "id": range(300)})


@pytest.fixture(autouse=True)
def _whole_system(request) -> None:
    if request.config.getoption("--system"):
        pytest.skip("these tests remove functions from a complete system")


@pytest.fixture(params=[*SYSTEMS] if os.name == "posix" else ["windows"])
def system(request, monkeypatch):
    """A system that lacks functions of Linux: this one, or an imitation. Its compiled kernels would use Linux's."""
    if os.name != "posix":
        monkeypatch.setattr(systems, "_said", set())
        yield request.param
        return
    before = kernels.implementation()
    with monkeypatch.context() as patch:
        take_away(request.param, patch.delattr, patch.setitem)
        if request.param == "windows":
            kernels.use("pure")
        yield request.param
    importlib.reload(systems)
    kernels.use(before)


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "wide.parquet"
    pq.write_table(TABLE, path, row_group_size=100)
    return path


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", systems.LacksWarning)
        yield


def test_files_are_read(system, file):
    with parquetext.open(file) as opened:
        assert opened.num_rows == 300 and list(opened.column("price").num_values) == [100, 100, 100]
        assert opened.read(["price"], engine="parquetext").equals(TABLE.select(["price"]))
    assert parquetext.read_table(file).equals(TABLE)
    assert parquetext.read_table(file.as_uri()).equals(TABLE)
    assert parquetext.dataset(file).count_rows() == 300


def test_a_change_keeps_the_values_and_goes_back(system, file):
    before = file.read_bytes()
    parquetext.upgrade(file, form="flat")
    assert pq.read_table(file).equals(TABLE)
    with parquetext.open(file) as opened:
        assert opened.form == "flat"
    assert not parquetext.verify(file).findings
    parquetext.strip(file)
    assert file.read_bytes() == before
    parquetext.encode(file, {"id": "pfor"})
    assert parquetext.read_table(file, ["id"], engine="parquetext").equals(TABLE.select(["id"]))
    parquetext.strip(file)
    assert file.read_bytes() == before
    parquetext.finalize(file, confirm=True)
    parquetext.restore(file)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.parametrize("system", ["windows"], indirect=True)
def test_an_open_file_is_not_replaced_and_the_change_is_refused_in_one_line(system, file):
    before = file.read_bytes()
    with open(file, "rb"), pytest.raises(Conflict, match="Windows does not replace it") as refused:
        parquetext.upgrade(file, form="flat")
    assert "\n" not in str(refused.value)
    assert file.read_bytes() == before and os.listdir(file.parent) == [file.name]


@pytest.mark.parametrize("system", ["windows"], indirect=True)
def test_a_writer_conflicts_with_one_that_replaces_the_file_without_its_lock(system, file):
    """A replaced file must be closed, which ends its lock; from then on, the new file's lock counts."""

    class Pausing(Operations):
        def rename(self, old: str, new: str, folder: Folder | None = None) -> None:
            with pytest.raises(Conflict, match="another process is changing it"), storage.change(file, in_place=True):
                raise AssertionError("two writers at a time")
            super().rename(old, new, folder)

    with storage.change(file, operations=Pausing()) as changing:
        changing.commit(TailEdit(changing.source.size, b"appended"))
    assert file.read_bytes().endswith(b"appended")


def test_a_file_is_changed_in_place_under_its_lock(system, file):
    inode, before = file.stat().st_ino, file.read_bytes()
    parquetext.upgrade(file, form="flat", in_place=True)
    assert file.stat().st_ino == inode
    with storage.change(file), pytest.raises(Conflict):
        parquetext.strip(file)
    parquetext.strip(file, in_place=True)
    assert file.read_bytes() == before


def test_files_and_sidecars_are_written(system, tmp_path):
    path = tmp_path / "new.parquet"
    parquetext.write_table(TABLE, path, form="flat")
    parquetext.write_table(TABLE, path, form="index")  # in the place of the other one
    assert pq.read_table(path).equals(TABLE)
    sidecar.build(path)
    assert not sidecar.compare(path)


def test_the_command_changes_and_shows_a_file(system, file):
    runner = CliRunner()
    assert runner.invoke(app, ["upgrade", str(file), "--form", "flat"]).exit_code == 0
    assert runner.invoke(app, ["inspect", str(file)]).exit_code == 0
    assert runner.invoke(app, ["verify", "--pages", str(file)]).exit_code == 0
    done = runner.invoke(app, ["upgrade", str(file), "--form", "index", "--in-place"])
    assert done.exit_code == 0, done.output
    assert pq.read_table(file).equals(TABLE)


def test_lost_extended_attributes_are_reported_once(system, file, recwarn):
    warnings.simplefilter("always", systems.LacksWarning)
    parquetext.upgrade(file, form="flat")
    parquetext.strip(file)
    message = [str(warning.message) for warning in recwarn if issubclass(warning.category, systems.LacksWarning)]
    assert len(message) == 1 and "extended attributes" in message[0] and "\n" not in message[0]


@pytest.mark.skipif(os.name != "posix", reason="a Mac reads by position")
def test_a_mac_is_asked_for_less_than_2_gib_at_once(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(os, "pread", lambda file, length, offset: asked.append(length) or b"")
    importlib.reload(systems)
    assert systems.pread(0, 1 << 33, 0) == b""
    monkeypatch.undo()
    importlib.reload(systems)
    assert 0 < asked[0] < 1 << 31


@pytest.mark.skipif(os.name != "posix", reason="a Mac has fcntl")
@pytest.mark.parametrize("has_full_flush", [True, False])
def test_a_mac_flushes_the_cache_of_the_drive_if_the_filesystem_can(has_full_flush, monkeypatch):
    import fcntl

    def flush_fully(file: int, operation: int) -> None:
        asked.append((file, operation))
        if not has_full_flush:
            raise OSError(errno.ENOTSUP, "not supported")

    asked, flushed = [], []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", flush_fully)
    monkeypatch.setattr(os, "fsync", flushed.append)
    importlib.reload(systems)
    systems.fsync(7)
    monkeypatch.undo()
    importlib.reload(systems)
    assert asked == [(7, 51)] and flushed == ([] if has_full_flush else [7])


@pytest.mark.skipif(os.name != "posix", reason="removes functions of Linux")
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_public_name_is_imported_there(name):
    """In a process that never had these functions."""
    program = f"""if True:
        import os, sys
        from support import systems as there, windows_files
        for name in there.SYSTEMS[{name!r}]:
            if hasattr(os, name):
                delattr(os, name)
        if {name == "windows"}:
            sys.modules["fcntl"] = None
            sys.modules["parquetext.windows"] = windows_files
            os.environ["PARQUETEXT_PURE"] = "1"
        import parquetext
        from parquetext import footer, sidecar
        from parquetext.cli import app
        for module in (parquetext, footer, sidecar):
            for public in module.__all__:
                getattr(module, public)
        print("imported")"""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(Path(__file__).parents[1])])
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "imported\n" and "Warning" not in done.stderr, done.stderr
