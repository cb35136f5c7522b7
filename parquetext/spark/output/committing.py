"""Commit a staging folder to the dataset: write one file that makes the commit final, then move the files.

If the driver dies after that, the next write to the dataset completes the commit.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import posixpath
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field

import pyarrow.fs as pafs

from ... import storage, systems
from ...errors import Refused
from ...masking import without_secrets
from ...storage.objects import check_size
from .staging import FORGOTTEN, Folder, Staging, belongs_to, leftovers, stagings

APPEND, OVERWRITE, ERROR, IGNORE = "append", "overwrite", "error", "ignore"
OVERWRITE_PARTITIONS = "overwrite partitions"
SUCCESS = "_SUCCESS"
MOVERS = 16
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


@dataclass(frozen=True)
class Manifest:
    """The steps of a commit; each can be repeated.

    Attributes
    ----------
    dataset : str
        The dataset's path.
    moves : list of (str, str)
        Files: their present path, and their path in the dataset.
    mode : str
    removed : list of str
        Files of the dataset to remove.
    inode : int
        Inode of the staged folder that becomes the dataset as a whole; 0 if files are moved. Its device is not stored:
        the number differs between machines, and after a restart.
    partitions : list of (str, int)
        Mode `OVERWRITE_PARTITIONS`: the replaced directories, and the inodes of the staged ones; 0 if files are moved.
    """

    dataset: str
    moves: list[tuple[str, str]]
    mode: str
    removed: list[str] = field(default_factory=list)
    inode: int = 0
    partitions: list[tuple[str, int]] = field(default_factory=list)

    def write(self, file: Folder) -> None:
        new = storage.create((file.filesystem, file.path))
        new.sink.write(json.dumps(asdict(self)).encode())
        new.commit()

    @classmethod
    def read(cls, file: Folder) -> Manifest:
        """Read the manifest in a staging folder; refuse one with paths outside the dataset and the staging folder."""
        with file.filesystem.open_input_stream(file.path) as stream:
            manifest = cls(**json.loads(stream.read()))
        if not manifest._stays_within(file.parent):
            raise Refused(
                "the manifest of an unfinished write names places outside of its dataset: remove its folder",
                file=file.path,
            )
        return manifest

    def _stays_within(self, staging: Folder) -> bool:
        inside = f"{staging.path}/"
        sources, goals = zip(*self.moves, strict=True) if self.moves else ((), ())
        positions = [*goals, *self.removed, *(position for position, _ in self.partitions)]
        return (
            belongs_to(staging, Folder(staging.filesystem, self.dataset))
            and all(source.startswith(inside) for source in sources)
            and not any(
                position.startswith("/") or ".." in position.split("/")
                for position in [*positions, *(source.removeprefix(inside) for source in sources)]
            )
        )


def commit(staging: Staging, dataset: Folder, files: Iterable[tuple[str, str]], mode: str) -> None:
    """Move the files of a write to the dataset: all of them, or none.

    On a local filesystem a new or replaced dataset appears atomically, and so does each replaced partition. Otherwise
    files are moved one by one. If the driver is killed meanwhile, the next write moves the rest.

    Parameters
    ----------
    staging : Staging
        Staging folder of the write; it is removed.
    dataset : Folder
    files : iterable of (str, str)
        The path of each file in the attempts' folder, and its path in the dataset.
    mode : {"append", "overwrite", "overwrite partitions", "error", "ignore"}
        `ERROR` and `IGNORE`: the dataset did not exist. `OVERWRITE_PARTITIONS`: only the directories that get files are
        replaced, with all their files.

    Raises
    ------
    FileExistsError
        If another program has created the dataset meanwhile, in mode `ERROR`.
    FileNotFoundError
        If a file is missing: nothing has been changed.
    Refused
        If the store could not copy a file: nothing has been changed.
    """
    moves = [((staging.attempts / source).path, goal) for source, goal in files]
    there = {info.path: info.size for info in staging.attempts.entries(recursive=True)}
    if gone := [source for source, _ in moves if source not in there]:
        raise FileNotFoundError(errno.ENOENT, "a file that a task has written is gone", gone[0])
    for source, goal in moves:
        check_size(storage.Target((dataset / goal).path, dataset.filesystem), there[source])
    if mode in (ERROR, IGNORE) and _is_made(dataset):
        _give_up(staging, dataset, mode)
        settle(staging.folder)
        return
    if mode == OVERWRITE_PARTITIONS:
        manifest = _staged_partitions(staging, dataset, moves)
    elif _as_a_whole(staging, dataset, mode):
        manifest = _staged_table(staging, dataset, moves, mode)
    else:
        manifest = Manifest(dataset.path, moves, mode, _files_below(dataset) if mode == OVERWRITE else [])
    manifest.write(staging.manifest)
    settle(staging.folder)


def settle(folder: Folder) -> None:
    """Finish a write if it was committed, or discard it; remove the staging folder."""
    with _alone(folder):
        _settle(folder)


@contextlib.contextmanager
def _alone(folder: Folder) -> Iterator[None]:
    """Serialize commits on a local filesystem: two that exchange the same folders would undo each other."""
    with contextlib.ExitStack() as held:
        if folder.is_local:
            with contextlib.suppress(OSError):  # it has been removed, or is on a filesystem without locks
                file = os.open(folder.path, os.O_RDONLY | systems.O_DIRECTORY)
                held.callback(os.close, file)
                systems.lock(file, wait=True)
        yield


def _settle(folder: Folder) -> None:
    staging = Staging(folder, "")
    if staging.manifest.exists():
        manifest = Manifest.read(staging.manifest)
        dataset = Folder(folder.filesystem, manifest.dataset)
        if manifest.mode in (OVERWRITE, OVERWRITE_PARTITIONS):
            _supersede(staging, dataset, manifest)
        if manifest.inode:
            _swap(staging, dataset, manifest)
        elif any(inode for _, inode in manifest.partitions):
            _swap_partitions(staging, dataset, manifest)
        else:
            if manifest.mode in (OVERWRITE, OVERWRITE_PARTITIONS):
                _remove(dataset, manifest.removed)
            _move(dataset, manifest.moves)
        # First: a folder without a manifest is discarded, even if some of its files are missing.
        folder.filesystem.delete_file(staging.manifest.path)
    staging.remove()


def _supersede(staging: Staging, dataset: Folder, manifest: Manifest) -> None:
    """Delete from older manifests what a later recovery would replay over this overwrite."""
    now = staging.manifest.modified()
    for folder, owner in stagings(dataset):
        other = Staging(folder, "").manifest
        if folder.path != staging.folder.path and not owner.is_alive() and other.exists() and other.modified() < now:
            rest = _outside(Manifest.read(other), dataset, {position for position, _ in manifest.partitions})
            if manifest.mode == OVERWRITE_PARTITIONS and (rest.moves or rest.removed):
                rest.write(other)
            else:
                other.filesystem.delete_file(other.path)


def _outside(manifest: Manifest, dataset: Folder, positions: set[str]) -> Manifest:
    """Return the rest of a commit if these partitions have been replaced since: moves of single files."""
    if manifest.mode in (ERROR, IGNORE):
        return manifest  # given up, because the dataset is there
    removed = _files_below(dataset) if manifest.inode and manifest.mode == OVERWRITE else manifest.removed
    kept = [(position, inode) for position, inode in manifest.partitions if position not in positions]
    return Manifest(
        manifest.dataset,
        [move for move in manifest.moves if posixpath.dirname(move[1]) not in positions],
        manifest.mode,
        [name for name in removed if not _is_within(name, positions)],
        0,
        kept,
    )


def _is_within(name: str, positions: set[str]) -> bool:
    parts = name.split("/")
    return any("/".join(parts[:depth]) in positions for depth in range(1, len(parts)))


def settle_leftovers(dataset: Folder, forgotten: float = FORGOTTEN) -> list[Folder]:
    """Finish the writes of drivers that have ended, which `staging.leftovers` finds; their staging folders."""
    folders = leftovers(dataset, forgotten)
    for folder in folders:
        with contextlib.suppress(FileExistsError):  # another has made the dataset: theirs is given up
            settle(folder)
    return folders


def _is_made(dataset: Folder) -> bool:
    """Return True if the dataset exists; on stores, the staging folder of its first write is in the same folder."""
    if dataset.is_local:
        return dataset.exists()
    ours = {folder.path for folder, _ in stagings(dataset)}
    return any(info.path not in ours for info in dataset.entries())


def _give_up(staging: Staging, dataset: Folder, mode: str) -> None:
    """Discard the write: another program has created the dataset."""
    if mode != IGNORE:
        staging.remove()
        raise FileExistsError(errno.EEXIST, "the dataset was made meanwhile", without_secrets(dataset.path))


def _as_a_whole(staging: Staging, dataset: Folder, mode: str) -> bool:
    """Return True if the staged folder can become the dataset by a rename."""
    is_beside = posixpath.dirname(staging.folder.path) == dataset.parent.path
    return dataset.is_local and is_beside and (mode == OVERWRITE or not dataset.exists())


def _staged_table(staging: Staging, dataset: Folder, moves: Iterable[tuple[str, str]], mode: str) -> Manifest:
    """Collect the files in one folder that can become the dataset."""
    table = staging.table
    _move(table, list(moves))
    if dataset.exists():
        shutil.copymode(dataset.path, table.path)
    moved = [((table / goal).path, goal) for _, goal in moves]
    return Manifest(dataset.path, moved, mode, inode=os.stat(table.path).st_ino)


def _staged_partitions(staging: Staging, dataset: Folder, moves: list[tuple[str, str]]) -> Manifest:
    """Collect the partitions that can replace those of the dataset."""
    positions = sorted({posixpath.dirname(goal) for _, goal in moves})
    if not dataset.is_local:
        removed = [f"{position}/{name}" for position in positions for name in _files_below(dataset / position)]
        return Manifest(
            dataset.path, moves, OVERWRITE_PARTITIONS, removed, 0, [(position, 0) for position in positions]
        )
    _move(staging.table, moves)
    for position in positions:
        if (dataset / position).exists():
            shutil.copymode((dataset / position).path, (staging.table / position).path)
    moved = [((staging.table / goal).path, goal) for _, goal in moves]
    inodes = [(position, os.stat((staging.table / position).path).st_ino) for position in positions]
    whole = os.stat(staging.table.path).st_ino if _as_a_whole(staging, dataset, OVERWRITE_PARTITIONS) else 0
    return Manifest(dataset.path, moved, OVERWRITE_PARTITIONS, inode=whole, partitions=inodes)


def _swap_partitions(staging: Staging, dataset: Folder, manifest: Manifest) -> None:
    """Replace the dataset's partitions by the staged ones, one by one, except those that have been replaced."""
    _remove(dataset, [])
    for number, (position, inode) in enumerate(manifest.partitions):
        staged, goal = staging.table / position, dataset / position
        (dataset / posixpath.dirname(position)).make()
        if _is(staged.path, inode):
            _replace(staged.path, goal.path, (staging.folder / f"replaced-{number}").path)
    _move(dataset, manifest.moves)


