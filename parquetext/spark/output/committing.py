"""From a staging folder to the dataset: decided by one file, then done to the end, by whomever comes next."""

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

__all__ = ["APPEND", "ERROR", "IGNORE", "OVERWRITE", "OVERWRITE_PARTITIONS", "commit", "settle", "settle_leftovers"]

APPEND, OVERWRITE, ERROR, IGNORE = "append", "overwrite", "error", "ignore"
OVERWRITE_PARTITIONS = "overwrite partitions"
SUCCESS = "_SUCCESS"
MOVERS = 16
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


@dataclass(frozen=True)
class Manifest:
    """What a commit does; every step of it can be done again.

    Attributes
    ----------
    dataset : str
        The dataset's path.
    moves : list of (str, str)
        Files: where they are, and where they go in the dataset.
    mode : str
    removed : list of str
        Files of the dataset that go.
    inode : int
        Of the staged folder that becomes the dataset as a whole; 0 where files are moved. Without its device: other
        machines number those otherwise, and so does the same one when it has been started again.
    partitions : list of (str, int)
        Mode `OVERWRITE_PARTITIONS`: the directories that are replaced, and the inodes of the staged ones; 0 where
        files are moved.
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
        """The manifest in a staging folder; Refused where it tells of other places than its dataset's and its own."""
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
        places = [*goals, *self.removed, *(place for place, _ in self.partitions)]
        return (
            belongs_to(staging, Folder(staging.filesystem, self.dataset))
            and all(source.startswith(inside) for source in sources)
            and not any(
                place.startswith("/") or ".." in place.split("/")
                for place in [*places, *(source.removeprefix(inside) for source in sources)]
            )
        )


