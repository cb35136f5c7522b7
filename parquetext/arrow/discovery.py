"""The files of a dataset, and what the names of their directories say of their rows."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs as pafs

from ..errors import ParquetextError
from ..storage import LocalTarget, RemoteTarget, resolve

__all__ = ["Found", "directory_keys", "discover", "inferred_type", "partition_schema"]

NULL = "__HIVE_DEFAULT_PARTITION__"
IGNORED = (".", "_")
NO_KEYS: Mapping[str, str | None] = MappingProxyType({})


class Found(NamedTuple):
    """A file, the keys that its directories have (text, None for null), and its size in bytes."""

    target: LocalTarget | RemoteTarget
    keys: Mapping[str, str | None] = NO_KEYS
    size: int = -1

    @property
    def path(self) -> str:
        """In its filesystem."""
        return self.target.path


def discover(source, filesystem=None, *, partitioned: bool = True,
             ignore_prefixes: Sequence[str] | None = None) -> list[Found]:
    """The files that `source` stands for, those of a directory in the order of their paths.

    Parameters
    ----------
    source : path, or iterable of paths
        A file or a directory, as `storage.resolve` takes paths; or files.
    partitioned : bool
        Whether directories named ``key=value`` say something: those below a directory that is given, all of a file's.
    ignore_prefixes : sequence of str, optional
        Of names in a directory that do not count; ``.`` and ``_`` without.

    Raises
    ------
    FileNotFoundError
        There is no such file or directory.
    """
    ignored = tuple(IGNORED if ignore_prefixes is None else ignore_prefixes)
    several = isinstance(source, Iterable) and not isinstance(source, (str, bytes, os.PathLike, tuple))
    found: list[Found] = []
    for each in source if several else [source]:
        target = resolve(each if filesystem is None else (filesystem, each))
        info = _info(target)
        if info.type != pafs.FileType.Directory:
            found.append(_found(target, target.path, info.size, partitioned))
        elif several:
            raise ParquetextError(f"{target}: a list is one of files, and this is a directory")
        else:
            found += [_found(below, *named, partitioned) for below, *named in _below(target, ignored)]
    return found


def partition_schema(found: Iterable[Found]) -> pa.Schema:
    """The keys of all files, with the type that their values have: int32 where all are such numbers, else text."""
    values: dict[str, list[str]] = {}
    for each in found:
        for key, value in each.keys.items():
            values.setdefault(key, [])
            if value is not None:
                values[key].append(value)
    return pa.schema([(key, inferred_type(texts)) for key, texts in values.items()])


def inferred_type(texts: list[str]) -> pa.DataType:
    """Of a key that has these values."""
    try:
        return pa.array(texts, pa.string()).cast(pa.int32()).type if texts else pa.string()
    except pa.ArrowInvalid:
        return pa.string()


def _filesystem(target: LocalTarget | RemoteTarget) -> pafs.FileSystem:
    return target.filesystem if isinstance(target, RemoteTarget) else pafs.LocalFileSystem()


def _info(target: LocalTarget | RemoteTarget) -> pafs.FileInfo:
    info = _filesystem(target).get_file_info(target.path)
    if info.type == pafs.FileType.NotFound:
        raise FileNotFoundError(2, os.strerror(2), str(target))
    return info


def _below(target: LocalTarget | RemoteTarget, ignored: tuple[str, ...]) -> list[tuple]:
    """Each file below a directory, its path from there, and its size."""
    base = target.path.rstrip("/")
    if isinstance(target, LocalTarget):
        return [(LocalTarget(f"{base}/{name}"), name, size)
                for name, size in sorted(_names_below(base or "/", "", ignored))]
    infos = _filesystem(target).get_file_info(pafs.FileSelector(base or "/", recursive=True))
    files = sorted((info.path, info.size) for info in infos if info.type == pafs.FileType.File)
    below = [(RemoteTarget(target.filesystem, path), path[len(base):].lstrip("/"), size) for path, size in files]
    return [file for file in below if not any(part.startswith(ignored) for part in file[1].split("/"))]


def _names_below(folder: str, prefix: str, ignored: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """The files below a local directory: their paths from there, and their sizes."""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith(ignored):
                continue
            if entry.is_file():
                yield prefix + name, entry.stat().st_size
            elif entry.is_dir():
                yield from _names_below(entry.path, f"{prefix}{name}/", ignored)


def _found(target, name: str, size: int, partitioned: bool) -> Found:
    return Found(target, directory_keys(posixpath.dirname(name)) if partitioned and "=" in name else NO_KEYS, size)


@lru_cache(maxsize=1 << 10)
def directory_keys(folder: str) -> dict[str, str | None]:
    """What directories named ``key=value`` in a path say: text, None for null."""
    pairs = (part.split("=", 1) for part in folder.split("/") if "=" in part)
    return {unquote(key): None if value == NULL else unquote(value) for key, value in pairs}
