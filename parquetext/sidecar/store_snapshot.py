"""A reader's snapshot of a store: one commit's rows, regardless of later writes."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from .. import kernels, systems, wire
from ..errors import ColumnError, Conflict, Damaged, wire_error
from ..footer.entry_counts import EntryCounts
from ..footer.pyarrow_footer import metadata_of, schema_of
from ..footer.row_counts import check_rows
from ..pruning import Predicate, predicate_of
from ..storage import LocalSource
from ..storage.folder import names_file
from .origin import Belongs
from .plan import Plan
from .store_layout import Layout
from .store_rows import without_row_groups
from .token import Token

SIZE_BYTES = 8
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


def share(file: int, *, alone: bool = False) -> bool:
    """Lock a generation's sidecar as one of its readers, or exclusively, to remove it; return True on success."""
    try:
        systems.lock(file, shared=not alone)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return True


def map_sidecar(source: LocalSource) -> mmap.mmap:
    """Return a sidecar, mapped up to its committed size; bytes after that may be incomplete."""
    size = int.from_bytes(source.read(0, SIZE_BYTES), "little")
    source.refresh()
    if not wire.PM_SMALLEST_BYTES <= size <= source.size:
        code = wire.PM_SIZE_BEYOND if size > source.size else wire.PM_SIZE_SMALL
        raise wire_error(code, 0, source.size, size, file=source.name)
    return mmap.mmap(source.fd, size, access=mmap.ACCESS_READ)


def open_snapshot(layout: Layout, token: Token, verify: bool) -> Snapshot:
    """Return the snapshot of a token.

    Raises
    ------
    FileNotFoundError, Conflict
        The generation has been removed, or is being removed.
    Damaged
        The files contradict the token.
    """
    sidecar = LocalSource(layout.sidecar(token.generation))
    try:
        if not share(sidecar.fd) or not names_file(sidecar.name, sidecar.fd):
            raise Conflict("it is being removed", file=sidecar.name)
        reader = kernels.sidecar.Reader(map_sidecar(sidecar), parquet_size=token.parquet_size, verify=verify)
        data = LocalSource(layout.data(token.generation))
        if data.size < token.parquet_size:
            data.close()
            raise Damaged(
                "the Parquet file is shorter than the committed one",
                file=data.name,
                expected=token.parquet_size,
                found=data.size,
            )
    except BaseException:
        sidecar.close()
        raise
    return Snapshot(token, reader, data, sidecar)


class Snapshot(Plan):
    """One commit of a store: its plan, and its rows. A context manager.

    Later commits, compactions and removals do not change it, because its files are open.

    Attributes
    ----------
    token : Token
        Its number, and the names and sizes of its files.
    path, sidecar : str
        The Parquet file, whose first `token.parquet_size` bytes are the snapshot's, and the sidecar.
    """

    def __init__(self, token: Token, reader: kernels.sidecar.Reader, data: LocalSource, sidecar: LocalSource):
        super().__init__(data.name, sidecar.name, reader, Belongs.YES)
        self.token, self._data, self._locked = token, data, sidecar

    def close(self) -> None:
        """Release the files; buffers that were taken from them stay valid."""
        super().close()
        self._data.close()
        self._locked.close()

    def parquet_footer(self) -> bytes:
        """Return the Thrift footer of this commit."""
        return self._data.read(self.footer.parquet_footer_offset, self.footer.parquet_footer_length)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema."""
        return schema_of(without_row_groups(self.parquet_footer()))

    def read(
        self,
        columns: Sequence[str] | None = None,
        *,
        row_groups: Iterable[int] | None = None,
        filters: object = None,
        use_threads: bool = True,
    ) -> pa.Table:
        """Rows of this commit.

        Parameters
        ----------
        columns : sequence of str, optional
            Top-level names; by default all.
        row_groups : iterable of int, optional
            By default all.
        filters : list of tuples, list of lists of tuples, or pyarrow.compute.Expression, optional
            As `pyarrow.parquet.read_table` takes them; row groups that the sidecar rules out are not read.
        use_threads : bool
            True if pyarrow may decode in its threads.

        Raises
        ------
        ColumnError
            If there is no column of that name.
        IndexError
            If there is no row group of that number.
        RowsMissing
            pyarrow loses rows, or values in lists, which `parquetext.read_table` reads; a `Malformed` and a
            `pyarrow.ArrowInvalid`.
        """
        if filters is not None:
            return self._filtered(columns, self._row_groups(row_groups), predicate_of(filters), use_threads)
        groups = self._row_groups(row_groups)
        leaves = self._leaves(columns)
        if not leaves:
            return pa.table({"": pa.nulls(sum(self.row_counts[group] for group in groups))}).select([])
        scan = kernels.scan.scan(self.parquet_footer())
        part = kernels.slice.slice_footer(scan, leaves, groups, key_values=columns is None)
        with _opened(self._data.fd) as file:
            table = pq.ParquetFile(file, metadata=metadata_of(part)).read(use_threads=use_threads)
        check_rows(table.num_rows, sum(self.row_counts[group] for group in groups), self.path)
        if entries := EntryCounts.of_scan(kernels.scan.scan(part)):
            entries.check_table(table, range(len(groups)))
        return table if columns is None else table.select(list(columns))

    def _filtered(
        self, columns: Sequence[str] | None, groups: list[int], predicate: Predicate, use_threads: bool
    ) -> pa.Table:
        schema = self.schema
        names = predicate.columns(lambda name: schema.field(name).type if name in schema.names else None)
        left = set(groups).intersection(self.surviving(predicate))
        wanted = None if columns is None or names is None else list(dict.fromkeys([*columns, *names]))
        table = self.read(wanted, row_groups=[group for group in groups if group in left], use_threads=use_threads)
        table = table.filter(predicate.expression)
        return table if columns is None else table.select(list(columns))

    def _row_groups(self, wanted: Iterable[int] | None) -> list[int]:
        groups = list(range(self.num_row_groups) if wanted is None else wanted)
        for group in groups:
            if not 0 <= group < self.num_row_groups:
                raise IndexError(f"row group {group} of {self.num_row_groups}")
        return groups

    def _leaves(self, columns: Sequence[str] | None) -> list[int]:
        if columns is None:
            return list(range(self.num_columns))
        found = {name: self.reader.find_name(name.encode()) for name in columns}
        for name, leaves in found.items():
            if not leaves:
                raise ColumnError(f"no column {name!r}", file=self.path)
        return sorted(leaf for leaves in found.values() for leaf in leaves)

    def __repr__(self) -> str:
        return f"<parquetext.sidecar.Snapshot {self.token.sequence} of {self.path}: {self.num_row_groups} row groups>"


def _opened(file: int) -> pa.NativeFile:
    """Return an open file for pyarrow, even if its name now leads to another file."""
    try:
        return pa.OSFile(systems.path_of(file))
    except FileNotFoundError:  # no /proc
        return pa.PythonFile(os.fdopen(os.dup(file), "rb"))
