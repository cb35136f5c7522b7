"""Update a sidecar by appending to it, and compact a sidecar by removing its old commits."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable

from .. import kernels, wire
from ..errors import ParquetextError
from ..records import frozen
from ..storage import LocalSource, Target, open_source, resolve
from ..storage.folder import Folder
from ..storage.locking import open_locked
from ..storage.operations import OPERATIONS, Operations
from ..storage.ownership import distrust, follow
from ..storage.refusals import check
from .append_blocks import advanced, append, is_external, outdated
from .belonging import belonging
from .building import Built, build, check_unchanged, footer_bytes, settle, sidecar_bytes
from .describing import commits
from .following import exists
from .foreign_sidecars import IGNORABLE, refuse_foreign
from .header import types_of
from .naming import candidates
from .origin import CODE, Belongs, Origin
from .plan import read_sidecar
from .questdb_types import has_scales
from .slices import CODE as SLICES
from .store import Store
from .store_compaction import is_due
from .store_layout import store_of
from .store_rows import dead_bytes
from .token import Token

CURRENT, UPDATED, REBUILT, BUILT, COMPACTED = "current", "updated", "rebuilt", "built", "compacted"


@frozen
class Updated:
    """The outcome of an update of a sidecar.

    Attributes
    ----------
    path, sidecar : str
        The Parquet file and its sidecar.
    outcome : str
        ``"current"``: nothing to do. ``"updated"``: appended to. ``"rebuilt"``, ``"compacted"``: written anew.
        ``"built"``: there was none.
    row_groups : int
        How many were written.
    bytes : int
        Written.
    size : int
        Of the sidecar now, in bytes.
    seconds : float
    """

    path: str
    sidecar: str
    outcome: str
    row_groups: int
    bytes: int
    size: int
    seconds: float


def update(
    path: object, *, sidecar: object = None, ignore: Iterable[str] = (), operations: Operations = OPERATIONS
) -> Updated:
    """Update the sidecar of a Parquet file.

    Row groups that the sidecar lacks, or describes differently, are appended to it with a new footer; readers of older
    snapshots keep them. If the columns differ, row groups are fewer, or the sidecar is damaged or remote, it is
    rewritten; so is a sidecar of another program. The file of a `Store` is committed.

    Parameters
    ----------
    path : path
        As `parquetext.open` takes it.
    sidecar : path, optional
        By default the one beside the file.
    ignore : iterable of str
        ``"foreign-sidecar"``: also a sidecar whose newest commit was written by another program, such as QuestDB.
        ``"table-format"``: as in `build`, if there is no sidecar yet.
    operations : Operations
        For tests.

    Returns
    -------
    Updated
        The outcome, and the number of bytes written.

    Raises
    ------
    OSError
        The file cannot be read, or the sidecar not be written.
    Malformed, Refused, Unsupported
        If the file has no readable footer, or one that a sidecar cannot describe; or the sidecar is foreign.
    Conflict
        The file was changed meanwhile, or another process is updating the sidecar.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> updated = sidecar.update("wide.parquet")
    >>> sidecar.compare("wide.parquet")
    []
    """
    start = time.perf_counter()
    ignored = check(ignore, IGNORABLE)
    target = resolve(path)
    if (store := _store(target)) is not None:
        return _of_store(target, store, Store.commit, UPDATED, start)
    position = _existing(target, sidecar)
    if position is None:
        return _built(build(target, sidecar=sidecar, ignore=ignored), BUILT, start)
    if not position.is_local or not target.is_local:
        return _built(build(target, sidecar=position, ignore=ignored), REBUILT, start)
    refuse_foreign(position, ignored)
    owner = os.stat(target.path).st_uid
    goal = follow(position.path, owner)
    with (
        Folder.of(goal) as folder,
        open_locked(goal, writable=True, timeout=0, ignored=frozenset(), folder=folder) as file,
    ):
        done = None if distrust(os.fstat(file.fd), owner) else _append(target, file, start, operations)
    return done or _built(build(target, sidecar=position, ignore=ignored), REBUILT, start)


def compact(path: object, *, sidecar: object = None, always: bool = False, ignore: Iterable[str] = ()) -> Updated:
    """Write the sidecar of a Parquet file anew, without its older commits.

    Parameters
    ----------
    path, sidecar, ignore
        As for `update`.
    always : bool
        True to rewrite it also if less than half of it, and less than 1 GiB, is unused.

    Returns
    -------
    Updated
        As for `update`.

    Raises
    ------
    FileNotFoundError
        If there is no sidecar, or no file.
    OSError, Malformed, Refused, Unsupported, Conflict
        As for `update`.

    Notes
    -----
    The file of a `Store` is compacted with its sidecar.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> compacted = sidecar.compact("wide.parquet", always=True)
    >>> sidecar.compare("wide.parquet")
    []
    """
    start = time.perf_counter()
    ignored = check(ignore, IGNORABLE)
    target = resolve(path)
    if (store := _store(target)) is not None:
        return _of_store(target, store, lambda store: store.compact(always=always), COMPACTED, start)
    position = _existing(target, sidecar)
    if position is None:
        raise FileNotFoundError(errno.ENOENT, "no sidecar", str(target))
    refuse_foreign(position, ignored)
    with open_source(position) as file:
        size = file.size
    try:
        dead = size - commits(kernels.sidecar.Reader(read_sidecar(position), verify=False))[0]["live_bytes"]
    except ParquetextError:
        dead = size
    if not always and not is_due(dead, size):
        return Updated(str(target), str(position), CURRENT, 0, 0, size, time.perf_counter() - start)
    return _built(build(target, sidecar=position, ignore=ignored), COMPACTED, start)


def _store(target: Target) -> Store | None:
    """Return the store that a file belongs to."""
    directory = store_of(target.path) if target.is_local else None
    return None if directory is None else Store(directory)


def _of_store(target: Target, store: Store, change: Callable[[Store], object], outcome: str, start: float) -> Updated:
    """Change a store, and describe the change; only the store may change its sidecar."""
    before = _snapshot_of(store)
    change(store)
    after = _snapshot_of(store)
    token, size, row_groups = after
    if before == after:
        return Updated(target.path, store.sidecar, CURRENT, 0, 0, size, time.perf_counter() - start)
    same = before[0].generation == token.generation
    return Updated(
        target.path,
        store.sidecar,
        outcome,
        row_groups - (before[2] if same else 0),
        size - (before[1] if same else 0),
        size,
        time.perf_counter() - start,
    )


def _snapshot_of(store: Store) -> tuple[Token, int, int]:
    """Return the committed state, the sidecar's size, and the row groups."""
    with store.snapshot() as snapshot:
        return snapshot.token, snapshot.footer.size, snapshot.num_row_groups


