"""The scan methods of datasets and fragments, each with the parameters of pyarrow's method, in the same order."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import pyarrow as pa

from ... import compute as pc
from ...records import frozen

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from .row_positions import RowPositions
    from .scanner import Scanner
    from .shuffled_batches import ShuffledBatches

BATCH_SIZE = 1 << 17
BATCH_READAHEAD, FRAGMENT_READAHEAD = 16, 4
Columns: TypeAlias = "Sequence[str] | Mapping[str, pc.Expression] | None"


P = ParamSpec("P")
R = TypeVar("R")


@frozen
class ScanOptions:
    """The options of a scan besides its columns and its filter; see `DatasetScans.scanner`."""

    batch_size: int
    batch_readahead: int
    fragment_readahead: int
    fragment_scan_options: ds.ParquetFragmentScanOptions | None
    use_threads: bool
    cache_metadata: bool
    memory_pool: pa.MemoryPool | None

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> ScanOptions:
        """Take the options from all arguments of a call."""
        return cls(**{each.name: arguments[each.name] for each in fields(cls)})


def with_parameters_of(
    scanner: Callable[Concatenate[Any, P], object],
) -> Callable[[Callable[..., R]], Callable[Concatenate[Any, P], R]]:
    """Return a decorator that shows the parameters of `scanner` after the first one of a method.

    They can be given by position only if the method has ``*args``.
    """
    rest = list(inspect.signature(scanner).parameters.values())[1:]

    def decorate(method: Callable[..., R]) -> Callable[Concatenate[Any, P], R]:
        own = inspect.signature(method)
        first, *others = own.parameters.values()
        by_position = any(each.kind is each.VAR_POSITIONAL for each in others)
        shown = rest if by_position else [each.replace(kind=each.KEYWORD_ONLY) for each in rest]
        method.__signature__ = own.replace(parameters=[first, *shown])  # type: ignore[attr-defined]
        return method

    return decorate


class _Scans:
    """The methods that datasets and fragments share. Other parameters are those of their `scanner`."""

    def _scan(self, columns: Columns, filter: object, options: ScanOptions) -> Scanner:
        raise NotImplementedError

    def _count(self) -> int | None:
        """Return the number of rows without a filter, if it is known without a scan."""
        return None

    def head(
        self,
        num_rows: int,
        columns: Columns = None,
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> pa.Table:
        """Read the first rows, and nothing after them."""
        return self._scan(columns, filter, ScanOptions.of(locals())).head(num_rows)

    def take(
        self,
        indices: object,
        columns: Columns = None,
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> pa.Table:
        """Return rows by their positions, in the order of `indices`.

        Without a filter, only pages that contain these rows are read.
        """
        return self._scan(columns, filter, ScanOptions.of(locals())).take(indices)

    def count_rows(
        self,
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> int:
        """Return the number of rows that match the filter; without a filter, only footers are read."""
        count = self._count() if filter is None else None
        return self._scan([], filter, ScanOptions.of(locals())).count_rows() if count is None else count


class DatasetScans(_Scans):
    """The scan methods of a dataset."""

    def without_filter(self) -> tuple[DatasetScans, pc.Expression | None]:
        """Return a dataset of the same files without its filter, and the filter."""
        raise NotImplementedError

    def _row_positions(self) -> RowPositions:
        """Return the positions of all rows, counted once for this dataset."""
        raise NotImplementedError

    def scanner(
        self,
        columns: Columns = None,
        filter: Any = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> Scanner:
        """Return a scanner of some columns of the rows that match a filter.

        Parameters
        ----------
        columns : list of str or dict of pyarrow.compute.Expression, optional
            Columns, dotted paths into structs, or expressions to compute. All columns by default. ``__filename``,
            ``__fragment_index``, ``__batch_index`` and ``__last_in_fragment`` contain the origin of a row: the first
            without the secrets of URLs, the second as the file's position in `files`.
        filter : pyarrow.compute.Expression, or lists of tuples, optional
        batch_size : int
            Maximal number of rows of a batch; 131,072 by default.
        batch_readahead : int
            Maximal number of batches of all files that are read ahead; by default 16, at most 64 MB.
        fragment_readahead : int
            Number of files that are read at once; 4 by default.
        fragment_scan_options : pyarrow.dataset.ParquetFragmentScanOptions, optional
        use_threads : bool
            If False, values are read in the calling thread, when they are requested. Planning uses threads in any case.
        cache_metadata : bool
            No effect. Each call reads only the needed parts of a footer.
        memory_pool : pyarrow.MemoryPool, optional
            The pool to which the result is copied. By default, the result is in the default pool, which
            `pyarrow.set_memory_pool` sets.

        Raises
        ------
        ColumnError
            If the schema has no such column.
        """
        return self._scan(columns, filter, ScanOptions.of(locals()))

    @with_parameters_of(scanner)
    def to_table(self, *args: Any, **kwargs: Any) -> pa.Table:
        """Read into a table; arguments as in `scanner`."""
        return self.scanner(*args, **kwargs).to_table()

    @with_parameters_of(scanner)
    def to_batches(self, *args: Any, **kwargs: Any) -> Iterator[pa.RecordBatch]:
        """Read batch by batch, in the order of the files; arguments as in `scanner`."""
        return self.scanner(*args, **kwargs).to_batches()

    def shuffled_batches(
        self,
        batch_size: int,
        seed: int,
        *,
        columns: Sequence[str] | None = None,
        window: int | None = None,
        shard: tuple[int, int] = (0, 1),
        drop_last: bool = False,
        as_numpy: bool = False,
    ) -> ShuffledBatches:
        """Return all rows in a random order, batch by batch, for training.

        Parameters
        ----------
        batch_size : int
            Number of rows of a batch.
        seed : int
            Equal seeds give equal orders. Each epoch has another order.
        columns : list of str, optional
        window : int, optional
            If given, blocks of 1,024 consecutive rows are read in random order, and rows are shuffled within windows of
            about so many rows. This reads faster, and is less random. By default, each row is placed at random.
        shard : (int, int)
            The number of this reader and the number of readers that share the rows of each epoch. Their numbers of
            batches differ by at most one.
        drop_last : bool
            If True, leave out the last batch if it has fewer rows, and batches that not all shards have.
        as_numpy : bool
            If True, a batch is a dictionary of numpy arrays in place of a table.

        Returns
        -------
        ShuffledBatches
            Each iteration is one epoch. `state_dict` and `load_state_dict` continue within an epoch.

        Raises
        ------
        ValueError
            If a number is out of range.

        Examples
        --------
        >>> batches = parquetext.dataset("wide.parquet").shuffled_batches(100, seed=1, columns=["id"])
        >>> sorted(number for batch in batches for number in batch["id"].to_pylist()) == list(range(300))
        True
        """
        from .matching_rows import rows_by_number  # only for this call
        from .shuffled_batches import ShuffledBatches

        return ShuffledBatches(
            rows_by_number(self),
            batch_size,
            seed,
            columns=columns,
            window=window,
            shard=shard,
            drop_last=drop_last,
            as_numpy=as_numpy,
        )


class FragmentScans(_Scans):
    """The scan methods of a fragment, whose rows may be requested in another schema."""

    def _scan(self, columns: Columns, filter: object, options: ScanOptions, schema: pa.Schema | None = None) -> Scanner:
        raise NotImplementedError

    def scanner(
        self,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: Any = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> Scanner:
        """Return a scanner.

        Parameters
        ----------
        schema : pyarrow.Schema, optional
            The schema of the rows; by default the file's schema. The dataset's schema adds the keys of directories.
        columns, filter, batch_size, batch_readahead, fragment_readahead, fragment_scan_options, use_threads, \
cache_metadata, memory_pool
            As in `Dataset.scanner`.
        """
        return self._scan(columns, filter, ScanOptions.of(locals()), schema)

    @with_parameters_of(scanner)
    def to_table(self, *args: Any, **kwargs: Any) -> pa.Table:
        """Read into a table; arguments as in `scanner`."""
        return self.scanner(*args, **kwargs).to_table()

    @with_parameters_of(scanner)
    def to_batches(self, *args: Any, **kwargs: Any) -> Iterator[pa.RecordBatch]:
        """Read batch by batch; arguments as in `scanner`."""
        return self.scanner(*args, **kwargs).to_batches()
