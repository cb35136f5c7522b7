"""Tables and sinks that record the files' sizes: recognized by names in the folders above a file, or by its own."""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..storage import Target, resolve
from ..storage.refusals import refuse

TABLE_FORMAT = "table-format"
_ANYWHERE = re.compile(r".*", re.DOTALL)
_NO_FOLDERS: Mapping[str, re.Pattern | None] = MappingProxyType({})


class Layout(NamedTuple):
    """The names that a system's folder has.

    Attributes
    ----------
    kind : str
        The system's name.
    folders : mapping of str to re.Pattern or None
        Required folders, and for each the pattern that at least one name in it must match; None if any contents do.
    files : tuple of str
        Files that must exist in the folder.
    below : re.Pattern
        Paths of data files, relative to the folder. It saves requests to object stores: a folder is checked only if the
        pattern matches the file.
    """

    kind: str
    folders: Mapping[str, re.Pattern | None] = _NO_FOLDERS
    files: tuple[str, ...] = ()
    below: re.Pattern = _ANYWHERE

    @property
    def names(self) -> tuple[str, ...]:
        """All names that must be there."""
        return (*self.folders, *self.files)


DELTA = Layout("Delta Lake", {"_delta_log": None})
HUDI = Layout("Hudi", {".hoodie": None})
ICEBERG = Layout("Iceberg", {"metadata": re.compile(r".*\.metadata\.json(\.gz)?")})
SPARK_STREAMING = Layout("Spark Structured Streaming", {"_spark_metadata": None})
PAIMON = Layout(
    "Paimon",
    {"snapshot": re.compile(r"snapshot-\d+|EARLIEST|LATEST"), "schema": re.compile(r"schema-\d+")},
    below=re.compile(r"(.*/)?bucket-[^/]+/[^/]+"),
)
GREPTIME = Layout(
    "GreptimeDB",
    {"manifest": re.compile(r"_last_checkpoint|\d{20}\.(json|checkpoint)(\.\w+)?")},
    below=re.compile(r"(data/)?[^/]+"),
)
INFLUX = Layout(
    "InfluxDB 3",
    {"snapshots": re.compile(r"\d+\.info\.json"), "dbs": None},
    below=re.compile(r"dbs/.*", re.DOTALL),
)
TEMPO = Layout("Grafana Tempo", files=("meta.json", "bloom-0"), below=re.compile(r"data\.parquet"))
# A partition's table is the folder above it, in which each partition has a folder of its own.
QUESTDB = Layout("QuestDB", files=("_txn", "_meta"), below=re.compile(r"[^/]+/[^/]+"))
LAYOUTS = (DELTA, HUDI, ICEBERG, SPARK_STREAMING, PAIMON, GREPTIME, INFLUX, TEMPO, QUESTDB)

DUCKLAKE = "DuckLake"  # its catalog is a database elsewhere; its files are identified by their names
_DUCKLAKE_FILE = re.compile(r"ducklake-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-delete)?\.parquet")

# Their clean-up removes, or stumbles over, files that the log does not have.
LOGGED = (DELTA.kind, HUDI.kind, ICEBERG.kind, PAIMON.kind, DUCKLAKE)
UNFOLLOWED = (*LOGGED, SPARK_STREAMING.kind)  # their folders may have files with rows that do not count

_PATTERNS = {name: pattern for layout in LAYOUTS for name, pattern in layout.folders.items()}
_FILES = frozenset(name for layout in LAYOUTS for name in layout.files)
FOLDERS_TO_INSPECT = frozenset(name for name, pattern in _PATTERNS.items() if pattern)  # the names in them count


def membership(kind: str, folder: str) -> str:
    """Return the reason why a table's file must not be changed."""
    return f"{_belonging(kind)}{folder}, whose {'catalog' if kind == DUCKLAKE else 'log'} records its size"


def _belonging(kind: str) -> str:
    return f"it belongs to the {kind} table at "


def is_logged(reason: str) -> bool:
    """Return True if a reason of `membership` is about a table whose clean-up does not know sidecars."""
    return reason.startswith(tuple(map(_belonging, LOGGED)))


def refuse_sidecar(reason: str, ignored: frozenset[str], file: str) -> None:
    """Refuse a new sidecar beside a file of such a table, for a reason of `membership`, unless that is ignored."""
    if is_logged(reason):
        refuse(
            ignored,
            TABLE_FORMAT,
            f"{reason}; its clean-up (VACUUM, removal of orphans) does not know a sidecar",
            file,
        )


def table_above(path: object) -> tuple[str, str] | None:
    """Return the system that records a file's size, and the folder that shows it, or None.

    All folders from the file to the root are searched, and the nearest one is returned.
    """
    target = resolve(path)
    if by_name := table_by_name(target.path):
        return by_name
    if not target.is_local:
        return _remote_table(target)
    return next((found for folder in folders_above(target) if (found := _local_table(folder))), None)


