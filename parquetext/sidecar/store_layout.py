"""The files of a store's directory.

        data.parquet -> _3/data.parquet      for readers that do not know stores
    _pm -> _3/_pm
    _3/data.parquet, _3/_pm              generation 3: row groups and footers, and the sidecar with its chain of commits
    _token                               which generation and which size of its data.parquet are committed
    _lock                                held by the one writer

Spark, Hive and pyarrow's datasets pass over names that begin with ``_``: for them the directory holds one file.
"""

from __future__ import annotations

import contextlib
import os
import re

from ..errors import Refused
from ..storage.operations import Operations
from ..storage.ownership import planted
from .naming import ALONE, OF_ALONE

TOKEN, LOCK = "_token", "_lock"
NEW = ".parquetext-new"
LINKED = (ALONE, OF_ALONE)
GENERATION = re.compile(r"_(\d+)")
LEADS = re.compile(rf"{GENERATION.pattern}/({'|'.join(map(re.escape, LINKED))})")


class Layout:
    """The names in a store's directory.

    Attributes
    ----------
    directory, token, lock : str
    """

    def __init__(self, directory: str):
        self.directory = directory
        self.token, self.lock = (os.path.join(directory, name) for name in (TOKEN, LOCK))

    def folder(self, generation: int) -> str:
        return os.path.join(self.directory, f"_{generation}")

    def data(self, generation: int) -> str:
        return os.path.join(self.folder(generation), ALONE)

    def sidecar(self, generation: int) -> str:
        return os.path.join(self.folder(generation), OF_ALONE)

    def linked(self, name: str) -> str:
        """Return the link through which other programs find the committed generation."""
        return os.path.join(self.directory, name)

    def generations(self) -> list[int]:
        """Return the numbers of all generations in the directory, ascending, committed or not."""
        found = (GENERATION.fullmatch(name) for name in os.listdir(self.directory))
        return sorted(int(match[1]) for match in found if match)

    def check_free(self) -> None:
        """Refuse a directory without a token that contains more than the first files of a store."""
        for name in LINKED:
            self._check_ours(name)
        if self.generations() not in ([], [0]) or any(os.path.islink(self.linked(name)) for name in LINKED):
            raise Refused("the store has lost its token file, which says what is committed", file=self.token)

    def check_trusted(self) -> None:
        """Refuse foreign files under a store's names before they are written to or removed."""
        folders = [self.folder(generation) for generation in self.generations()]
        for path in (self.token, *folders, *(os.path.join(folder, name) for folder in folders for name in LINKED)):
            with contextlib.suppress(FileNotFoundError):
                if reason := planted(path, is_folder=path in folders):
                    raise Refused(f"it {reason}, and is not trusted: remove it", file=path)

    def _check_ours(self, name: str) -> None:
        path = self.linked(name)
        if os.path.lexists(path) and not os.path.islink(path):
            raise Refused("it is not of a store, and a store's file would take its place", file=path)

    def link(self, operations: Operations, generation: int) -> bool:
        """Point the names that others open to a generation; return True if they have changed."""
        moved = False
        for name in LINKED:
            path, target = self.linked(name), os.path.join(f"_{generation}", name)
            if os.path.islink(path) and os.readlink(path) == target:
                continue
            self._check_ours(name)
            new = os.path.join(self.directory, f".{name}{NEW}")
            if os.path.lexists(new):
                operations.unlink(new)
            operations.symlink(target, new)
            operations.rename(new, path)
            moved = True
        if moved:
            operations.fsync_folder(self.directory)
        return moved


def store_of(path: str) -> str | None:
    """Return the directory of the store that a Parquet file belongs to, through any link; None if there is none."""
    return _found(path, ALONE)


def is_of_store(path: str) -> bool:
    """Return True if a sidecar belongs to a store."""
    return _found(path, OF_ALONE) is not None


def _found(path: str, name: str) -> str | None:
    positions = dict.fromkeys((path, os.path.realpath(path)))
    found = (_directory(position) for position in positions if os.path.basename(position) == name)
    return next((directory for directory in found if directory is not None), None)


def _directory(path: str) -> str | None:
    """Return the store's directory, of a name in it that leads to a generation or of a file in a generation.

    A store without its token counts, too: its last commit can still be restored, unless the files change.
    """
    directory, is_link = os.path.dirname(os.path.abspath(path)), os.path.islink(path)
    if is_link and LEADS.fullmatch(os.readlink(path)):
        return directory
    if not is_link:
        directory, folder = os.path.split(directory)
        if not GENERATION.fullmatch(folder):
            return None
    return directory if any(os.path.exists(os.path.join(directory, name)) for name in (TOKEN, LOCK)) else None
