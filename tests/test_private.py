"""The private directory: contents by their SHA-256, for this user alone, whole or not there."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from parquetext import private

FILES = {"module.so": b"code" * 1000, "bin/tool": b"#!/bin/sh\n"}


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_this_user_may_enter_with_any_umask(temporary):
    before = os.umask(0)
    try:
        position = private.keep(FILES)
    finally:
        os.umask(before)
    assert {name: (position / name).read_bytes() for name in FILES} == FILES
    assert mode(position) == mode(position.parent) == 0o700
    assert position.parent.parent == temporary
    assert position.stat().st_uid == position.parent.stat().st_uid == os.getuid()


def test_equal_content_has_one_path_and_other_content_another():
    position = private.keep(FILES)
    written = (position / "module.so").stat()
    assert private.keep(dict(reversed(FILES.items()))) == position
    assert (position / "module.so").stat().st_mtime_ns == written.st_mtime_ns
    assert private.keep(FILES | {"module.so": b"other"}) != position
    assert private.keep({"a": b"bc"}) != private.keep({"ab": b"c"})


def test_changed_content_is_replaced():
    position = private.keep(FILES)
    (position / "module.so").chmod(0o600)
    (position / "module.so").write_bytes(b"cod")
    assert private.keep(FILES) == position
    assert sorted(path.name for path in position.iterdir()) == ["bin", "module.so"]
    assert (position / "module.so").read_bytes() == FILES["module.so"]
    (position / "bin/tool").unlink()
    assert (private.keep(FILES) / "bin/tool").exists()


@pytest.mark.parametrize("open_to", [0o770, 0o701, 0o777])
def test_a_directory_that_other_users_may_enter_is_refused(open_to):
    home = private.keep(FILES).parent
    home.chmod(open_to)
    with pytest.raises(PermissionError, match=f"{home} is not a private directory of this user"):
        private.keep(FILES)


def test_a_link_in_its_place_is_refused(temporary):
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (temporary / f"parquetext-{os.getuid()}").symlink_to(elsewhere)
    with pytest.raises(PermissionError):
        private.keep(FILES)
    assert not list(elsewhere.iterdir())


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_a_directory_of_another_user_is_refused():
    home = private.keep(FILES).parent
    os.chown(home, 65534, -1)
    with pytest.raises(PermissionError, match="owner 65534"):
        private.keep(FILES)


def test_concurrent_calls_agree_and_leave_no_temporary_files():
    with ThreadPoolExecutor(8) as pool:
        positions = set(pool.map(lambda _: private.keep(FILES), range(32)))
    (position,) = positions
    assert [path.name for path in position.parent.iterdir()] == [position.name]
