"""List folders on any filesystem: Parquet files, folders, and tables whose log records the files."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from .. import storage
from ..edits.globs import matcher, meant
from ..edits.many import is_folder, is_skipped, is_wanted, parents
from ..edits.table_logs import table_above
from ..sidecar.table_formats import FOLDERS_TO_INSPECT, membership, table_by_name, tables_among
from ..storage import Target
from .filesystems import Filesystems

_TEXT, _NUMBER = pa.string(), pa.int64()
FILES = pa.schema({"path": _TEXT, "size": _NUMBER, "modified": _NUMBER, "etag": _TEXT, "table": _TEXT})
NOT_THERE = -1  # the size of a missing file


class Folder(NamedTuple):
    """A folder to list: `base`, or a folder below it. Files that match `glob`, or are below a match, are selected.

    If `base` is empty, `url` is a path from a caller: a file, a folder or a pattern.
    """

    url: str
    base: str = ""
    glob: str = ""
    table: str = ""


class Entry(NamedTuple):
    """One name in a folder, or below it."""

    name: str
    is_folder: bool
    size: int
    modified: int
    etag: str = ""


@dataclass
class Walk:
    """List folders, and cache the tables that contain them."""

    filesystems: Filesystems
    _above: dict[str, str] = field(default_factory=dict)

    def below(self, folder: Folder) -> Iterator[tuple[Any, ...]]:
        """Yield all files of a folder, as rows of FILES."""
        left = [folder]
        while left:
            files, folders = self.step(left.pop(), at_once=True)
            yield from files
            left += folders

    def step(self, folder: Folder, *, at_once: bool = False) -> tuple[list[tuple], list[Folder]]:
        """Return the files in one folder, and the folders to list next; with `at_once`, list stores recursively.

        Google's store is always listed recursively, because listing one of its folders lists everything below it.
        """
        if not folder.base:
            return self._listed_path(folder.url)
        target = self.filesystems.target(folder.url)
        tree = not target.is_local and (at_once or not target.can(storage.Capability.LIST_FOLDERS))
        entries = _infos(target, recursive=True) if tree else entries_of(target)
        tables = _tables(folder.url, entries if tree else [*entries, *_of_tables(target, entries)])
        named = ((entry, posixpath.join(folder.url, entry.name)) for entry in entries if not entry.is_folder)
        files = [
            (url, entry.size, entry.modified, entry.etag, folder.table or _table_of(url, entry.name, tables))
            for entry, url in named
            if is_wanted(url[len(folder.base) :].lstrip("/"), folder.glob, self.filesystems.target(url))
        ]
        table = folder.table or tables.get("", "")
        inner = [] if tree else [entry.name for entry in entries if entry.is_folder and _is_entered(folder, entry.name)]
        return files, [folder._replace(url=posixpath.join(folder.url, name), table=table) for name in inner]

    def _listed_path(self, url: str) -> tuple[list[tuple], list[Folder]]:
        """Return the files and folders of a caller's path: a folder, a file, a pattern, or a missing file."""
        files, folders = [], []
        for path, glob in meant(url, lambda path: entry_at(self.filesystems.target(path)) is not None):
            entry = None if glob else entry_at(self.filesystems.target(path))
            if glob or (entry and entry.is_folder):
                folders.append(Folder(path, path, glob, self._table_above(f"{path}/x")))
            else:
                size, modified, etag = entry[2:] if entry else (NOT_THERE, 0, "")
                files.append((path, size, modified, etag, self._table_above(path)))
        return files, folders

    def _table_above(self, url: str) -> str:
        folder = posixpath.dirname(url)
        if folder not in self._above:
            found = table_above(self.filesystems.target(url))
            self._above[folder] = membership(*found) if found else ""
        return self._above[folder]


def _is_entered(folder: Folder, name: str) -> bool:
    """Return True if a folder of this name is not hidden, and if the pattern can match files below it."""
    depth = 0 if folder.url == folder.base else posixpath.relpath(folder.url, folder.base).count("/") + 1
    names = folder.glob.split("/") if folder.glob else []
    if "**" in names[: depth + 1]:
        return not is_skipped(name) or any(matcher(each).fullmatch(name) for each in names)
    return matcher(names[depth]).fullmatch(name) is not None if depth < len(names) else not is_skipped(name)


def entry_at(target: Target) -> Entry | None:
    """Return the entry of a file or folder, without its name; None if it does not exist."""
    found = target.backend.info(target)
    return None if found is None else _renamed("", found)


def entries_of(target: Target, *, links: bool = False) -> list[Entry]:
    """Return the entries of a folder, none if it was removed; `links` adds links to folders, which may form cycles."""
    if not target.is_local:
        return _infos(target, recursive=False)
    found = []
    try:
        with os.scandir(target.path) as entries:
            for entry in entries:
                if is_folder(entry):
                    if links or not entry.is_symlink():
                        found.append(Entry(entry.name, True, 0, 0))
                else:
                    found.append(_of_file(entry))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return found


def _of_file(entry: os.DirEntry) -> Entry:
    try:
        status = entry.stat()
    except OSError:  # removed meanwhile, or a link that leads nowhere
        return Entry(entry.name, False, NOT_THERE, 0)
    return Entry(entry.name, False, status.st_size, status.st_mtime_ns)


def _infos(target: Target, recursive: bool) -> list[Entry]:
    try:
        found = target.backend.list(target, recursive=recursive)
    except FileNotFoundError:
        return []
    return [_renamed(posixpath.relpath(entry.path, target.path), entry) for entry in found]


def _renamed(name: str, entry: storage.Entry) -> Entry:
    return Entry(name, entry.is_folder, entry.size or 0, entry.modified or 0, entry.tag)


def _of_tables(target: Target, entries: list[Entry]) -> Iterator[Entry]:
    """Yield the entries of folders whose contents show that the folder belongs to a table."""
    for entry in entries:
        if entry.is_folder and entry.name in FOLDERS_TO_INSPECT:
            path = posixpath.join(target.path, entry.name)
            inner = target.at(path)
            yield from (each._replace(name=f"{entry.name}/{each.name}") for each in entries_of(inner))


def _tables(url: str, entries: Sequence[Entry]) -> dict[str, str]:
    """Return the reason why files must not be changed for each folder of a table, recognized by names of entries."""
    names = (f"{entry.name}/" if entry.is_folder else entry.name for entry in entries)
    return {
        folder: membership(kind, posixpath.join(url, folder).rstrip("/"))
        for folder, kind in tables_among(names).items()
    }


def _table_of(url: str, name: str, tables: Mapping[str, str]) -> str:
    """Return the reason why a file must not be changed: its name or the nearest table; empty if it may be changed."""
    if by_name := table_by_name(url):
        return membership(*by_name)
    if not tables:
        return ""
    return next((tables[folder] for folder in [*parents(name), ""] if folder in tables), "")
