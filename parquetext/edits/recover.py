"""Settle what killed processes left behind."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from .. import sidecar, storage
from ..errors import Conflict
from ..footer.soundness import has_sound_footer
from .directories import takes_directories
from .result import Result

__all__ = ["recover"]


@takes_directories()
def recover(path: object, *, timeout: float = 0) -> Result:
    """Undo a change in place that was interrupted, and remove unfinished new files, the file's sidecars' too.

    Only the holder of the file's lock does that, so a change that is still going on is a Conflict. Every later
    `upgrade` and `strip` does the same by itself, but for sidecars. The journal of another file, which had this name
    before, is set aside as ``.NAME.parquetext-journal-stale``, and the result's message says so. A file that is not
    there may have an unfinished new file: ``expand(folder, unfinished=True)`` lists such names. Objects of a remote
    store are never half changed: nothing to do.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        As `parquetext.open` takes it.
    timeout : float
        Seconds to wait for another writer.

    Returns
    -------
    Result
        `.outcome`, sizes before and after, and a message.
        If `path` is a directory: a list with one for each file; of a file that was refused or that failed, its outcome
        is ``"refused"`` or ``"failed"``, and its message is the error.

    Raises
    ------
    Conflict
        Somebody is changing the file right now.
    Refused
        What has the journal's name beside it belongs to somebody else, is a link or has links: it is not trusted.
    OSError
        The file cannot be opened.

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
    """Remove what a killed build of a sidecar has left, unless somebody is building it now; what was done."""
    if not target.is_local:
        return
    for place in sidecar.candidates(target):
        with contextlib.suppress(Conflict):
            if storage.remove_unfinished(place):
                yield f"removed an unfinished {os.path.basename(place.path)}"


def _size(target: storage.Target) -> int:
    if target.is_local:
        return os.stat(target.path).st_size if os.path.exists(target.path) else 0
    with storage.open_source(target) as source:
        return source.size