def _existing(target: Target, sidecar: object) -> Target | None:
    """Return the path of the sidecar, or None."""
    positions = candidates(target) if sidecar is None else [resolve(sidecar)]
    return next((position for position in positions if exists(position)), None)


def _built(built: Built, outcome: str, start: float) -> Updated:
    return Updated(
        built.path, built.sidecar, outcome, built.row_groups, built.bytes, built.bytes, time.perf_counter() - start
    )


def _append(target: Target, file: LocalSource, start: float, operations: Operations) -> Updated | None:
    """Append the new row groups; return None if the sidecar must be rewritten."""
    try:
        old = kernels.sidecar.Reader(file.read(0, file.size))
        note = old.scratchpad.get(CODE)
        origin = None if note is None else Origin.from_bytes(note)
    except ValueError:  # damaged, or empty
        return None
    if origin is not None and origin.layout == wire.PM_ORIGIN_FIRST_LAYOUT and has_scales(types_of(old)):
        return None  # of a version that had the scales of decimals elsewhere
    if origin is not None and belonging(target, old, origin) is Belongs.YES:
        return Updated(target.path, file.name, CURRENT, 0, 0, file.size, time.perf_counter() - start)
    with LocalSource(target.path) as source:
        settled = settle(source)
        made, _ = sidecar_bytes(source, external_blooms=is_external(old), settled=settled)
        new = kernels.sidecar.Reader(made, verify=False)
        groups = outdated(old, new)
        if groups is None:
            return None
        offset, _, thrift = footer_bytes(source)
        scan = kernels.scan.scan(thrift)
        tail = advanced(
            old,
            file.size,
            source,
            scan,
            new,
            groups,
            seq_txn=new.footer.seq_txn,
            unused_bytes=new.footer.unused_bytes or dead_bytes(scan, offset),
            scratchpad=_notes(old, new),
        )
        check_unchanged(source)
        append(operations, file, tail)
    return Updated(
        target.path, file.name, UPDATED, len(groups), len(tail), file.size + len(tail), time.perf_counter() - start
    )


def _notes(old: kernels.sidecar.Reader, new: kernels.sidecar.Reader) -> list[tuple[int, bytes]]:
    """Ours of the file as it is, and those that others have left."""
    ours = {code: note for code, note in new.scratchpad.items() if code != wire.PM_SUMS_CODE}  # which is of other bytes
    others = {code: note for code, note in old.scratchpad.items() if code not in (CODE, SLICES, wire.PM_SUMS_CODE)}
    return list((ours | others).items())
