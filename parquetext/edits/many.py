"""Process many files: expand paths, directories and globs, and yield one result for each file."""

from __future__ import annotations

import itertools
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator

from ..errors import ParquetextError
from ..footer.forms import MAGICS
from ..storage import Target, open_source, resolve
from ..storage.folder import NEW, beside
from .globs import matcher, matching, meant

Outcome = tuple[object, object | None, Exception | None]

SUFFIXES = (".parquet", ".parq", ".pq")


def many(paths: Iterable[object] | str, action: Callable, **options) -> Iterator[Outcome]:
    """Apply `action(path, **options)` to every file that `paths` expand to.

    Yield (path, result, None), or (path, None, error) for a file that failed or was refused; `errors.outcome_of`
    distinguishes the two. Such a file does not stop the others.
    """
    return each(expand(paths), lambda path: action(path, **options))


def each(targets: Iterable[object], action: Callable) -> Iterator[Outcome]:
    """Yield the result of `action(target)` for each target; an exception becomes that file's error."""
    for target in targets:
        try:
            yield target, action(target), None
        except Exception as error:
            yield target, None, error


def expand(paths: Iterable[object] | str, *, unfinished: bool = False) -> Iterator[object]:
    """Yield the files that paths, directories, patterns (`globs`) and URIs match, each once, sorted within each.

    A directory selects all Parquet files below it, partitions included: names that end in .parquet, .parq or .pq, and
    names without a suffix if the content ends like a Parquet file. Hidden names and those that begin with ``_`` are
    skipped in directories and by wildcards, except directories such as ``_day=1``. A literal path is always yielded,
    even if it does not exist: opening it then raises the error.

    With `unfinished`, a local directory also selects missing files whose hidden new file was left by a killed process,
    for `recover`.
    """
    seen = set()
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        target = resolve(path)
        local = target.is_local
        for found in _expand_local(target.path, unfinished) if local else _expand_remote(target):
            if (key := resolve(found).key) not in seen:
                seen.add(key)
                yield found


def is_skipped(name: str) -> bool:
    """Return True if Spark and Hive ignore a file or folder of this name."""
    return (name.startswith(".") and name not in (".", "..")) or (name.startswith("_") and "=" not in name)


def _expand_local(path: str, unfinished: bool) -> Iterator[str]:
    positions = [
        matching(position, _entries, os.path.lexists) if position.pattern else [position.path]
        for position in meant(path, os.path.lexists)
    ]
    for found in sorted(itertools.chain(*positions)):
        yield from _walk(found, unfinished) if os.path.isdir(found) else [found]


def _entries(folder: str, links: bool) -> list[tuple[str, bool]]:
    try:
        with os.scandir(folder or ".") as entries:
            return [(entry.name, is_folder(entry, links=links)) for entry in entries]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def is_folder(entry: os.DirEntry, *, links: bool = True) -> bool:
    """Return True for a folder, or with `links` a link to one; False if the link is cyclic."""
    try:
        return entry.is_dir(follow_symlinks=links)
    except OSError:
        return False


def _walk(folder: str, unfinished: bool) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_skipped(name))
        if unfinished:
            yield from (os.path.join(parent, name) for name in _not_there(files))
        for name in sorted(files):
            path = os.path.join(parent, name)
            if is_parquet(name, path):
                yield path


def _not_there(files: list[str]) -> list[str]:
    """Return the target names of the hidden new files among these, if no file has these names."""
    there = {beside(name, NEW) for name in files}
    names = (name[1 : -len(NEW) - 1] for name in files if name.endswith(f".{NEW}") and name not in there)
    return sorted(name for name in names if name and not is_skipped(name) and _may_be_parquet(name))


def _may_be_parquet(name: str) -> bool:
    return "." not in name or name.lower().endswith(SUFFIXES)


def is_parquet(name: str, path: object) -> bool:
    """Return True if a directory selects this file; a file without a suffix is opened.

    An object that cannot be read counts, so that the next open raises the error.
    """
    if is_skipped(name):
        return False
    if "." in name:
        return name.lower().endswith(SUFFIXES)
    try:
        with open_source(path) as source:
            return source.read_tail(4)[1] in MAGICS
    except (FileNotFoundError, PermissionError, ParquetextError):
        return False
    except OSError:
        return not resolve(path).is_local


def _expand_remote(target: Target) -> Iterator[Target]:
    import pyarrow.fs as pafs

    filesystem = target.arrow_filesystem

    def type_of(path: str) -> pafs.FileType:
        return filesystem.get_file_info(path).type

    found = []
    for position in meant(target.path, lambda path: type_of(path) != pafs.FileType.NotFound):
        if not position.pattern and type_of(position.path) != pafs.FileType.Directory:
            found.append(position.path)
            continue
        infos = filesystem.get_file_info(pafs.FileSelector(position.path, recursive=True, allow_not_found=True))
        found += [
            info.path
            for info in infos
            if info.is_file
            and is_wanted(
                posixpath.relpath(info.path, position.path or "."), position.pattern, Target(info.path, filesystem)
            )
        ]
    yield from (Target(path, filesystem) for path in sorted(found))


def is_wanted(path: str, pattern: str, target: object) -> bool:
    """Return True if a file, by its path in a folder, matches a pattern, or if a matching folder selects it."""
    if pattern:
        wanted = matcher(pattern)
        if wanted.fullmatch(path):
            return True
        folder = next(filter(wanted.fullmatch, parents(path)), None)
        if folder is None:
            return False
        path = posixpath.relpath(path, folder)
    return not any(map(is_skipped, path.split("/"))) and is_parquet(posixpath.basename(path), target)


def parents(path: str) -> Iterator[str]:
    """Yield the folders above a relative path, nearest first."""
    while path := posixpath.dirname(path):
        yield path
