"""Find and remove orphans: our sidecars whose Parquet file does not exist any more."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator

import pyarrow.fs as pafs

from .. import kernels
from ..errors import ParquetextError
from ..records import frozen
from ..storage import Target, resolve
from .foreign_sidecars import has_own_note
from .naming import ALONE, OF_ALONE, OURS
from .plan import read_sidecar
from .store_layout import is_of_store

REMOVED, ORPHAN, KEPT = "removed", "orphan", "kept"


@frozen
class Pruned:
    """A sidecar without its Parquet file.

    Attributes
    ----------
    path : str
    outcome : str
        ``"removed"``; ``"orphan"``: it would be removed without `dry_run`; ``"kept"``: `message` is the reason.
    bytes : int
    message : str
    """

    path: str
    outcome: str
    bytes: int
    message: str = ""


def prune(path: object, *, dry_run: bool = False) -> Iterator[Pruned]:
    """Remove the sidecars below a directory that parquetext has written for files that no longer exist.

    Parameters
    ----------
    path : path
        A directory, as `parquetext.dataset` takes it. Hidden folders and symbolic links below it are skipped.
    dry_run : bool
        Remove nothing.

    Yields
    ------
    Pruned
        For each file that has a sidecar's name and no Parquet file beside it: ``_NAME.pm`` of ``NAME``, and
        ``_pm`` of ``data.parquet``. A file that cannot be read, that another program has written or that belongs to a
        `Store` is kept.

    Raises
    ------
    NotADirectoryError
        If it is not a directory.
    OSError
        If it cannot be listed, or an orphan cannot be removed.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> os.remove("wide.parquet")
    >>> [each.path for each in sidecar.prune(".")]
    ['./_wide.parquet.pm']
    """
    target = resolve(path)
    if target.arrow_filesystem.get_file_info(target.path).type != pafs.FileType.Directory:
        raise NotADirectoryError(20, os.strerror(20), str(target))
    for folder, names in _folders(target):
        for name in sorted(names):
            of = _file_of(name)
            if of is not None and of not in names:
                position = posixpath.join(folder, name)
                yield _pruned(target.at(position), of, dry_run)


def _file_of(name: str) -> str | None:
    """Return the Parquet file whose sidecar has this name."""
    if name == OF_ALONE:
        return ALONE
    match = OURS.fullmatch(name)
    return None if match is None else match[1]


def _folders(target: Target) -> Iterator[tuple[str, set[str]]]:
    """Yield each folder and the names in it, including links; skip hidden folders."""
    if target.is_local:
        for folder, folders, files in os.walk(target.path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield folder, {*files, *folders}
        return
    found: dict[str, set[str]] = {}
    base = target.path.rstrip("/")
    for info in target.arrow_filesystem.get_file_info(pafs.FileSelector(base, recursive=True)):
        folder, _, name = info.path.rpartition("/")
        if info.type == pafs.FileType.File and "/." not in folder[len(base) :]:
            found.setdefault(folder, set()).add(name)
    yield from found.items()


def _pruned(location: Target, of: str, dry_run: bool) -> Pruned:
    local = location.is_local
    if local and (os.path.islink(location.path) or not os.path.isfile(location.path)):
        return Pruned(str(location), KEPT, 0, "it is not a regular file, or is a symbolic link")
    if local and is_of_store(location.path):
        return Pruned(str(location), KEPT, os.path.getsize(location.path), "it belongs to a sidecar.Store")
    before = _version(location)
    try:
        is_ours = has_own_note(kernels.sidecar.Reader(read_sidecar(location)))
    except ParquetextError as error:
        return Pruned(str(location), KEPT, before[0], f"it is no sidecar that can be read: {error}")
    if not is_ours:
        return Pruned(str(location), KEPT, before[0], "parquetext has not made it")
    if dry_run:
        return Pruned(str(location), ORPHAN, before[0])
    if _is_there(location, of) or _version(location) != before:
        return Pruned(str(location), KEPT, before[0], f"{of} has come back")
    if local:
        os.unlink(location.path)
    else:
        location.arrow_filesystem.delete_file(location.path)
    return Pruned(str(location), REMOVED, before[0])


def _is_there(location: Target, of: str) -> bool:
    path = posixpath.join(posixpath.dirname(location.path), of)
    if location.is_local:
        return os.path.lexists(path)
    return bool(location.arrow_filesystem.get_file_info(path).type != pafs.FileType.NotFound)


def _version(location: Target) -> tuple[int, int, int]:
    if location.is_local:
        status = os.stat(location.path)
        return status.st_size, status.st_mtime_ns, status.st_ino
    info = location.arrow_filesystem.get_file_info(location.path)
    return info.size, info.mtime_ns, 0
