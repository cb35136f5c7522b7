"""What is in folders, on any filesystem: Parquet files, further folders, and tables whose log records the files."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from .. import storage
from ..edits.globs import matcher, meant
from ..edits.many import is_folder, is_skipped, is_wanted, parents
from ..edits.table_logs import table_above
from ..sidecar.table_formats import TOLD_FOLDERS, membership, table_by_name, tables_among
from ..storage import Target
from .filesystems import Filesystems

__all__ = ["FILES", "NOT_THERE", "Entry", "Folder", "Walk", "entries_of", "entry_at"]

FILES = pa.schema(
    [
        ("path", pa.string()),
        ("size", pa.int64()),
        ("modified", pa.int64()),
        ("etag", pa.string()),
        ("table", pa.string()),
    ]
)
NOT_THERE = -1  # the size of a file that nobody has seen


class Folder(NamedTuple):
    """A place to list: a folder at or below `base`, whose files count that match `glob`, or are below what does.

    Without `base` it is whatever a caller has named, to be looked at first.
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
    """Lists places; what it has learnt of the folders above them is kept."""

    filesystems: Filesystems
    _above: dict[str, str] = field(default_factory=dict)

    def below(self, place: Folder) -> Iterator[tuple]:
        """All files of a place, as rows of FILES."""
        left = [place]
        while left:
            files, folders = self.step(left.pop(), at_once=True)
            yield from files
            left += folders

    def step(self, place: Folder, *, at_once: bool = False) -> tuple[list[tuple], list[Folder]]:
        """The files in one place, and the folders left to be listed: with `at_once` none, for objects.

        Google's store is listed at once anyhow, for each of its folders would list all below it.
        """
        if not place.base:
            return self._named(place.url)
        target = self.filesystems.target(place.url)
        tree = not target.is_local and (at_once or not target.can(storage.Capability.LIST_FOLDERS))
        entries = _infos(target, recursive=True) if tree else entries_of(target)
        tables = _tables(place.url, entries if tree else [*entries, *_told_names(target, entries)])
        named = ((entry, posixpath.join(place.url, entry.name)) for entry in entries if not entry.is_folder)
        files = [
            (url, entry.size, entry.modified, entry.etag, place.table or _table_of(url, entry.name, tables))
            for entry, url in named
            if is_wanted(url[len(place.base) :].lstrip("/"), place.glob, self.filesystems.target(url))
        ]
        table = place.table or tables.get("", "")
        folders = (
            []
            if tree
            else [
                place._replace(url=posixpath.join(place.url, entry.name), table=table)
                for entry in entries
                if entry.is_folder and _is_entered(place, entry.name)
            ]
        )
        return files, folders

    def _named(self, url: str) -> tuple[list[tuple], list[Folder]]:
        """What a caller has named: a folder, a file, a pattern, or something that is not there."""
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


def _is_entered(place: Folder, name: str) -> bool:
    """Whether a folder of this name is not skipped, and does not by its name lead away from the pattern."""
    depth = 0 if place.url == place.base else posixpath.relpath(place.url, place.base).count("/") + 1
    names = place.glob.split("/") if place.glob else []
    if "**" in names[: depth + 1]:
        return not is_skipped(name) or any(matcher(each).fullmatch(name) for each in names)
    return matcher(names[depth]).fullmatch(name) is not None if depth < len(names) else not is_skipped(name)


def entry_at(target: Target) -> Entry | None:
    """Return the entry of a file or folder, without its name; None if it does not exist."""
    found = target.backend.info(target)
    return None if found is None else _named("", found)


def entries_of(target: Target, *, links: bool = False) -> list[Entry]:
    """What is in a folder; nothing if it is gone. Links to folders, which may lead back, only if they are asked for."""
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
    return [_named(posixpath.relpath(entry.path, target.path), entry) for entry in found]


def _named(name: str, entry: storage.Entry) -> Entry:
    return Entry(name, entry.is_folder, entry.size or 0, entry.modified or 0, entry.tag)


def _told_names(target: Target, entries: list[Entry]) -> Iterator[Entry]:
    """Yield what is in those of the folders whose contents tell the folder of a table."""
    for entry in entries:
        if entry.is_folder and entry.name in TOLD_FOLDERS:
            path = posixpath.join(target.path, entry.name)
            inner = target.at(path)
            yield from (each._replace(name=f"{entry.name}/{each.name}") for each in entries_of(inner))


def _tables(url: str, entries: Sequence[Entry]) -> dict[str, str]:
    """Return why files must not be changed, by the folders of tables among the folders that names lead through."""
    names = (f"{entry.name}/" if entry.is_folder else entry.name for entry in entries)
    return {
        folder: membership(kind, posixpath.join(url, folder).rstrip("/"))
        for folder, kind in tables_among(names).items()
    }


def _table_of(url: str, name: str, tables: Mapping[str, str]) -> str:
    """Return why a file must not be changed: its own name, or the nearest of the tables among the folders above it."""
    if by_name := table_by_name(url):
        return membership(*by_name)
    if not tables:
        return ""
    return next((tables[folder] for folder in [*parents(name), ""] if folder in tables), "")
