"""Find the files of a dataset, and parse the names of their directories."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs as pafs

from ...footer.targets import info_of, resolve
from ...masking import without_secrets
from ...sidecar.table_formats import UNFOLLOWED, table_above, table_among
from ...storage import Target
from ...storage.paths import directory_keys

IGNORED = (".", "_")
NO_KEYS: Mapping[str, str | None] = MappingProxyType({})
UNKNOWN = -1
WILD = "*?[{"
COLUMNS = "paths", "filesystems", "keys", "sizes", "modified"  # of `Files`


class Found(NamedTuple):
    """A file, the keys of its directories (text, None for null), its size in bytes and its modification time in ns.

    Size and time are -1 if they have not been requested.
    """

    target: Target
    keys: Mapping[str, str | None] = NO_KEYS
    size: int = UNKNOWN
    modified: int = UNKNOWN

    @property
    def path(self) -> str:
        """The path in its filesystem."""
        return self.target.path


class Files(Sequence[Found]):
    """Files in their order, stored column by column. An object for a file is created only when it is requested.

    Attributes
    ----------
    paths : list of str
    filesystems : list of pyarrow.fs.FileSystem or None
        None is the local filesystem.
    keys : list of mapping
    sizes, modified : list of int
    tables : list of (str, str)
        Table formats of the directories that are read, and their folders. There may be files that their logs do not
        list.
    base : str
        The directory that was listed, without a slash at its end; empty if files were given.
    """

    __slots__ = ("base", "filesystems", "keys", "modified", "paths", "sizes", "tables")

    def __init__(self):
        self.paths: list[str] = []
        self.filesystems: list[pafs.FileSystem | None] = []
        self.keys: list[Mapping[str, str | None]] = []
        self.sizes: list[int] = []
        self.modified: list[int] = []
        self.tables: list[tuple[str, str]] = []
        self.base = ""

    def __reduce__(self) -> tuple:
        message = {name: getattr(self, name) for name in self.__slots__}
        message["keys"] = [keys or None for keys in self.keys]
        return _restored, (message,)

    @classmethod
    def joined(cls, parts: Iterable[Files]) -> Files:
        """Return the files of all parts, in order."""
        found = cls()
        for part in parts:
            for name in COLUMNS:
                getattr(found, name).extend(getattr(part, name))
        return found

    def chosen(self, numbers: Sequence[int]) -> Files:
        """Return the files with these numbers."""
        found = Files()
        for name in COLUMNS:
            values = getattr(self, name)
            setattr(found, name, [values[number] for number in numbers])
        found.tables, found.base = self.tables, self.base
        return found

    def extend(
        self,
        filesystem: pafs.FileSystem | None,
        paths: list[str],
        keys: list[Mapping[str, str | None]],
        sizes: list[int],
        modified: list[int],
    ) -> None:
        """Add files of one filesystem."""
        self.paths += paths
        self.filesystems += [filesystem] * len(paths)
        self.keys += keys
        self.sizes += sizes
        self.modified += modified

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, number: int) -> Found:  # type: ignore[override]  # slices are not needed
        return Found(self.target(number), self.keys[number], self.sizes[number], self.modified[number])

    def target(self, number: int) -> Target:
        """Return the target of a file."""
        return Target(self.paths[number], self.filesystems[number])


def discover(
    source,
    filesystem=None,
    *,
    partitioned: bool = True,
    ignore_prefixes: Sequence[str] | None = None,
    sizes: bool = False,
) -> Files:
    """List the files of `source`; files of a directory are sorted by path.

    Parameters
    ----------
    source : path, or iterable of paths
        A file or a directory as a path as in `storage.resolve`, or files.
    partitioned : bool
        If True, parse directories named ``key=value``: those below a given directory, or all directories of a given
        file.
    ignore_prefixes : sequence of str, optional
        Prefixes of names in a directory that are ignored; by default ``.`` and ``_``.
    sizes : bool
        If True, read the files' sizes and times. This takes one system call per local file.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        As in `dataset`.
    """
    ignored = tuple(IGNORED if ignore_prefixes is None else ignore_prefixes)
    filesystem, source = _of_uri(filesystem), _of_glob(source, filesystem)
    several = _is_list(source)
    found = Files()
    for each in source if several else [source]:
        each = each.path if isinstance(each, pafs.FileInfo) else each
        target = resolve(each, filesystem)
        info = _info(target)
        if info.type != pafs.FileType.Directory:
            found.extend(target.filesystem, [target.path], [_keys(target.path, partitioned)], *_sizes_and_times([info]))
        elif several:
            raise IsADirectoryError(
                f"Path {target} points to a directory, but only file paths are supported in a list: give each "
                "directory to parquetext.dataset by itself"
            )
        else:
            found.base = target.path.rstrip("/")
            table, paths, names, *message = _below(target, ignored, sizes)
            found.tables += [table] if table is not None else []
            keys = [_keys(name, partitioned) if "=" in name else NO_KEYS for name in names]
            found.extend(target.filesystem, paths, keys, *message)
    return found


def unfollowed(found: Files) -> list[str]:
    """Return a warning for each table whose log is not read."""
    return [
        f"{folder} is a {kind} table, whose log is not followed here: rows and files that it has deleted come back; "
        f"read it by {kind}'s own reader, or name the files that it lists"
        for kind, folder in dict.fromkeys(found.tables)
        if kind in UNFOLLOWED
    ]


def partition_schema(keys: Iterable[Mapping[str, str | None]]) -> pa.Schema:
    """Return the keys of all files with their types: int32 if all values are such numbers, else text."""
    values: dict[str, list[str]] = {}
    for each in shared(keys):
        for key, value in each.items():
            values.setdefault(key, [])
            if value is not None:
                values[key].append(value)
    return pa.schema([(key, inferred_type(texts)) for key, texts in values.items()])


def shared(keys: Iterable[Mapping[str, str | None]]) -> Iterable[Mapping[str, str | None]]:
    """Return each mapping once; the files of a directory share one."""
    keys = list(keys)
    return dict(zip(map(id, keys), keys, strict=True)).values()


def inferred_type(texts: list[str]) -> pa.DataType:
    """Return the type of a key with these values."""
    try:
        return pa.array(texts, pa.string()).cast(pa.int32()).type if texts else pa.string()
    except pa.ArrowInvalid:
        return pa.string()


def _is_list(source: Any) -> bool:
    """Return True if a source is several paths. A pair of a filesystem and a path is one path."""
    if isinstance(source, tuple):
        return not (len(source) == 2 and not isinstance(source[0], (str, bytes, os.PathLike, pafs.FileInfo)))
    return isinstance(source, Iterable) and not isinstance(source, (str, bytes, os.PathLike))


def _of_uri(filesystem: object) -> object:
    """Return the filesystem that a URI names; the URI's path becomes the base of all other paths."""
    if not isinstance(filesystem, str):
        return filesystem
    found, path = pafs.FileSystem.from_uri(filesystem)
    return pafs.SubTreeFileSystem(path, found) if path else found


