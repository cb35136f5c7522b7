"""Tables whose logs record the size of each file: a change of the footer would break their readers."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator

from .. import sidecar
from ..sidecar.store_layout import store_of
from ..storage import LocalTarget, RemoteTarget, resolve
from ..storage.forcing import refuse

__all__ = [
    "ICEBERG_FOLDER",
    "ICEBERG_SUFFIXES",
    "LOG_FOLDERS",
    "QUESTDB",
    "QUESTDB_FILES",
    "membership",
    "refuse_foreign_sidecar",
    "refuse_table_files",
    "table_above",
]

LOG_FOLDERS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}
ICEBERG_FOLDER = "metadata"
ICEBERG_SUFFIXES = (".metadata.json", ".metadata.json.gz")
QUESTDB = "QuestDB"
QUESTDB_FILES = ("_txn", "_meta")  # of a table's folder, in which each partition has one of its own


def refuse_table_files(path: object, forced: frozenset[str]) -> None:
    """Refuse a file whose size somebody has recorded: a table above it, or a sidecar of others beside it."""
    if "table-format" in forced:
        return
    if found := table_above(path):
        refuse(forced, "table-format", membership(*found), str(resolve(path)))
    refuse_foreign_sidecar(path, forced)


def refuse_foreign_sidecar(path: object, forced: frozenset[str]) -> None:
    """Refuse a file beside which a sidecar without our note stands, as QuestDB writes them, unless forced."""
    if "table-format" not in forced and (theirs := sidecar.foreign_beside(path)):
        refuse(
            forced,
            "table-format",
            f"{theirs}, which parquetext has not made, records its size, as QuestDB's sidecars do",
            str(resolve(path)),
        )


def membership(kind: str, folder: str) -> str:
    """Why a table's file must not be changed."""
    return f"it belongs to the {kind} table at {folder}, whose log records its size; a sidecar leaves the file as it is"


def table_above(path: object) -> tuple[str, str] | None:
    """The table format above a file and the table's folder, or None. Looks into every folder up to the root."""
    target = resolve(path)
    if isinstance(target, RemoteTarget):
        return _remote_table(target)
    if (store := store_of(target.path)) is not None:
        return "sidecar.Store", store
    return next((found for folder in _folders_above(target) if (found := _local_table(folder))), None)


def _folders_above(target: LocalTarget) -> Iterator[str]:
    """Of the name as given and, where symbolic links lead elsewhere, of the file itself."""
    seen = set()
    for path in (os.path.abspath(target.path), os.path.realpath(target.path)):
        folder = os.path.dirname(path)
        while folder not in seen:
            seen.add(folder)
            yield folder
            folder = os.path.dirname(folder)


def _local_table(folder: str) -> tuple[str, str] | None:
    for name, kind in LOG_FOLDERS.items():
        if os.path.isdir(os.path.join(folder, name)):
            return kind, folder
    if all(os.path.isfile(os.path.join(folder, name)) for name in QUESTDB_FILES):
        return QUESTDB, folder
    try:
        with os.scandir(os.path.join(folder, ICEBERG_FOLDER)) as entries:
            if any(entry.name.endswith(ICEBERG_SUFFIXES) for entry in entries):
                return "Iceberg", folder
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    return None


def _remote_table(target: RemoteTarget) -> tuple[str, str] | None:
    import pyarrow.fs as pafs

    folders = []
    folder = posixpath.dirname(target.path)
    while folder and folder != "/":
        folders.append(folder)
        folder = posixpath.dirname(folder)
    names = [*LOG_FOLDERS, ICEBERG_FOLDER]
    asked = [posixpath.join(folder, name) for folder in folders for name in names]
    # A partition's table is the folder above it: each question is a request.
    asked += [posixpath.join(folder, name) for folder in folders[1:2] for name in QUESTDB_FILES]
    infos = iter(target.filesystem.get_file_info(asked))
    for folder in folders:
        for name, info in zip(names, infos, strict=False):
            if info.type != pafs.FileType.Directory:
                continue
            if name in LOG_FOLDERS:
                return LOG_FOLDERS[name], folder
            entries = target.filesystem.get_file_info(pafs.FileSelector(info.path))
            if any(entry.base_name.endswith(ICEBERG_SUFFIXES) for entry in entries):
                return "Iceberg", folder
    return (QUESTDB, folders[1]) if folders[1:] and all(info.is_file for info in infos) else None