def table_holding(folder: object) -> tuple[str, str] | None:
    """Return the system whose table new files in a folder would be in, and the table's folder, or None.

    The folder and all folders above it are looked into, each for every system; in a local one, the names of its files
    identify DuckLake.
    """
    target = resolve(folder)
    if not target.is_local:
        return _remote_table(Target(posixpath.join(target.path, "x"), target.filesystem), any_file=True)
    position = Target(os.path.join(target.path, "x"))
    found = next((found for above in folders_above(position) if (found := _local_table(above))), None)
    if found is None and _has_name(target.path, _DUCKLAKE_FILE):
        return DUCKLAKE, target.path
    return found


def table_by_name(path: str) -> tuple[str, str] | None:
    """Return the system that gives files such a name, and the file's folder, or None."""
    folder, name = posixpath.split(path)
    return (DUCKLAKE, folder) if _DUCKLAKE_FILE.fullmatch(name) else None


def table_among(folder: str, paths: Iterable[str]) -> tuple[str, str] | None:
    """Return the system of the topmost table among all paths below a folder, and the table's folder, or None."""
    paths = list(paths)
    tables = tables_among(path[len(folder) :].lstrip("/") for path in paths)
    if tables:
        position = min(tables, key=lambda folder: (folder.count("/") + bool(folder), folder))
        return tables[position], posixpath.join(folder, position).rstrip("/")
    return next(filter(None, map(table_by_name, paths[:1])), None)


def tables_among(names: Iterable[str]) -> dict[str, str]:
    """Return the systems of the tables among relative paths, by the tables' folders.

    A path that ends with a slash is that of a folder, empty or not.
    """
    met: dict[str, set[str]] = defaultdict(set)
    for path in names:
        parts = path.split("/")
        for depth, name in enumerate(parts[:-1]):
            if name in _PATTERNS:
                pattern = _PATTERNS[name]
                if pattern is None or pattern.fullmatch(parts[depth + 1]):
                    met["/".join(parts[:depth])].add(name)
        if parts[-1] in _FILES:
            met["/".join(parts[:-1])].add(parts[-1])
    found = (
        (folder, next((each for each in LAYOUTS if there.issuperset(each.names)), None))
        for folder, there in met.items()
    )
    return {folder: layout.kind for folder, layout in found if layout is not None}


def folders_above(target: Target) -> Iterator[str]:
    """Yield the folders above the name as given and, if symbolic links lead elsewhere, above the file itself."""
    seen = set()
    for path in (os.path.abspath(target.path), os.path.realpath(target.path)):
        folder = os.path.dirname(path)
        while folder not in seen:
            seen.add(folder)
            yield folder
            folder = os.path.dirname(folder)


def _local_table(folder: str) -> tuple[str, str] | None:
    found = (layout for layout in LAYOUTS if _has_layout(folder, layout))
    return next(((layout.kind, folder) for layout in found), None)


def _has_layout(folder: str, layout: Layout) -> bool:
    return all(os.path.isfile(os.path.join(folder, name)) for name in layout.files) and all(
        os.path.isdir(path := os.path.join(folder, name)) and (pattern is None or _has_name(path, pattern))
        for name, pattern in layout.folders.items()
    )


def _has_name(folder: str, pattern: re.Pattern) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(pattern.fullmatch(entry.name) for entry in entries)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return False


def _remote_table(target: Target, *, any_file: bool = False) -> tuple[str, str] | None:
    """Return the table of a file, or with `any_file` the nearest one that files in the same folder may belong to."""
    import pyarrow.fs as pafs

    asked: list[tuple[str, Layout]] = []
    folder = posixpath.dirname(target.path)
    while folder and folder != "/":
        below = target.path[len(folder) :].lstrip("/")
        asked += [(folder, layout) for layout in LAYOUTS if any_file or layout.below.fullmatch(below)]
        folder = posixpath.dirname(folder)
    names = dict.fromkeys(posixpath.join(folder, name) for folder, layout in asked for name in layout.names)
    infos = dict(zip(names, target.arrow_filesystem.get_file_info(list(names)), strict=True))  # all requests at once

    def has_name(path: str, pattern: re.Pattern | None) -> bool:
        if infos[path].type != pafs.FileType.Directory:
            return False
        if pattern is None:
            return True
        entries = target.arrow_filesystem.get_file_info(pafs.FileSelector(path))
        return any(pattern.fullmatch(entry.base_name) for entry in entries)

    def has_layout(folder: str, layout: Layout) -> bool:
        return all(infos[posixpath.join(folder, name)].is_file for name in layout.files) and all(
            has_name(posixpath.join(folder, name), pattern) for name, pattern in layout.folders.items()
        )

    return next(((layout.kind, folder) for folder, layout in asked if has_layout(folder, layout)), None)