def _of_glob(source: Any, filesystem: object) -> object:
    """Expand a pattern, unless a file or directory has exactly that name."""
    text = os.fspath(source) if isinstance(source, os.PathLike) else source
    if not isinstance(text, str) or not any(character in text for character in WILD):
        return source
    from ...edits.many import expand  # imports all edits

    target = resolve(text, filesystem)
    there = info_of(target)
    return source if there.type != pafs.FileType.NotFound else list(expand([target])) or source


def _restored(state: Mapping[str, list]) -> Files:
    """Restore pickled files."""
    found = Files()
    for name, values in state.items():
        setattr(found, name, values)
    found.keys = [NO_KEYS if keys is None else keys for keys in state["keys"]]
    return found


def _info(target: Target) -> pafs.FileInfo:
    info = info_of(target)
    if info.type == pafs.FileType.NotFound:
        raise FileNotFoundError(2, os.strerror(2), without_secrets(str(target)))
    return info


def _below(
    target: Target, ignored: tuple[str, ...], sizes: bool
) -> tuple[tuple[str, str] | None, list[str], list[str], list[int], list[int]]:
    """List the files below a directory in their order.

    Return the table format whose log is there, the paths, the paths relative to the directory, the sizes, and the
    times. Finding the table format takes no further request to a store.
    """
    base = target.path.rstrip("/")
    if target.is_local:
        names = sorted(_names_below(base or "/", "", ignored))
        paths = [f"{base}/{name}" for name in names]
        table = table_above(Target(paths[0] if paths else os.path.join(base, "x")))
        if not sizes:
            return table, paths, names, [UNKNOWN] * len(paths), [UNKNOWN] * len(paths)
        stats = [os.stat(path) for path in paths]
        return table, paths, names, [stat.st_size for stat in stats], [stat.st_mtime_ns for stat in stats]
    infos = target.arrow_filesystem.get_file_info(pafs.FileSelector(base or "/", recursive=True))
    files = sorted((info for info in infos if info.type == pafs.FileType.File), key=lambda info: info.path)
    table = table_among(base, (info.path for info in files))
    named = [(info, info.path[len(base) :].lstrip("/")) for info in files]
    named = [each for each in named if not any(part.startswith(ignored) for part in each[1].split("/"))]
    infos = [info for info, _ in named]
    return table, [info.path for info in infos], [name for _, name in named], *_sizes_and_times(infos)


def _sizes_and_times(infos: list[pafs.FileInfo]) -> tuple[list[int], list[int]]:
    """Return the sizes and times that the filesystem reports."""
    return [info.size for info in infos], [info.mtime_ns or UNKNOWN for info in infos]


def _names_below(folder: str, prefix: str, ignored: tuple[str, ...]) -> list[str]:
    """Return the files below a local directory, as paths relative to it."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith(ignored):
                continue
            if entry.is_file():
                found.append(prefix + name)
            elif entry.is_dir():
                found += _names_below(entry.path, f"{prefix}{name}/", ignored)
    return found


def _keys(name: str, partitioned: bool) -> Mapping[str, str | None]:
    return directory_keys(posixpath.dirname(name)) if partitioned else NO_KEYS