def commit(staging: Staging, dataset: Folder, files: Iterable[tuple[str, str]], mode: str) -> None:
    """Put the files of a write in their place: all of them, or none.

    On a local filesystem a dataset that is new, or that is replaced, is there whole from one moment to the next.
    Partitions that are replaced there each change from one moment to the next. Everything else is moved file by file.
    A driver that is killed meanwhile leaves the rest to the next write.

    Parameters
    ----------
    staging : Staging
        Of the write; nothing is left of it.
    dataset : Folder
    files : iterable of (str, str)
        Where each file is in the attempts' folder, and where it goes in the dataset.
    mode : {"append", "overwrite", "overwrite partitions", "error", "ignore"}
        `ERROR` and `IGNORE`: of a dataset that is not there. `OVERWRITE_PARTITIONS`: only the directories that get
        files are replaced, with all that is in them.

    Raises
    ------
    FileExistsError
        Mode `ERROR`, and somebody has made the dataset meanwhile.
    FileNotFoundError
        A file is gone: nothing has been done.
    Refused
        The store could not copy a file to its place: nothing has been done.
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
    """End a write: what was decided is done, what was not is thrown away; the staging folder is gone."""
    with _alone(folder):
        _settle(folder)


@contextlib.contextmanager
def _alone(folder: Folder) -> Iterator[None]:
    """One after the other on a local filesystem: two that exchange the same folders at once change nothing."""
    with contextlib.ExitStack() as held:
        if folder.is_local:
            with contextlib.suppress(OSError):  # it is gone already, or on a filesystem without locks
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
        # First: without it, and with half of its files gone, the folder is nothing but a leftover.
        folder.filesystem.delete_file(staging.manifest.path)
    staging.remove()


def _supersede(staging: Staging, dataset: Folder, manifest: Manifest) -> None:
    """Delete from older manifests what a later recovery would replay over this overwrite."""
    now = staging.manifest.modified()
    for folder, owner in stagings(dataset):
        other = Staging(folder, "").manifest
        if folder.path != staging.folder.path and not owner.is_alive() and other.exists() and other.modified() < now:
            rest = _outside(Manifest.read(other), dataset, {place for place, _ in manifest.partitions})
            if manifest.mode == OVERWRITE_PARTITIONS and (rest.moves or rest.removed):
                rest.write(other)
            else:
                other.filesystem.delete_file(other.path)


def _outside(manifest: Manifest, dataset: Folder, places: set[str]) -> Manifest:
    """What remains of a decision when these partitions have been replaced since: moves of single files."""
    if manifest.mode in (ERROR, IGNORE):
        return manifest  # given up, because the dataset is there
    removed = _files_below(dataset) if manifest.inode and manifest.mode == OVERWRITE else manifest.removed
    kept = [(place, inode) for place, inode in manifest.partitions if place not in places]
    return Manifest(
        manifest.dataset,
        [move for move in manifest.moves if posixpath.dirname(move[1]) not in places],
        manifest.mode,
        [name for name in removed if not _is_within(name, places)],
        0,
        kept,
    )


def _is_within(name: str, places: set[str]) -> bool:
    parts = name.split("/")
    return any("/".join(parts[:depth]) in places for depth in range(1, len(parts)))


def settle_leftovers(dataset: Folder, forgotten: float = FORGOTTEN) -> list[Folder]:
    """End the writes of drivers that are no more, which `staging.leftovers` tells; their staging folders."""
    folders = leftovers(dataset, forgotten)
    for folder in folders:
        with contextlib.suppress(FileExistsError):  # another has made the dataset: theirs is given up
            settle(folder)
    return folders


def _is_made(dataset: Folder) -> bool:
    """Whether the dataset is there; on stores the staging folder of its first write lies where it will be."""
    if dataset.is_local:
        return dataset.exists()
    ours = {folder.path for folder, _ in stagings(dataset)}
    return any(info.path not in ours for info in dataset.entries())


def _give_up(staging: Staging, dataset: Folder, mode: str) -> None:
    """Somebody else has made a dataset that was to be a new one."""
    if mode != IGNORE:
        staging.remove()
        raise FileExistsError(errno.EEXIST, "the dataset was made meanwhile", without_secrets(dataset.path))


def _as_a_whole(staging: Staging, dataset: Folder, mode: str) -> bool:
    """Whether the staged folder can become the dataset by a rename."""
    is_beside = posixpath.dirname(staging.folder.path) == dataset.parent.path
    return dataset.is_local and is_beside and (mode == OVERWRITE or not dataset.exists())


def _staged_table(staging: Staging, dataset: Folder, moves: Iterable[tuple[str, str]], mode: str) -> Manifest:
    """The files in one folder, ready to become the dataset."""
    table = staging.table
    _move(table, list(moves))
    if dataset.exists():
        shutil.copymode(dataset.path, table.path)
    moved = [((table / goal).path, goal) for _, goal in moves]
    return Manifest(dataset.path, moved, mode, inode=os.stat(table.path).st_ino)


def _staged_partitions(staging: Staging, dataset: Folder, moves: list[tuple[str, str]]) -> Manifest:
    """The partitions that get files, ready to replace those of the dataset."""
    places = sorted({posixpath.dirname(goal) for _, goal in moves})
    if not dataset.is_local:
        removed = [f"{place}/{name}" for place in places for name in _files_below(dataset / place)]
        return Manifest(dataset.path, moves, OVERWRITE_PARTITIONS, removed, 0, [(place, 0) for place in places])
    _move(staging.table, moves)
    for place in places:
        if (dataset / place).exists():
            shutil.copymode((dataset / place).path, (staging.table / place).path)
    moved = [((staging.table / goal).path, goal) for _, goal in moves]
    inodes = [(place, os.stat((staging.table / place).path).st_ino) for place in places]
    whole = os.stat(staging.table.path).st_ino if _as_a_whole(staging, dataset, OVERWRITE_PARTITIONS) else 0
    return Manifest(dataset.path, moved, OVERWRITE_PARTITIONS, inode=whole, partitions=inodes)


def _swap_partitions(staging: Staging, dataset: Folder, manifest: Manifest) -> None:
    """Let staged partitions take the place of the dataset's, one after the other, as far as they have not."""
    _remove(dataset, [])
    for number, (place, inode) in enumerate(manifest.partitions):
        staged, goal = staging.table / place, dataset / place
        (dataset / posixpath.dirname(place)).make()
        if _is(staged.path, inode):
            _replace(staged.path, goal.path, (staging.folder / f"replaced-{number}").path)
    _move(dataset, manifest.moves)


def _replace(staged: str, path: str, replaced: str) -> None:
    """Give a staged folder its name, in exchange for the one that has it."""
    try:
        os.rename(staged, path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
        _exchange(staged, path, replaced)


def _swap(staging: Staging, dataset: Folder, manifest: Manifest) -> None:
    """Let the staged folder become the dataset; nothing if it has become it already."""
    if not _is(staging.table.path, manifest.inode):
        return
    try:
        if manifest.mode == OVERWRITE and dataset.exists():
            _exchange(staging.table.path, dataset.path, (staging.folder / "replaced").path)
        else:
            os.rename(staging.table.path, dataset.path)  # not over a folder that holds something
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
    """Exchange two folders in one step; where the filesystem cannot, by two renames."""
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
    """The dataset's files, hidden ones too, but for staging folders."""
    inside = len(dataset.path) + 1
    names = [info.path[inside:] for info in dataset.entries(recursive=True) if info.type == pafs.FileType.File]
    return [name for name in names if not name.startswith(".parquetext-") and name != SUCCESS]


def _flush(folder: str) -> None:
    file = os.open(folder, os.O_RDONLY | systems.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
