"""pyarrow's reader of one file, which also reads encrypted files, with checks for missing rows and entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from ..footer.entry_counts import EntryCounts
from ..footer.row_counts import check_rows

__all__ = ["CountedFile", "check_whole"]


class CountedFile(pq.ParquetFile):
    """A `pyarrow.parquet.ParquetFile` whose reading methods raise `RowsMissing` if pyarrow loses rows."""

    def read(self, columns: Iterable | None = None, *args: object, **options: object) -> pa.Table:
        return self._checked(super().read(columns, *args, **options), range(self.num_row_groups), columns)

    def read_row_group(self, i: int, columns: Iterable | None = None, *args: object, **options: object) -> pa.Table:
        return self._checked(super().read_row_group(i, columns, *args, **options), [i], columns)

    def read_row_groups(
        self, row_groups: Sequence[int], columns: Iterable | None = None, *args: object, **options: object
    ) -> pa.Table:
        return self._checked(super().read_row_groups(row_groups, columns, *args, **options), row_groups, columns)

    def iter_batches(
        self,
        batch_size: int = 65536,
        row_groups: Sequence[int] | None = None,
        columns: Iterable | None = None,
        *args: object,
        **options: object,
    ) -> Iterator[pa.RecordBatch]:
        chosen = range(self.num_row_groups) if row_groups is None else row_groups
        entries = EntryCounts.of_metadata(self.metadata) if columns is None else None
        rows = 0
        for batch in super().iter_batches(batch_size, row_groups, columns, *args, **options):
            rows += batch.num_rows
            if entries is not None:
                entries.add(batch)
            yield batch
        check_rows(rows, _rows_of(self.metadata, chosen))
        if entries is not None:
            entries.check(chosen)

    def _checked(self, table: pa.Table, row_groups: Sequence[int], columns: Iterable | None) -> pa.Table:
        check_whole(table, self.metadata, row_groups, has_all_columns=columns is None)
        return table


def check_whole(
    table: pa.Table, metadata: pq.FileMetaData, row_groups: Sequence[int], *, has_all_columns: bool
) -> None:
    """Raise `RowsMissing` if a table that pyarrow has read lacks rows of row groups, or entries of lists.

    The entries are compared if the table has all columns.
    """
    check_rows(table.num_rows, _rows_of(metadata, row_groups))
    if has_all_columns and (entries := EntryCounts.of_metadata(metadata)):
        entries.check_table(table, row_groups)


def _rows_of(metadata: pq.FileMetaData, row_groups: Iterable[int]) -> int:
    return sum(metadata.row_group(number).num_rows for number in row_groups)
