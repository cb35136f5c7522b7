"""The scan methods of datasets and fragments, each with the parameters of pyarrow's method, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from ... import compute as pc

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from .scanner import Scanner

BATCH_SIZE = 1 << 17
BATCH_READAHEAD, FRAGMENT_READAHEAD = 16, 4
SCAN_OPTIONS = (
    "batch_size",
    "batch_readahead",
    "fragment_readahead",
    "fragment_scan_options",
    "use_threads",
    "cache_metadata",
    "memory_pool",
)
Columns: TypeAlias = "Sequence[str] | Mapping[str, pc.Expression] | None"


def of_scan(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call that are options of a scan."""
    return {name: arguments[name] for name in SCAN_OPTIONS}


class _Scans:
    """The methods that datasets and fragments share. Other parameters are those of their `scanner`."""

    def _scan(self, columns: Columns, filter: object, options: dict[str, Any]) -> Scanner:
        raise NotImplementedError

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
        return self._scan(columns, filter, of_scan(locals())).head(num_rows)

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

        Without a filter, only row groups that contain these rows are read.
        """
        return self._scan(columns, filter, of_scan(locals())).take(indices)

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
        return self._scan([], filter, of_scan(locals())).count_rows()


class DatasetScans(_Scans):
    """The scan methods of a dataset."""

    scanner: Callable[..., Scanner]

    def _scan(self, columns: Columns, filter: object, options: dict[str, Any]) -> Scanner:
        return self.scanner(columns, filter, **options)

    def to_table(
        self,
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
        """Read into a table; arguments as in `scanner`."""
        return self._scan(columns, filter, of_scan(locals())).to_table()

    def to_batches(
        self,
        columns: Columns = None,
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Read batch by batch, in the order of the files; arguments as in `scanner`."""
        return self._scan(columns, filter, of_scan(locals())).to_batches()


class FragmentScans(_Scans):
    """The scan methods of a fragment, whose rows may be requested in another schema."""

    scanner: Callable[..., Scanner]

    def _scan(self, columns: Columns, filter: object, options: dict[str, Any]) -> Scanner:
        return self.scanner(None, columns, filter, **options)

    def to_table(
        self,
        schema: pa.Schema | None = None,
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
        """Read into a table; arguments as in `scanner`."""
        return self.scanner(schema, columns, filter, **of_scan(locals())).to_table()

    def to_batches(
        self,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Read batch by batch; arguments as in `scanner`."""
        return self.scanner(schema, columns, filter, **of_scan(locals())).to_batches()
