"""Where new files lie until all of them are there: a hidden folder, named after the write that it belongs to."""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
import time
import uuid
from dataclasses import dataclass

import pyarrow.fs as pafs

from ...storage import Target
from ...storage.objects import copy_checked
from ...storage.ownership import planted
from ..owner import Owner

__all__ = ["FORGOTTEN", "Folder", "Staging", "belongs_to", "leftovers", "stagings"]

_MARK = ".parquetext-"
_LONGEST_NAME = 100  # of a dataset, in bytes, within the staging folder's name
# A folder of a driver on another machine, of which nothing else can be known, is left over when it has not changed
# for so long (seconds).
FORGOTTEN = 24 * 3600
_REMOVALS, _PAUSE_SECONDS = 50, 0.02  # tries to remove a folder in which others still make and rename files


@dataclass(frozen=True)
class Folder:
    """A folder of any filesystem, with what is needed of it here; picklable."""

    filesystem: pafs.FileSystem
    path: str

    @classmethod
    def of(cls, target: Target) -> Folder:
        if target.is_local:
            return cls(pafs.LocalFileSystem(), os.path.realpath(target.path))
        return cls(target.filesystem, target.path.rstrip("/"))

    @property
    def is_local(self) -> bool:
        return isinstance(self.filesystem, pafs.LocalFileSystem)

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
        """In ns since 1970."""
        return self.filesystem.get_file_info(self.path).mtime_ns or 0

    def entries(self, recursive: bool = False) -> list[pafs.FileInfo]:
        return self.filesystem.get_file_info(pafs.FileSelector(self.path, allow_not_found=True, recursive=recursive))

    def make(self) -> None:
        self.filesystem.create_dir(self.path, recursive=True)

    def make_below(self, relative: str) -> Folder:
        """A folder below this one, which must be there: nothing of it comes back once it was removed."""
        folder = self
        for name in filter(None, relative.split("/")):
            folder = folder / name
            folder.filesystem.create_dir(folder.path, recursive=False)
        return folder

    def move(self, goal: Folder) -> None:
        """Give a file another name; where the store has no such thing, by a copy: done again, it does the rest."""
        try:
            self.filesystem.move(self.path, goal.path)
        except NotImplementedError:  # Azure without a hierarchical namespace
            size = self.filesystem.get_file_info(self.path).size
            copy_checked(Target(self.path, self.filesystem), goal.path, size)
            self.filesystem.delete_file(self.path)

    def remove(self) -> None:
        """With all that is in it, also what others still put there meanwhile; no error where it is not there."""
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
        """One for a dataset, made on its filesystem: beside it, or within it."""
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
        """There as long as the write is not over. An object store brings the folder of a removed file back."""
        return self.folder / "running"

    def remove(self) -> None:
        """With all that is in it; attempts that still run will see that the write is over."""
        if self.running.exists():
            self.folder.filesystem.delete_file(self.running.path)
        self.folder.remove()

    @property
    def table(self) -> Folder:
        """What becomes the dataset."""
        return self.folder / "table"

    @property
    def attempts(self) -> Folder:
        return self.folder / "attempts"

    @property
    def manifest(self) -> Folder:
        """The decision: from when it is there, the write is done to its end, by whomever."""
        return self.folder / "commit.json"


def leftovers(dataset: Folder, forgotten: float = FORGOTTEN) -> list[Folder]:
    """Staging folders for a dataset, beside it or within it, whose drivers are no more.

    Of drivers on other machines those folders are, in which nothing has changed for `forgotten` seconds.
    """
    return [folder for folder, owner in stagings(dataset) if _is_left_over(folder, owner, forgotten)]


def stagings(dataset: Folder) -> list[tuple[Folder, Owner]]:
    """All staging folders for a dataset, and whose they are; not those that somebody else may have put there."""
    places = [(dataset, _MARK)]
    if dataset.is_local:
        places.append((dataset.parent, f".{_known_as(dataset)}{_MARK}"))
    return [
        (Folder(place.filesystem, info.path), owner)
        for place, prefix in places
        if place.type() == pafs.FileType.Directory
        for info in place.entries()
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
    """Whether a staging folder is one for the dataset, by its name and place."""
    if folder.parent == dataset:
        return folder.name.startswith(_MARK)
    return folder.parent == dataset.parent and folder.name.startswith(f".{_known_as(dataset)}{_MARK}")


def _known_as(dataset: Folder) -> str:
    """Its name, or by its SHA-256 where that would make others too long: no other dataset has it."""
    name = os.fsencode(dataset.name)
    return dataset.name if len(name) <= _LONGEST_NAME else hashlib.sha256(name).hexdigest()


def _is_left_over(folder: Folder, owner: Owner, forgotten: float) -> bool:
    alive = owner.is_alive()
    return not alive if alive is not None else not forgotten or _last_change(folder) < time.time() - forgotten


def _last_change(folder: Folder) -> float:
    infos = [folder.filesystem.get_file_info(folder.path), *folder.entries(recursive=True)]
    times = [info.mtime_ns for info in infos if info.mtime_ns]
    return max(times) / 1e9 if times else time.time()  # of what tells no time nothing is known
