"""Undo or finish changes that were interrupted."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from .. import sidecar, storage
from ..errors import Conflict
from ..footer.scanning import has_sound_footer
from .directories import takes_directories
from .result import Result


@takes_directories()
def recover(path: object, *, timeout: float = 0) -> Result:
    """Undo an interrupted change in place, and remove unfinished new files of a file and its sidecars.

    A running change holds the file's lock and causes a Conflict. Every later `upgrade` and `strip` does the
    same by itself, except for sidecars. If the journal belongs to another file that had this name before, it is renamed
    to ``.NAME.parquetext-journal-stale``, and the result's message states it. A missing file may have an unfinished new
    file: ``expand(folder, unfinished=True)`` lists such names. Objects of a remote store are never partly changed, so
    nothing is done.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        See `parquetext.open`.
    timeout : float
        Seconds to wait for another writer.

    Returns
    -------
    Result or list of Result
        The outcome is ``"recovered"`` or ``"unchanged"``; see `upgrade`.

    Raises
    ------
    Conflict
        If another process is changing the file.
    Refused
        If a file with the journal's name belongs to another user, is a link or has links: it is not trusted.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> parquetext.recover("wide.parquet").outcome
    'unchanged'
    """
    start = time.perf_counter()
    target = storage.resolve(path)
    before = _size(target)
    done = [storage.recover(target, timeout=timeout, is_sound=has_sound_footer), *_of_sidecars(target)]
    return Result(
        str(target),
        "recovered" if any(done) else "unchanged",
        bytes_before=before,
        bytes_after=_size(target),
        seconds=time.perf_counter() - start,
        message="; ".join(filter(None, done)),
    )


def _of_sidecars(target: storage.Target) -> Iterator[str]:
    """Remove the leftovers of a killed build of a sidecar, unless a process is building it now; what was done."""
    if not target.is_local:
        return
    for position in sidecar.candidates(target):
        with contextlib.suppress(Conflict):
            if storage.remove_unfinished(position):
                yield f"removed an unfinished {os.path.basename(position.path)}"


def _size(target: storage.Target) -> int:
    if target.is_local:
        return os.stat(target.path).st_size if os.path.exists(target.path) else 0
    with storage.open_source(target) as source:
        return source.size
