"""Build a sidecar from a Parquet file with any form of footer."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from .. import kernels
from ..errors import Conflict, ParquetextError, Refused, names_memory
from ..footer.locate import FIRST_READ_REMOTE, read_tail
from ..footer.path_sizes import check_paths
from ..records import frozen
from ..storage import TICK_NS, LocalSource, RemoteSource, Source, create, open_source, resolve
from ..storage.refusals import check
from .append_blocks import backfill
from .blooms import bitsets, bloom_columns
from .following import exists
from .foreign_sidecars import IGNORABLE, refuse_foreign
from .header import describe
from .naming import sidecar_path
from .origin import CODE, Origin
from .slices import CODE as SLICES
from .slices import note_of, schema_for_sums
from .store_layout import is_of_store
from .table_formats import TABLE_FORMAT, membership, refuse_sidecar, table_above, table_by_name

LENGTH_AND_MAGIC = 8


@frozen
class Built:
    """A sidecar that was written.

    Attributes
    ----------
    path, sidecar : str
        The paths of the Parquet file and its sidecar.
    bytes : int
        Size of the sidecar.
    columns, row_groups, filters, backfilled : int
        Counts; filters are Bloom filters, backfilled are row groups whose timestamp bounds were computed from the data.
    seconds : float
    bytes_read : int
        Bytes read from the Parquet file, except data read by a back-fill.
    """

    path: str
    sidecar: str
    bytes: int
    columns: int
    row_groups: int
    filters: int
    backfilled: int
    seconds: float
    outcome: str = "built"
    bytes_read: int = 0


@names_memory
def build(path: object, *, sidecar: object = None, external_blooms: bool = False, ignore: Iterable[str] = ()) -> Built:
    """Write the sidecar of a Parquet file; replace an existing one that parquetext wrote.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        As `parquetext.open` takes it.
    sidecar : path, optional
        Path to write to. By default beside the file: ``_pm`` for a ``data.parquet`` that is the only Parquet file
        there, ``_NAME.pm`` for any other.
    external_blooms : bool
        Do not copy Bloom filters, but store their positions in the Parquet file.
    ignore : iterable of str
        ``"foreign-sidecar"``: also replace a sidecar of another program, such as QuestDB.
        ``"table-format"``: also write the first sidecar in a folder of a table (Delta Lake, Hudi, Iceberg, Paimon,
        DuckLake) whose clean-up does not know sidecars.

    Returns
    -------
    Built
        The paths and the counts of the sidecar.

    Raises
    ------
    OSError
        If the file cannot be read, or the sidecar cannot be written.
    Malformed, Refused, Unsupported
        If the file has no readable footer, or a sidecar cannot represent it; or if a foreign sidecar exists, or a
        folder above contains the log of a table.
    Conflict
        If the file was changed meanwhile.
    Refused
        If the sidecar's name is a symbolic link that belongs neither to the file's owner nor to this user.

    Notes
    -----
    Reads the footer, the Bloom filters, and the designated timestamp of row groups whose bounds the footer lacks. The
    sidecar appears under its name whole or not at all. A sidecar that another user has created is replaced, and its
    mode and owner are not inherited.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> any(map(sidecar.exists, sidecar.candidates("wide.parquet")))
    True
    """
    start = time.perf_counter()
    ignored = check(ignore, IGNORABLE)
    target = resolve(path)
    goal = sidecar_path(target) if sidecar is None else resolve(sidecar)
    if goal.is_local and is_of_store(goal.path):
        raise Refused("it is a store's, whose readers need its commits: update it", file=goal.path)
    with open_source(target) as source:
        refuse_foreign(goal, ignored)
        if TABLE_FORMAT not in ignored and not exists(goal):
            found = table_above(goal) or (table_by_name(target.path) if sidecar is None else None)
            if found:
                refuse_sidecar(membership(*found), ignored, str(target))
        settled = settle(source)
        try:
            made, counts = sidecar_bytes(source, external_blooms=external_blooms, settled=settled)
        except ParquetextError as error:
            raise error if error.file else error.at(source.name) from None
        check_unchanged(source)
        new = create(goal, owner=source.owner)
        try:
            new.sink.write(made)
            new.commit()
        except BaseException:
            new.abort()
            raise
    return Built(str(target), str(goal), len(made), *counts, time.perf_counter() - start, bytes_read=source.bytes_read)


def sidecar_bytes(
    source: Source, *, external_blooms: bool = False, settled: bool = True
) -> tuple[bytes, tuple[int, int, int, int]]:
    """Return the sidecar of an open file, and its counts of columns, row groups, filters and back-filled bounds."""
    offset, footer, thrift = footer_bytes(source)
    scan = kernels.scan.scan(thrift)
    check_paths(scan)
    header = describe(scan)
    with _data(source) as data:
        bounds = backfill(scan, header, data)
    filtered = bloom_columns(scan)
    blooms = {} if external_blooms else bitsets(scan, source)
    declared = header.declared
    writer = kernels.sidecar.Writer(
        header.columns,
        designated_timestamp=header.designated_timestamp,
        sorting_columns=header.sorting_columns,
        bloom_columns=filtered if external_blooms else {column for _, column in blooms},
        external_blooms=external_blooms,
        squash_tracker=declared.squash_tracker if declared else -1,
    )
    writer.add_scan(scan, bounds=bounds, blooms=blooms)
    origin = Origin.of(footer, source.version, header.types, backfilled=bool(bounds), settled=settled)
    slices = note_of(scan)
    notes = [*([] if slices is None else [(SLICES, slices)]), (CODE, origin.to_bytes())]
    made = writer.finish(
        offset,
        len(footer),
        unused_bytes=declared.unused_bytes if declared else 0,
        seq_txn=declared.seq_txn if declared else -1,
        scratchpad=notes,
        schema=b"" if origin.tag else schema_for_sums(slices),
    )
    return made, (scan.leaf_count, scan.row_group_count, len(blooms), len(bounds))


def footer_bytes(source: Source) -> tuple[int, bytes, bytes]:
    """Return the footer's offset, its bytes up to the last 8 of the file, and the Thrift footer in or after them."""
    tail = read_tail(source, FIRST_READ_REMOTE)
    offset = tail.footer_offset
    end = source.read(offset, source.size - offset)
    footer = end[:-LENGTH_AND_MAGIC]
    return offset, footer, tail.form.rebuild(end[: tail.footer_length]) if tail.is_final else footer


def _data(source: Any) -> pa.NativeFile:
    """Open the file for pyarrow; the caller checks at the end that it is still the same file."""
    if source.is_local:
        return pa.OSFile(os.fsencode(source.name))
    return source.target.filesystem.open_input_file(source.target.path)


def settle(source: Source) -> bool:
    """Wait until another change of a local file would change its times; return True if it would."""
    if source.version.changed is None:
        return True
    settled_at = source.version.settled_at
    if settled_at is None:
        return False
    left = settled_at - time.time_ns()
    if left > 0:
        time.sleep(min(left, TICK_NS) / 1e9)
        if left > TICK_NS:
            return False  # dated in the future: its times prove nothing
    return True


def check_unchanged(source: LocalSource | RemoteSource) -> None:
    with open_source(source.name if source.is_local else source.target) as now:
        if now.version != source.version:
            raise Conflict("it was changed by another process in the meantime", file=source.name)
