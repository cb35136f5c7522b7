"""Find the files of a read, and divide them among partitions by the listed sizes, without opening files."""

from __future__ import annotations

import functools
import itertools
import logging
import math
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow.fs as pafs

from ...arrow.datasets.discovery import Files, Found, discover, unfollowed
from ...edits.many import is_skipped
from ...errors import Unsupported
from ...records import frozen
from ...storage import Target
from ...storage.paths import directory_keys
from ..globbing import is_named, matches
from .catalogs import files_of_catalog
from .plans import Kept
from .reader_options import Options

COPYING = "._COPYING_"  # files that Hadoop's shell is still copying
_FILES = Kept()


@frozen
class Piece:
    """The row groups of a file that begin in a part of it: bytes from `start` on and before `end`."""

    file: Found
    start: float = -math.inf
    end: float = math.inf

    @property
    def is_whole(self) -> bool:
        return self.start == -math.inf and self.end == math.inf


class _Partition(NamedTuple):
    """The keys of a folder: their lower-case names, their values, and the base folder."""

    names: tuple[str, ...]
    keys: Mapping[str, str | None]
    place: str


class Share:
    """The files that one task reads; each folder and its keys are pickled once."""

    def __init__(self, pieces: list[Piece]):
        self.pieces = pieces

    def __reduce__(self):
        folders: dict[tuple, list[tuple]] = {}
        for piece in self.pieces:
            folder, _, name = piece.file.path.rpartition("/")
            _, same = folders.setdefault((folder, id(piece.file.keys)), (_Folder.of(folder, piece.file), []))
            same.append((name, piece.file.size, piece.file.modified, piece.start, piece.end))
        return Share._of, (list(folders.values()),)

    @classmethod
    def _of(cls, folders: list[tuple[_Folder, list[tuple]]]) -> Share:
        return cls([folder.piece(*each) for folder, pieces in folders for each in pieces])


class _Folder(NamedTuple):
    """Properties that the files of a folder share; without a filesystem, they are local."""

    path: str
    filesystem: pafs.FileSystem | None
    keys: dict[str, str | None]

    @classmethod
    def of(cls, path: str, file: Found) -> _Folder:
        return cls(path, file.target.filesystem, dict(file.keys))

    def piece(self, name: str, size: int, modified: int, start: float, end: float) -> Piece:
        path = f"{self.path}/{name}"
        target = Target(path, self.filesystem)
        return Piece(Found(target, self.keys, size, modified), start, end)


def list_files(options: Options) -> list[Found]:
    """Return the files of all paths and patterns, sorted by path within a directory, and the keys of directories.

    As in Spark's reader: if directories below a path are partitions, their files are read, otherwise only the files
    directly in it, unless `recursiveFileLookup` is set. Hidden names are skipped, except partitions such as
    ``_day=1``, and so are empty files of a directory.

    Raises
    ------
    Unsupported
        If Spark's reader cannot use the directories as partitions.
    """
    paths = [match for named in options.paths for match in matches(options.filesystems, named)]
    targets = [options.target(path) for path in paths]
    if options.listing or options.catalog is None:
        listings = [discover(target, partitioned=False, ignore_prefixes=(".",), sizes=True) for target in targets]
    else:
        listings = files_of_catalog(options, options.target(options.catalog), targets)
    for message in (each for listing in listings for each in unfollowed(listing)):
        _warn_once(message)
    base = None if options.base_path is None else options.target(options.base_path).path.rstrip("/")

    def files() -> list[Found]:
        return [
            file
            for target, listing in zip(targets, listings, strict=True)
            for file in _files_of(options, target.path, listing, base)
        ]

    asked = (tuple(paths), options.filesystems, base, options.recursive, options.name_filter)
    columns = [column for listing in listings for column in (listing.paths, listing.sizes, listing.modified)]
    return _FILES.of(asked, columns, files)


@functools.cache
def _warn_once(message: str) -> None:
    logging.getLogger("parquetext").warning("%s", message)