def _replace(staged: str, path: str, replaced: str) -> None:
    """Swap a staged folder with the folder that has its name."""
    try:
        os.rename(staged, path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
        _exchange(staged, path, replaced)


def _swap(staging: Staging, dataset: Folder, manifest: Manifest) -> None:
    """Exchange the staged folder and the dataset, unless that was done already."""
    if not _is(staging.table.path, manifest.inode):
        return
    try:
        if manifest.mode == OVERWRITE and dataset.exists():
            _exchange(staging.table.path, dataset.path, (staging.folder / "replaced").path)
        else:
            os.rename(staging.table.path, dataset.path)  # not over a folder that is not empty
        _flush(dataset.parent.path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if manifest.mode == APPEND:
            _move(dataset, manifest.moves)
        elif manifest.mode == OVERWRITE_PARTITIONS:
            _swap_partitions(staging, dataset, manifest)
        else:
            _give_up(staging, dataset, manifest.mode)


def _is(path: str, inode: int) -> bool:
    try:
        return os.stat(path).st_ino == inode
    except FileNotFoundError:
        return False


def _exchange(staged: str, path: str, replaced: str) -> None:
    """Exchange two folders in one step, or by two renames if the filesystem does not support it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "renameat2"):
        old, new = os.fsencode(staged), os.fsencode(path)
        if libc.renameat2(_AT_FDCWD, old, _AT_FDCWD, new, _RENAME_EXCHANGE) == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise OSError(code, os.strerror(code), path)
    os.rename(path, replaced)
    os.rename(staged, path)


def _remove(dataset: Folder, names: Iterable[str]) -> None:
    """Remove files, `_SUCCESS` first: without it a dataset is not whole."""

    def remove(name: str) -> None:
        file = dataset / name
        if file.exists():
            file.filesystem.delete_file(file.path)

    remove(SUCCESS)
    _each(remove, names)


def _move(dataset: Folder, moves: Sequence[tuple[str, str]]) -> None:
    """Move files into the dataset, as far as they have not been; then write `_SUCCESS`."""

    def move(step: tuple[str, str]) -> None:
        source, goal = Folder(dataset.filesystem, step[0]), dataset / step[1]
        if source.exists():
            source.move(goal)

    folders = {posixpath.dirname(goal) for _, goal in moves}
    dataset.make()
    for folder in folders:
        (dataset / folder).make()
    _each(move, moves)
    with dataset.filesystem.open_output_stream((dataset / SUCCESS).path):
        pass
    if dataset.is_local:
        above = {
            os.path.join(*parts[:depth])
            for parts in (folder.split("/") for folder in folders)
            for depth in range(1, len(parts) + 1)
        }
        for folder in above | {""}:
            _flush(os.path.join(dataset.path, folder))


def _each(function: Callable, items: Iterable) -> None:
    with ThreadPoolExecutor(MOVERS) as pool:
        for _ in pool.map(function, items):
            pass


def _files_below(dataset: Folder) -> list[str]:
    """Return the dataset's files, including hidden ones, without staging folders."""
    inside = len(dataset.path) + 1
    names = [info.path[inside:] for info in dataset.entries(recursive=True) if info.type == pafs.FileType.File]
    return [name for name in names if not name.startswith(".parquetext-") and name != SUCCESS]


def _flush(folder: str) -> None:
    file = os.open(folder, os.O_RDONLY | systems.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
