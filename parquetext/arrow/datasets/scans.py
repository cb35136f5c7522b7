"""The methods of datasets and fragments that scan: each with the parameters of pyarrow's, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from .scanner import Scanner

__all__ = ["BATCH_READAHEAD", "BATCH_SIZE", "FRAGMENT_READAHEAD", "Columns", "DatasetScans", "FragmentScans", "of_scan"]

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


def of_scan(arguments: Mapping[str, object]) -> dict[str, object]:
    """Those arguments of a call that are options of a scan."""
    return {name: arguments[name] for name in SCAN_OPTIONS}


class _Scans:
    """What datasets and fragments have in common; other parameters are those of their `scanner`."""

    def _scan(self, columns: Columns, filter: object, options: dict[str, object]) -> Scanner:
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
        """The first rows; what is behind them is not read."""
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
        """Rows by their places, in the order of `indices`; without a filter only row groups that have them are read."""
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
        """How many rows meet the filter; without one footers alone are read."""
        return self._scan([], filter, of_scan(locals())).count_rows()


class DatasetScans(_Scans):
    """Those of a dataset."""

    def scanner(self, columns: Columns = None, filter: object = None, *options: object, **named: object) -> Scanner:
        raise NotImplementedError

    def _scan(self, columns: Columns, filter: object, options: dict[str, object]) -> Scanner:
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
        """Read into a table; arguments as `scanner` takes them."""
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
        """Read batch by batch, in the order of the files; arguments as `scanner` takes them."""
        return self._scan(columns, filter, of_scan(locals())).to_batches()


class FragmentScans(_Scans):
    """Those of a fragment, whose rows may be asked for in another schema."""

    def scanner(self, schema: pa.Schema | None = None, columns: Columns = None, *options: object, **named) -> Scanner:
        raise NotImplementedError

    def _scan(self, columns: Columns, filter: object, options: dict[str, object]) -> Scanner:
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
        """Read into a table; arguments as `scanner` takes them."""
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
        """Read batch by batch; arguments as `scanner` takes them."""
        return self.scanner(schema, columns, filter, **of_scan(locals())).to_batches()