def _files_of(options: Options, path: str, listing: Files, base: str | None) -> list[Found]:
    """Return the files of a listing to read. Decisions that depend only on the folder are made once for each."""
    root = path.rstrip("/")
    hidden: dict[str, bool] = {}
    found: list[tuple[int, str]] = []
    for number, (each, size) in enumerate(zip(listing.paths, listing.sizes, strict=True)):
        folder, _, name = each.rpartition("/")
        if folder not in hidden:
            hidden[folder] = any(map(is_skipped, filter(None, folder[len(root) :].split("/"))))
        is_hidden = hidden[folder] or (name[:1] in "._" and is_skipped(name)) or name.endswith(COPYING)
        is_meant = each == path or (size and not is_hidden)
        if is_meant and (options.name_filter is None or is_named(name, options.name_filter)):
            found.append((number, folder))
    if options.recursive:
        return [listing[number] for number, _ in found]
    folders, base = {folder for _, folder in found}, root if base is None else base
    partitions = {folder: _partition(folder, base) for folder in folders}
    if not any(partition.keys for partition in partitions.values()):
        return [listing[number] for number, folder in found if listing.paths[number] == path or folder == root]
    _check_alike(partitions)
    target, sizes, modified = listing.target, listing.sizes, listing.modified
    return [
        Found(target(number), keys, sizes[number], modified[number])
        for number, folder in found
        if (keys := partitions[folder].keys)
    ]


def _partition(folder: str, base: str) -> _Partition:
    """Return the keys in the names of directories below `base`: the last consecutive ones of the form ``key=value``."""
    names = folder[len(base) :].strip("/").split("/") if f"{folder}/".startswith(f"{base}/") else []
    end = next((number for number in range(len(names), 0, -1) if "=" in names[number - 1]), 0)
    first = next((number for number in range(end, 0, -1) if "=" not in names[number - 1]), 0)
    if not end:
        return _Partition((), {}, folder)
    keys = directory_keys("/".join(names[first:end]))
    return _Partition(
        tuple(name.partition("=")[0].lower() for name in names[first:end]), keys, posixpath.join(base, *names[:first])
    )


def _check_alike(partitions: Mapping[str, _Partition]) -> None:
    """Refuse, like Spark's reader, directories that are not a single table, or that have an empty key or value."""
    positions = {partition.place.lower(): folder for folder, partition in partitions.items()}
    named = {partition.names: folder for folder, partition in partitions.items() if partition.names}
    for differing in (positions, named):
        if len(differing) > 1:
            one, other, *_ = sorted(differing.values())
            raise Unsupported(
                f"{one} and {other} are no partitions of one table, as spark.read.parquet says, too: "
                "read them one by one, or with recursiveFileLookup"
            )
    for folder, partition in partitions.items():
        if len(partition.keys) < len(partition.names) or "" in (*partition.keys, *partition.keys.values()):
            raise Unsupported(
                f"{folder} names a key twice, or a key or value without a name: spark.read.parquet refuses it, too"
            )


class Portion(NamedTuple):
    """A file, the approximate number of bytes to read, and the offsets of the row groups to read, if known."""

    file: Found
    size: int
    begins: Sequence[int] = ()

    @classmethod
    def whole(cls, file: Found) -> Portion:
        return cls(file, max(file.size, 0))


def shares(files: Sequence[Portion], options: Options) -> list[Share]:
    """Combine or divide files into shares of similar size; the size of a file includes the cost of opening it."""
    total = sum(each.size for each in files) + len(files) * options.open_cost
    most = min(options.partition_bytes, max(options.open_cost, total // options.min_partitions))
    pieces = sorted((piece for each in files for piece in _cut(each, most)), key=lambda piece: -piece[1])
    made: list[Share] = []
    filled = math.inf
    for piece, size in pieces:
        if filled + size > most:
            made.append(Share([]))
            filled = 0
        made[-1].pieces.append(piece)
        filled += size + options.open_cost
    return made


def _cut(portion: Portion, most: int) -> Iterator[tuple[Piece, int]]:
    """Yield a file's pieces and their sizes; they are contiguous, so that each row group is in exactly one."""
    file, size, begins = portion
    count = -(-size // most)
    if begins:  # pieces without a wanted row group would be tasks without work
        count = min(count, len(begins))
    if count <= 1:
        yield Piece(file), size
        return
    if begins:
        cuts = [begins[number * len(begins) // count] for number in range(1, count)]
    else:
        cuts = [size * number // count for number in range(1, count)]
    for start, end in itertools.pairwise([-math.inf, *cuts, math.inf]):
        yield Piece(file, start, end), size // count
