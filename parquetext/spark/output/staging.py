"""Staging: new files are in a hidden folder until all are complete; its name identifies the write."""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
import time
import uuid
from dataclasses import dataclass

import pyarrow.fs as pafs

from ...storage import Target, is_local_filesystem
from ...storage.objects import copy_checked
from ...storage.ownership import planted
from ..owner import Owner

_MARK = ".parquetext-"
_LONGEST_NAME = 100  # of a dataset, in bytes, within the staging folder's name
# A folder of a driver on another machine counts as abandoned if it has not changed
# for so long (seconds).
FORGOTTEN = 24 * 3600
_REMOVALS, _PAUSE_SECONDS = 50, 0.02  # tries to remove a folder in which others still make and rename files


@dataclass(frozen=True)
class Folder:
    """A folder of any filesystem, with the operations that writes need; picklable."""

    filesystem: pafs.FileSystem
    path: str

    @classmethod
    def of(cls, target: Target) -> Folder:
        if target.is_local:
            return cls(pafs.LocalFileSystem(), os.path.realpath(target.path))
        return cls(target.filesystem, target.path.rstrip("/"))

    @property
    def is_local(self) -> bool:
        return is_local_filesystem(self.filesystem)

    @property
    def parent(self) -> Folder:
        return Folder(self.filesystem, posixpath.dirname(self.path))

    @property
    def name(self) -> str:
        return posixpath.basename(self.path)

    def __truediv__(self, name: str) -> Folder:
        return Folder(self.filesystem, f"{self.path.rstrip('/')}/{name}")

    def type(self) -> pafs.FileType:
        return self.filesystem.get_file_info(self.path).type

    def exists(self) -> bool:
        return self.type() != pafs.FileType.NotFound

    def modified(self) -> int:
        """Return the time of modification in ns since 1970."""
        return self.filesystem.get_file_info(self.path).mtime_ns or 0

    def entries(self, recursive: bool = False) -> list[pafs.FileInfo]:
        return self.filesystem.get_file_info(pafs.FileSelector(self.path, allow_not_found=True, recursive=recursive))

    def make(self) -> None:
        self.filesystem.create_dir(self.path, recursive=True)

    def make_below(self, relative: str) -> Folder:
        """Create a folder below this one, which must exist: a removed folder is not created again."""
        folder = self
        for name in filter(None, relative.split("/")):
            folder = folder / name
            folder.filesystem.create_dir(folder.path, recursive=False)
        return folder

    def move(self, goal: Folder) -> None:
        """Rename a file, or copy it on stores without renames; repeating an interrupted move finishes it."""
        try:
            self.filesystem.move(self.path, goal.path)
        except NotImplementedError:  # Azure without a hierarchical namespace
            size = self.filesystem.get_file_info(self.path).size
            copy_checked(Target(self.path, self.filesystem), goal.path, size)
            self.filesystem.delete_file(self.path)

    def remove(self) -> None:
        """Remove the folder with all its content, including files added meanwhile; it may be missing."""
        for left in reversed(range(_REMOVALS)):
            try:
                return self.filesystem.delete_dir(self.path)
            except OSError as error:
                if isinstance(error, FileNotFoundError) and not (self.is_local and self.exists()):
                    return
                if not (left and self.is_local and error.errno in (errno.ENOENT, errno.ENOTEMPTY)):
                    raise
            time.sleep(_PAUSE_SECONDS)


@dataclass(frozen=True)
class Staging:
    """The staging folder of one write."""

    folder: Folder
    job: str

    @classmethod
    def new(cls, dataset: Folder, beside: bool) -> Staging:
        """Create a staging folder for a dataset on its filesystem, beside it or within it."""
        job = uuid.uuid4().hex[:16]
        name = f"{_MARK}{Owner.driver()}-{job}"
        folder = dataset.parent / f".{_known_as(dataset)}{name}" if beside else dataset / name
        folder.make()
        new = cls(folder, job)
        with folder.filesystem.open_output_stream(new.running.path):
            pass
        return new

    @property
    def running(self) -> Folder:
        """Return the marker that exists while the write runs. An object store keeps the folder of a removed file."""
        return self.folder / "running"

    def remove(self) -> None:
        """Remove the folder with all its content; running attempts then notice that the write is over."""
        if self.running.exists():
            self.folder.filesystem.delete_file(self.running.path)
        self.folder.remove()

    @property
    def table(self) -> Folder:
        """Return the folder that becomes the dataset."""
        return self.folder / "table"

    @property
    def attempts(self) -> Folder:
        return self.folder / "attempts"

    @property
    def manifest(self) -> Folder:
        """Return the manifest: once it exists, the write is committed, and any later writer finishes it."""
        return self.folder / "commit.json"


def leftovers(dataset: Folder, forgotten: float = FORGOTTEN) -> list[Folder]:
    """Return staging folders for a dataset, beside it or within it, whose drivers have ended.

    For drivers on other machines, return folders that have not changed for `forgotten` seconds.
    """
    return [folder for folder, owner in stagings(dataset) if _is_left_over(folder, owner, forgotten)]


def stagings(dataset: Folder) -> list[tuple[Folder, Owner]]:
    """Return all staging folders for a dataset with their owners, except folders that other users may have created."""
    positions = [(dataset, _MARK)]
    if dataset.is_local:
        positions.append((dataset.parent, f".{_known_as(dataset)}{_MARK}"))
    return [
        (Folder(position.filesystem, info.path), owner)
        for position, prefix in positions
        if position.type() == pafs.FileType.Directory
        for info in position.entries()
        if info.base_name.startswith(prefix) and info.type == pafs.FileType.Directory
        if (owner := Owner.parse(info.base_name.removeprefix(prefix))) is not None
        and (not dataset.is_local or _is_trusted(info.path))
    ]


def _is_trusted(path: str) -> bool:
    try:
        return not planted(path, is_folder=True)
    except FileNotFoundError:  # another process has ended it meanwhile
        return False


def belongs_to(folder: Folder, dataset: Folder) -> bool:
    """Return True if a staging folder's name and path show that it is for the dataset."""
    if folder.parent == dataset:
        return folder.name.startswith(_MARK)
    return folder.parent == dataset.parent and folder.name.startswith(f".{_known_as(dataset)}{_MARK}")


def _known_as(dataset: Folder) -> str:
    """Return the dataset's name, or its SHA-256 if names would be too long; it is unique."""
    name = os.fsencode(dataset.name)
    return dataset.name if len(name) <= _LONGEST_NAME else hashlib.sha256(name).hexdigest()


def _is_left_over(folder: Folder, owner: Owner, forgotten: float) -> bool:
    alive = owner.is_alive()
    return not alive if alive is not None else not forgotten or _last_change(folder) < time.time() - forgotten


def _last_change(folder: Folder) -> float:
    infos = [folder.filesystem.get_file_info(folder.path), *folder.entries(recursive=True)]
    times = [info.mtime_ns for info in infos if info.mtime_ns]
    return max(times) / 1e9 if times else time.time()  # the age is unknown without a time
