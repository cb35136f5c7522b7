"""Systems that lack functions of Linux: reads work, changes work or are refused in one line, and no data is lost."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.systems import SYSTEMS, take_away
from typer.testing import CliRunner

import parquetext
from parquetext import kernels, sidecar, storage, systems
from parquetext.cli.app import app
from parquetext.errors import Conflict, Refused

TABLE = pa.table({"price": [float(n) for n in range(300)], "id": range(300)})


@pytest.fixture(autouse=True)
def _whole_system(request) -> None:
    if request.config.getoption("--system"):
        pytest.skip("these tests remove functions from a complete system")


@pytest.fixture(params=SYSTEMS)
def system(request, monkeypatch):
    """A system that lacks functions of Linux; compiled kernels are not built on Windows."""
    before = kernels.implementation()
    with monkeypatch.context() as patch:
        take_away(request.param, patch.delattr, patch.setitem)
        if request.param == "windows":
            kernels.use("pure")
        yield request.param
    importlib.reload(systems)
    kernels.use(before)


@pytest.fixture
def ignore(system) -> list[str]:
    """Return the options that a change needs there: without locks no other process may change the file."""
    return ["lock"] if system == "windows" else []


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
    assert parquetext.dataset(file).count_rows() == 300


def test_a_change_keeps_the_values_and_goes_back(system, ignore, file):
    before = file.read_bytes()
    parquetext.upgrade(file, form="flat", ignore=ignore)
    assert pq.read_table(file).equals(TABLE)
    with parquetext.open(file) as opened:
        assert opened.form == "flat"
    assert not parquetext.verify(file).findings
    parquetext.strip(file, ignore=ignore)
    assert file.read_bytes() == before
    parquetext.encode(file, {"id": "pfor"}, ignore=ignore)
    assert parquetext.read_table(file, ["id"], engine="parquetext").equals(TABLE.select(["id"]))
    parquetext.strip(file, ignore=ignore)
    assert file.read_bytes() == before
    parquetext.finalize(file, confirm=True, ignore=ignore)
    parquetext.restore(file, ignore=ignore)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.parametrize("system", ["windows"], indirect=True)
def test_without_locks_a_change_is_refused_in_one_line_unless_forced(system, file):
    before = file.read_bytes()
    with pytest.raises(Refused, match="this system has no locks of files"):
        parquetext.upgrade(file, form="flat")
    with pytest.raises(Refused, match="nothing is changed in place"):
        parquetext.upgrade(file, form="flat", in_place=True, ignore=["lock"])
    assert file.read_bytes() == before


@pytest.mark.parametrize("system", ["mac"], indirect=True)
def test_a_mac_changes_files_in_place(system, file):
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


def test_the_command_changes_and_shows_a_file(system, ignore, file):
    runner = CliRunner()
    ignored = [part for what in ignore for part in ("--ignore", what)]
    assert runner.invoke(app, ["upgrade", str(file), "--form", "flat", *ignored]).exit_code == 0
    assert runner.invoke(app, ["inspect", str(file)]).exit_code == 0
    assert runner.invoke(app, ["verify", "--pages", str(file)]).exit_code == 0
    done = runner.invoke(app, ["upgrade", str(file), "--form", "index", "--in-place"])
    assert done.exit_code == (1 if system == "windows" else 0), done.output
    assert ("no locks of files" in done.output) is (system == "windows")
    assert pq.read_table(file).equals(TABLE)


def test_lost_extended_attributes_are_reported_once(system, ignore, file, recwarn):
    warnings.simplefilter("always", systems.LacksWarning)
    parquetext.upgrade(file, form="flat", ignore=ignore)
    parquetext.strip(file, ignore=ignore)
    message = [str(warning.message) for warning in recwarn if issubclass(warning.category, systems.LacksWarning)]
    assert len(message) == 1 and "extended attributes" in message[0] and "\n" not in message[0]


def test_threads_read_one_file_by_position_without_pread(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(b"".join(n.to_bytes(4, "little") for n in range(20_000)))
    wrong = []
    with open(path, "rb") as file:

        def read(first: int) -> None:
            for n in range(first, 20_000, 8):
                if systems._pread(file.fileno(), 4, 4 * n) != n.to_bytes(4, "little"):
                    wrong.append(n)

        threads = [threading.Thread(target=read, args=(first,)) for first in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_public_name_is_imported_there(name):
    """In a process that never had these functions."""
    program = f"""if True:
        import os, sys
        from support import systems as there
        for name in there.SYSTEMS[{name!r}]:
            if hasattr(os, name):
                delattr(os, name)
        if {name == "windows"}:
            sys.modules["fcntl"] = None
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
