"""Sidecars have predictable names: files that another user put there are not written through."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.users import ANNA, MALLORY, as_user, shared_folder

import parquetext
from parquetext import edits, sidecar
from parquetext.errors import ParquetextError, Refused
from parquetext.sidecar import building, following
from parquetext.storage import open_source
from parquetext.storage.operations import Operations

TABLE = pa.table({"n": list(range(1000)), "text": [str(n) for n in range(1000)]})

shared = pytest.fixture(shared_folder)


@pytest.fixture
def path(shared) -> Path:
    pq.write_table(TABLE, shared / "x.parquet", row_group_size=400)
    return shared / "x.parquet"


def beside(path: Path) -> Path:
    return path.with_name(f"_{path.name}.pm")


@pytest.mark.parametrize("verb", [sidecar.build, sidecar.update])
def test_a_strangers_link_under_a_sidecars_name_is_not_followed(path, verb):
    victim = path.parent / "victim"
    victim.write_bytes(b"the victim's")
    assert as_user(MALLORY, lambda: beside(path).symlink_to(victim)) == "None"
    with pytest.raises(Refused, match="symbolic link of user 61002"):
        verb(path)
    assert victim.read_bytes() == b"the victim's"
    assert sorted(os.listdir(path.parent)) == ["_x.parquet.pm", "victim", "x.parquet"]


def test_an_upgrade_renews_no_sidecar_through_a_strangers_link(path):
    victim = path.with_name("victim.pm")
    pq.write_table(TABLE, path.with_name("victim"))
    sidecar.build(path.with_name("victim"), sidecar=victim)
    before = victim.read_bytes()
    assert as_user(MALLORY, lambda: beside(path).symlink_to(victim)) == "None"
    assert edits.upgrade(path, form="flat").outcome == "upgraded"
    assert victim.read_bytes() == before and not beside(path).is_symlink()


def test_a_link_of_the_files_owner_is_followed(path):
    os.chown(path, ANNA, ANNA)
    position = path.with_name("elsewhere.pm")
    beside(path).symlink_to(position)
    os.chown(beside(path), ANNA, ANNA, follow_symlinks=False)
    assert sidecar.build(path).outcome == "built"
    assert beside(path).is_symlink() and sidecar.open(path, sidecar=position).num_rows == 1000


def test_a_strangers_sidecar_is_replaced_with_a_new_owner(path):
    os.chown(path, ANNA, ANNA)
    path.chmod(0o644)
    assert as_user(MALLORY, lambda: sidecar.build(path).outcome) == "built"
    assert beside(path).stat().st_uid == MALLORY
    pq.write_table(pa.concat_tables([TABLE, TABLE]), path, row_group_size=400)
    assert sidecar.update(path).outcome == "rebuilt"
    assert beside(path).stat().st_uid == 0


def test_an_upgrade_succeeds_if_a_strangers_sidecar_cannot_be_removed(path):
    os.chown(path, ANNA, ANNA)
    path.chmod(0o644)
    assert as_user(MALLORY, lambda: sidecar.build(path).outcome) == "built"
    assert as_user(ANNA, lambda: edits.upgrade(path, form="flat", in_place=True).outcome) == "upgraded"
    assert beside(path).stat().st_uid == MALLORY
    with pytest.raises(ParquetextError, match="made from another content"):
        sidecar.open(path, sidecar=beside(path))


def in_folder(path: Path) -> list[int]:
    """The values that a dataset of the folder finds by a filter."""
    return parquetext.dataset(path.parent).to_table(filter=pc.field("n") > 0)["n"].to_pylist()


def test_no_reader_loses_rows_to_a_strangers_sidecar(shared, monkeypatch, implementation):
    """A stranger's sidecar matches the file in all recorded properties, and has wrong rows."""
    path, other = shared / "x.parquet", shared / "other.parquet"
    for file, sign in ((path, 1), (other, -1)):
        table = pa.table({"n": [sign * n for n in range(1, 1000)]})
        pq.write_table(table, file, use_dictionary=False, compression="NONE")
        os.chown(file, ANNA, ANNA)
    with open_source(path) as source:
        building.settle(source)
        of = building.Origin.of(building.footer_bytes(source)[1], source.version, [])
    with monkeypatch.context() as lie:
        lie.setattr(building.Origin, "of", lambda *_, **__: of)
        sidecar.build(other)
    lying = beside(other).read_bytes()
    for file in (other, beside(other)):
        file.unlink()
    assert as_user(MALLORY, lambda: beside(path).write_bytes(lying)) == str(len(lying))
    assert in_folder(path) == list(range(1, 1000))
    assert parquetext.read_table(path, filters=[("n", ">", 0)], sidecar=True).num_rows == 999
    with pytest.raises(Refused, match="belongs to user 61002, in a folder"):
        sidecar.open(path)
    os.chown(beside(path), ANNA, ANNA)  # the file's owner is trusted
    assert in_folder(path) == []


