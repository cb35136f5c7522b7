"""Tables whose logs say which files, and which rows of them, count: found by the folders above a file."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator

from ..storage import LocalTarget, RemoteTarget, resolve
from ..storage.forcing import refuse

__all__ = [
    "ICEBERG_FOLDER",
    "ICEBERG_SUFFIXES",
    "LOGGED",
    "LOG_FOLDERS",
    "QUESTDB",
    "QUESTDB_FILES",
    "TABLE_FORMAT",
    "is_logged",
    "membership",
    "refuse_sidecar",
    "table_above",
    "table_among",
]

TABLE_FORMAT = "table-format"
LOG_FOLDERS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}
ICEBERG = "Iceberg"
ICEBERG_FOLDER = "metadata"
ICEBERG_SUFFIXES = (".metadata.json", ".metadata.json.gz")
QUESTDB = "QuestDB"
QUESTDB_FILES = ("_txn", "_meta")  # of a table's folder, in which each partition has one of its own
LOGGED = (*LOG_FOLDERS.values(), ICEBERG)  # whose clean-up removes, or stumbles over, files that the log does not have


def membership(kind: str, folder: str) -> str:
    """Why a table's file must not be changed."""
    return f"{_belonging(kind)}{folder}, whose log records its size"


def _belonging(kind: str) -> str:
    return f"it belongs to the {kind} table at "


def is_logged(told: str) -> bool:
    """Whether what `membership` has told is of a table whose clean-up knows no sidecars."""
    return told.startswith(tuple(map(_belonging, LOGGED)))


def refuse_sidecar(told: str, forced: frozenset[str], file: str) -> None:
    """Refuse a new sidecar beside a file of such a table, of which `membership` has told, unless forced."""
    if is_logged(told):
        refuse(
            forced,
            TABLE_FORMAT,
            f"{told}; its clean-up (VACUUM, removal of orphans) does not know a sidecar",
            file,
        )


def table_above(path: object) -> tuple[str, str] | None:
    """The table format above a file and the table's folder, or None. Looks into every folder up to the root."""
    target = resolve(path)
    if isinstance(target, RemoteTarget):
        return _remote_table(target)
    return next((found for folder in _folders_above(target) if (found := _local_table(folder))), None)


def table_among(folder: str, paths: Iterable[str]) -> tuple[str, str] | None:
    """The table format whose log is among all paths below a folder, and the table's folder."""
    for path in paths:
        names = path[len(folder) :].split("/")
        for depth, name in enumerate(names[:-1]):
            place = posixpath.join(folder, *filter(None, names[:depth])).rstrip("/")
            if name in LOG_FOLDERS:
                return LOG_FOLDERS[name], place
            if name == ICEBERG_FOLDER and names[depth + 1].endswith(ICEBERG_SUFFIXES):
                return ICEBERG, place
    return None


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
                return ICEBERG, folder
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
                return ICEBERG, folder
    return (QUESTDB, folders[1]) if folders[1:] and all(info.is_file for info in infos) else None
