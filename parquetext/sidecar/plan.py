"""A sidecar as a plan: columns, chunk positions and statistics, without opening the Parquet file."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from .. import kernels, wire
from ..errors import ColumnError, Damaged, ParquetextError, Refused, Unsupported, wire_error
from ..footer.columns import Bounds, chunk_field
from ..footer.leaf_types import PHYSICAL_TYPES, REPETITIONS, LeafType
from ..masking import without_secrets
from ..pruning import ColumnBounds, Predicate
from ..storage import Target, open_source, resolve
from ..storage.ownership import is_strangers
from ..unpicklable import Unpicklable
from .belonging import belonging, origin_of
from .header import REPETITION_SHIFT
from .naming import candidates, likeliest
from .origin import Belongs, Origin
from .questdb_types import leaf_type, type_name
from .skipping import column_bounds, skips, surviving

if TYPE_CHECKING:
    from mmap import mmap

HEADER_BYTES = 8
NEITHER = 0  # of the bits for minima and maxima


def open(path: object, *, sidecar: object = None, parquet_size: int | None = None, verify: bool = True) -> Plan:
    """Open the sidecar of a Parquet file.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        The Parquet file, as `parquetext.open` takes it. It is opened only if its footer's checksum is needed to decide
        if the sidecar belongs to it.
    sidecar : path, optional
        Path of the sidecar. By default beside the file.
    parquet_size : int, optional
        The version token: read the snapshot of a file of this many bytes, and do not look at the file.
    verify : bool
        Verify the sidecar's checksum. Bounds are checked in any case.

    Returns
    -------
    Plan
        A context manager.

    Raises
    ------
    FileNotFoundError
        If there is no sidecar, or no file.
    Damaged
        If the sidecar does not belong to the file as it is now, or its checks fail.
    Unsupported
        If it requires unknown features, or does not identify the file's content and no token is given.
    Refused
        If it belongs to another user, in a folder that is writable by everyone (docs/safety.md).

    Notes
    -----
    O(columns + row groups), and one pass over the sidecar for the checksum. Local sidecars are mapped; the process
    keeps the last four mapped (see `release_mappings`), and still reads and checks them anew each time.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> with sidecar.open("wide.parquet") as plan:
    ...     print(list(plan.row_counts))
    [100, 100, 100]
    """
    if type(path) is str and "://" not in path and sidecar is None and parquet_size is None:
        plan = _untouched(path, verify)
        if plan is not None:
            return plan
    target = resolve(path)
    return open_beside(target, None if sidecar is None else [resolve(sidecar)], parquet_size, verify)


def open_beside(
    target: Target,
    positions: Sequence[Target] | None = None,
    parquet_size: int | None = None,
    verify: bool = True,
    source: Any = None,
) -> Plan:
    """Open the first sidecar that belongs to the file (open as `source` or not); default: those beside it."""
    is_named, positions = positions is not None, candidates(target) if positions is None else positions
    failure = None
    for position in positions:
        try:
            if not is_named:
                _refuse_strangers(target, position)
            return _open_one(target, position, parquet_size, verify, source)
        except FileNotFoundError as error:
            if error.filename not in (None, getattr(position, "path", None)):
                raise
        except (Damaged, Refused, Unsupported) as error:
            failure = error
    raise failure or FileNotFoundError(errno.ENOENT, "no sidecar", str(positions[0]))


def _refuse_strangers(target: Target, location: Target) -> None:
    """Raise Refused if another user has put the sidecar into a folder that is writable by everyone.

    The writer of a sidecar controls which rows a reader sees.
    """
    if location.is_local and is_strangers(location.path, os.stat(target.path).st_uid):
        raise Refused(
            f"it belongs to user {os.stat(location.path).st_uid}, in a folder that everybody may put files into",
            file=location.path,
        )


def _open_one(target: Target, location: Target, parquet_size: int | None, verify: bool, source: Any) -> Plan:
    data = read_sidecar(location)
    try:
        # Check bounds first: the checksum is only needed if the sidecar belongs to the file.
        reader = kernels.sidecar.Reader(data, parquet_size=parquet_size, verify=False)
        belongs = Belongs.YES if parquet_size is not None else belonging(target, reader, origin_of(reader), source)
        if verify:
            reader.check()
    except ParquetextError as error:
        raise error if error.file else error.at(str(location)) from None
    if belongs is Belongs.NO:
        raise Damaged("the sidecar was made from another content of the Parquet file", file=str(location))
    return Plan(target, location, reader, belongs)


def _untouched(path: str, verify: bool) -> Plan | None:
    """Open our sidecar of an untouched local file in few steps; return None in any other case."""
    position = likeliest(path)
    reader = kernels.sidecar.open_untouched(path, position)
    if reader is not None and verify:
        try:
            reader.check()
        except Damaged:
            return None
    return None if reader is None else Plan(path, position, reader, Belongs.YES)


def read_sidecar(location: object) -> mmap | bytes:
    """Map a local sidecar, or read a remote one, up to its committed size."""
    target = resolve(location)
    if target.is_local:
        return kernels.sidecar.map_file(target.path)
    with open_source(target) as source:
        if source.size < HEADER_BYTES:
            raise wire_error(wire.PM_TRUNCATED, 0, wire.PM_HEADER_BYTES, source.size, file=str(target))
        return source.read(0, source.size)  # in one request


def read_first(positions: Sequence[Target]) -> tuple[Any, Target]:
    """Return the bytes of the first sidecar that exists, and its path."""
    for position in positions:
        try:
            return read_sidecar(position), position
        except FileNotFoundError:
            continue
    raise FileNotFoundError(errno.ENOENT, "no sidecar", str(positions[0]))


def still_holding(plan: Plan, source: Any) -> Plan:
    """Return the plan for the file open as `source`, which may have changed since the plan was made.

    Raises
    ------
    Damaged
        If its note identifies another content.
    """
    origin = plan.origin
    if origin is None:
        return plan
    belongs = belonging(None, plan.reader, origin, source)
    if belongs is Belongs.NO:
        raise Damaged("the plan was made from another content of the Parquet file", file=plan.sidecar)
    return Plan(plan.path, plan.sidecar, plan.reader, belongs)


def release_mappings() -> None:
    """Unmap the local sidecars that are no longer in use, so that their filesystem can be unmounted.

    Examples
    --------
    >>> parquetext.sidecar.release_mappings()
    """
    kernels.sidecar.release_mappings()


class Plan(Unpicklable):
    """The positions of a Parquet file's chunks, and their statistics. A context manager.

    Attributes
    ----------
    path, sidecar : str
        The Parquet file, and the sidecar that was read.
    reader : kernels.sidecar.Reader
    footer : kernels.sidecar.Footer
        The snapshot.
    belongs : Belongs
        The evidence that the sidecar belongs to the file. If it is the footer alone, values that the sidecar took from
        the data (Bloom filters, the designated timestamp's bounds if the footer has none) are not returned.
    """

    __slots__ = ("_doubtful", "_path", "_sidecar", "belongs", "reader")

    def __init__(self, path: object, sidecar: object, reader: kernels.sidecar.Reader, belongs: Belongs):
        self._path, self._sidecar, self.reader, self.belongs = path, sidecar, reader, belongs
        self._doubtful: int | None = None
        if belongs is Belongs.BY_FOOTER and self.origin is not None and self.origin.backfilled:
            self._doubtful = reader.designated_timestamp

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the sidecar; values read from it remain valid."""
        with suppress(AttributeError):  # closed before, perhaps by another thread
            del self.reader

    @property
    def path(self) -> str:
        return str(self._path)

    @property
    def sidecar(self) -> str:
        return str(self._sidecar)

    @property
    def footer(self) -> kernels.sidecar.Footer:
        return self.reader.footer

    @property
    def origin(self) -> Origin | None:
        """The noted state of the file, or None without a note."""
        return origin_of(self.reader)

    @property
    def num_columns(self) -> int:
        """The number of leaf columns."""
        return self.reader.column_count

    @property
    def num_row_groups(self) -> int:
        return self.reader.row_group_count

    @property
    def row_counts(self) -> memoryview:
        """The number of rows of each row group (``int64``)."""
        return self.reader.row_counts

    @property
    def num_rows(self) -> int:
        return sum(self.row_counts)

    @property
    def designated_timestamp(self) -> int | None:
        """The index of the column, or None."""
        return None if (column := self.reader.designated_timestamp) < 0 else column

    @property
    def sorting_columns(self) -> list[int]:
        return self.reader.sorting_columns

    @property
    def columns(self) -> Sequence[PlanColumn]:
        """All leaf columns, in the file's order."""
        return [PlanColumn(self, index) for index in range(self.num_columns)]

    def column(self, name: str | int) -> PlanColumn:
        """Return a column by its name or index.

        Raises
        ------
        ColumnError
            If no column, or more than one, has this name: leaves below one field share its name.
        """
        if isinstance(name, int):
            return PlanColumn(self, name)
        found = self.reader.find_name(name.encode("utf-8", "surrogateescape"))
        if len(found) != 1:
            what = f"columns {', '.join(map(str, found))} have this name" if found else "no column has this name"
            raise ColumnError(f"{name!r}: {what}", file=self.sidecar)
        return PlanColumn(self, found[0])

    def bloom(self, row_group: int, column: int) -> tuple[str, int, int]:
        """Return a chunk's Bloom filter in the form of `kernels.sidecar.Reader.bloom`."""
        return self.reader.bloom(row_group, column) if self.belongs is Belongs.YES else ("none", 0, 0)

    def can_skip(self, row_group: int, filters: object, *, source: object = None) -> bool:
        """Return True if no row of a row group matches the filters of `skipping.skips`, by QuestDB's rules."""
        return skips(self, row_group, filters, source)

    def surviving(self, predicate: Predicate, *, source: object = None) -> list[int]:
        """Return the row groups that may contain rows that match a `pruning.Predicate`."""
        return surviving(self, predicate, source)

    def has_bounds(self, column: int) -> bool:
        """Return True if the sidecar's bounds of this column are valid for the current file."""
        return column != self._doubtful

    def __repr__(self) -> str:
        is_open = hasattr(self, "reader")
        fields = f"{self.num_columns} columns, {self.num_row_groups} row groups" if is_open else "closed"
        return f"<parquetext.sidecar.Plan {without_secrets(str(self.path))}: {fields}>"


class PlanColumn(Unpicklable):
    """One leaf column's metadata, one entry per row group.

    Counts and positions are memoryviews of ``int64``, -1 if unknown. Offsets count from the Parquet
    file's start, sizes are bytes.

    Attributes
    ----------
    index : int
    """

    __slots__ = ("_chunks", "_plan", "_reader", "index")

    def __init__(self, plan: Plan, index: int):
        self._plan, self.index, self._reader = plan, index, plan.reader
        self._chunks = plan.reader.chunks(index)

    num_values = chunk_field("num_values", "Values, nulls included.")
    null_count = chunk_field("null_count", "Nulls.")
    distinct_count = chunk_field("distinct_count", "Distinct values.")
    byte_range_start = chunk_field("byte_range_start", "Where the chunk begins: its dictionary page, else a data page.")
    total_compressed_size = chunk_field("total_compressed_size", "Bytes of all pages, headers included, compressed.")
    codec = chunk_field("codec", "Compression codec, as parquet.thrift numbers them (uint8).")
    encodings = chunk_field("encodings", "Bits of the encodings used (uint8); docs/sidecar.md.")
    flags = chunk_field("flags", "Bits ``wire.PM_STAT_…`` (uint8).")

    @property
    def _descriptor(self) -> kernels.sidecar.Column:
        """The descriptor."""
        return self._reader.column(self.index)

    @property
    def name(self) -> str:
        """The name of the top-level field that contains it."""
        try:
            return self._descriptor.name.decode()
        except UnicodeDecodeError as error:
            raise Damaged(f"column {self.index} has a name that is no UTF-8", file=self._plan.sidecar) from error

    @property
    def type(self) -> str:
        """QuestDB's type, or ``"UNKNOWN"`` if the file has none."""
        return type_name(self._descriptor.type)

    @property
    def type_code(self) -> int:
        return self._descriptor.type

    @property
    def id(self) -> int:
        """QuestDB's id, or the field id, or -1."""
        return self._descriptor.id

    @property
    def physical_type(self) -> str:
        kind = self._descriptor.physical_type
        return PHYSICAL_TYPES[kind] if kind < len(PHYSICAL_TYPES) else f"UNKNOWN_{kind}"

    @property
    def repetition(self) -> str:
        """The top-level field's ``"REQUIRED"``, ``"OPTIONAL"`` or ``"REPEATED"``."""
        kind = self._descriptor.flags >> REPETITION_SHIFT & 3
        if kind > wire.REPETITION_REPEATED:
            at = wire.PM_HEADER_BYTES + self.index * wire.PM_COLUMN_BYTES + wire.PM_COLUMN_FLAGS
            raise wire_error(wire.PM_REPETITION, at, wire.REPETITION_REPEATED, kind, file=self._plan.sidecar)
        return REPETITIONS[kind]

    @property
    def max_definition(self) -> int:
        return self._descriptor.max_definition

    @property
    def max_repetition(self) -> int:
        return self._descriptor.max_repetition

    @property
    def is_ascii(self) -> bool:
        return bool(self._descriptor.flags & wire.PM_COLUMN_FLAG_IS_ASCII)

    @property
    def has_global_keys(self) -> bool:
        """True if a symbol's dictionary keys are those of the whole table."""
        return bool(self._descriptor.flags & wire.PM_COLUMN_FLAG_LOCAL_KEY_IS_GLOBAL)

    @property
    def is_descending(self) -> bool:
        """True if rows are sorted by this column, descending."""
        return bool(self._descriptor.flags & wire.PM_COLUMN_FLAG_DESCENDING)

    @property
    def chunks(self) -> kernels.sidecar.Chunks:
        """The kernel's view of these chunks."""
        return self._chunks

    @property
    def min_bytes(self) -> Sequence[bytes | None]:
        """The minima as stored, at the physical type's width, or None."""
        return self._bounds(1)

    @property
    def max_bytes(self) -> Sequence[bytes | None]:
        """The maxima as stored, at the physical type's width, or None."""
        return self._bounds(2)

    def _bounds(self, bit: int) -> Bounds:
        return Bounds(self._chunks, bit if self._plan.has_bounds(self.index) else NEITHER)

    @property
    def min(self) -> pa.Array:
        """The minima as values; null if there is none, or its width is wrong."""
        return self._values(self.min_bytes)

    @property
    def max(self) -> pa.Array:
        """The maxima as values; null if there is none, or its width is wrong."""
        return self._values(self.max_bytes)

    @property
    def bounds(self) -> ColumnBounds | None:
        """Bounds and null counts for `pruning`, or None if the values have no known order."""
        return column_bounds(self._plan, self)

    @property
    def leaf_type(self) -> LeafType:
        """The physical type of the values and their Arrow type."""
        fields = self._descriptor
        return leaf_type(fields.type, fields.physical_type, fields.fixed_byte_len)

    @property
    def physical_and_width(self) -> tuple[int, int]:
        """The physical type's number, and the bytes of a fixed-length one."""
        return self._descriptor.physical_type, self._descriptor.fixed_byte_len

    def _values(self, bounds: Sequence[bytes | None]) -> pa.Array:
        return self.leaf_type.array(list(bounds))

    def __repr__(self) -> str:
        return f"<parquetext.sidecar.PlanColumn {self.name}: {self.type}, {len(self._chunks)} row groups>"