def test_another_users_sidecar_is_read_in_a_folder_that_is_not_shared(path):
    os.chown(path, ANNA, ANNA)
    path.chmod(0o644)
    assert as_user(MALLORY, lambda: sidecar.build(path).outcome) == "built"
    with pytest.raises(Refused, match="belongs to user 61002"):
        sidecar.open(path)
    assert sidecar.open(path, sidecar=beside(path)).num_rows == 1000
    path.parent.chmod(0o777)
    assert sidecar.open(path).num_rows == 1000


def files_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in os.listdir(folder)}


@pytest.fixture
def victim(shared) -> Path:
    """A folder with files that a store's have the names of."""
    folder = shared / "victim"
    folder.mkdir()
    for name in ("data.parquet", "_pm"):
        (folder / name).write_bytes(b"the victim's")
    return folder


@pytest.mark.parametrize("generation", [0, 1], ids=["committed", "unfinished"])
def test_a_store_does_not_change_the_targets_of_its_links(shared, victim, generation):
    """A generation that was not committed is removed with its files: those of a folder elsewhere were."""
    store = sidecar.Store(shared / "store")
    store.append(TABLE)
    folder = shared / "store" / f"_{generation}"
    if folder.exists():
        folder.rename(shared / "moved")
    folder.symlink_to(victim)
    before = files_of(victim)
    for change in (lambda: store.append(TABLE), store.recover, store.compact, store.release):
        with pytest.raises(Refused, match="is not a folder"):
            change()
    assert files_of(victim) == before


@pytest.mark.parametrize("name", ["_token", "_lock", "_0/data.parquet", "_0/_pm"])
def test_a_store_follows_no_link_in_the_place_of_its_files(shared, victim, name):
    store = sidecar.Store(shared / "store")
    store.append(TABLE)
    path = shared / "store" / name
    path.rename(shared / "moved")
    path.symlink_to(shared / "moved")
    before = (shared / "moved").read_bytes()
    with pytest.raises((Refused, OSError), match=r"is not a regular file|symbolic links"):
        store.append(TABLE)
    assert (shared / "moved").read_bytes() == before


def test_a_store_in_a_shared_folder_is_not_led_by_a_strangers_token(shared, victim):
    def plant() -> None:
        store = sidecar.Store(shared / "mallorys")
        store.append(TABLE)
        (shared / "mallorys" / "_token").rename(shared / "store" / "_token")
        (shared / "mallorys" / "_0").rename(shared / "store" / "_0")
        (shared / "store" / "_0" / "data.parquet").rename(shared / "store" / "_0" / "theirs")
        (shared / "store" / "_0" / "data.parquet").symlink_to(victim / "data.parquet")

    (shared / "store").mkdir()
    (shared / "store").chmod(0o1777)
    assert as_user(MALLORY, plant) == "None"
    with pytest.raises(Refused, match="belongs to user 61002"):
        sidecar.Store(shared / "store").append(TABLE)
    assert set(files_of(victim).values()) == {b"the victim's"}


@pytest.fixture
def private(tmp_path) -> Path:
    pq.write_table(TABLE, tmp_path / "data.parquet")
    return tmp_path / "data.parquet"


@pytest.mark.parametrize("sidecar_name", ["_pm", "_data.parquet.pm"])
def test_recover_removes_the_leftovers_of_a_killed_build(private, sidecar_name):
    process = os.fork()
    if process == 0:
        Operations.rename = lambda *_: os._exit(9)
        sidecar.build(private, sidecar=private.with_name(sidecar_name))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9
    assert f".{sidecar_name}.parquetext-new" in os.listdir(private.parent)
    done = edits.recover(private)
    assert (done.outcome, done.message) == ("recovered", f"removed an unfinished {sidecar_name}")
    assert os.listdir(private.parent) == ["data.parquet"]
    assert edits.recover(private).outcome == "unchanged"


def test_recover_does_not_disturb_a_running_build(private):
    from parquetext.storage import create

    position = following.candidates(private)[0]
    new = create(position)
    assert edits.recover(private).outcome == "unchanged"
    new.sink.write(b"whole")
    new.commit()
    assert Path(position.path).read_bytes() == b"whole"
