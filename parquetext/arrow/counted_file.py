"""Checks for rows and entries that pyarrow loses when it reads encrypted files, one or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..footer.entry_counts import EntryCounts, check_entries, count_in_batch
from ..footer.row_counts import check_rows
from ..pruning import Predicate


class CountedFile(pq.ParquetFile):
    """A `pyarrow.parquet.ParquetFile` whose reading methods raise `RowsMissing` if pyarrow loses rows."""

    def read(self, columns: Iterable | None = None, *args: object, **options: Any) -> pa.Table:
        return self._checked(super().read(columns, *args, **options), range(self.num_row_groups), columns)

    def read_row_group(self, i: int, columns: Iterable | None = None, *args: object, **options: Any) -> pa.Table:
        return self._checked(super().read_row_group(i, columns, *args, **options), [i], columns)

    def read_row_groups(
        self, row_groups: Sequence[int], columns: Iterable | None = None, *args: object, **options: Any
    ) -> pa.Table:
        return self._checked(super().read_row_groups(row_groups, columns, *args, **options), row_groups, columns)

    def iter_batches(
        self,
        batch_size: int = 65536,
        row_groups: Sequence[int] | None = None,
        columns: Iterable | None = None,
        *args: object,
        **options: Any,
    ) -> Iterator[pa.RecordBatch]:
        chosen = range(self.num_row_groups) if row_groups is None else row_groups
        entries = self._entries(columns)
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
        check_rows(table.num_rows, _rows_of(self.metadata, row_groups))
        if entries := self._entries(columns):
            entries.check_table(table, row_groups)
        return table

    def _entries(self, columns: Iterable | None) -> EntryCounts | None:
        schema = self.schema_arrow
        return _entries_of(self.metadata, schema, schema, schema.names if columns is None else columns)


def check_fragments(
    table: pa.Table, fragments: Sequence, schema: pa.Schema, columns: Iterable[str] | None, predicate: Predicate | None
) -> None:
    """Raise `RowsMissing` if a table that pyarrow has read of files lacks rows of them, or entries of lists.

    Parameters
    ----------
    table : pyarrow.Table
    fragments : sequence of pyarrow.dataset.ParquetFileFragment
    schema : pyarrow.Schema
        Of the dataset.
    columns : sequence of str, optional
        The columns of the table; all by default.
    predicate : Predicate, optional
        The filter of the table's rows. Then the columns are read once more without it, batch by batch, in the row
        groups that it does not rule out: the number of rows that were read cannot be derived from a filtered table.
    """
    if predicate is None:
        names = schema.names if columns is None else list(columns)
        _check(table.to_batches(), [(file, range(file.num_row_groups)) for file in fragments], schema, names)
        return
    used = predicate.columns(lambda name: schema.field(name).type if schema.names.count(name) == 1 else None)
    names = schema.names if columns is None or used is None else [*dict.fromkeys([*columns, *used])]
    for fragment in fragments:
        part = fragment.subset(predicate.expression, schema=schema)
        if row_groups := [group.id for group in part.row_groups]:
            _check(part.to_batches(schema=schema, columns=names), [(part, row_groups)], schema, names)


def _check(
    batches: Iterable[pa.RecordBatch], parts: Sequence[tuple], schema: pa.Schema, columns: Sequence[str]
) -> None:
    """Compare batches of these columns with the row groups that are read; `parts` are fragments and row groups."""
    entries = expected = rows = found = 0
    for fragment, row_groups in parts:
        expected += _rows_of(fragment.metadata, row_groups)
        if counts := _entries_of(fragment.metadata, fragment.physical_schema, schema, columns):
            entries += counts.expected(row_groups)
    for batch in batches:
        rows += batch.num_rows
        found += count_in_batch(batch) if entries else 0
    check_rows(rows, expected)
    check_entries(found, entries)


def _entries_of(
    metadata: pq.FileMetaData, own: pa.Schema, schema: pa.Schema, columns: Iterable[str]
) -> EntryCounts | None:
    """Return the entries of the chosen top-level columns of a file whose Arrow schema is `own`; None without lists.

    Columns are left out if the type in `schema` is another one. Names with dots are not distinguished from nested
    columns: a file that has them is left out.
    """
    if any("." in name for name in own.names):
        return None
    both = [Counter(names.names) for names in (own, schema)]
    chosen = {name for name in columns if all(counts[name] == 1 for counts in both)}
    chosen = {name for name in chosen if own.field(name).type == schema.field(name).type}
    paths = (metadata.schema.column(leaf).path for leaf in range(metadata.num_columns))
    return EntryCounts.of_metadata(metadata, [leaf for leaf, path in enumerate(paths) if path.split(".")[0] in chosen])


def _rows_of(metadata: pq.FileMetaData, row_groups: Iterable[int]) -> int:
    return sum(metadata.row_group(number).num_rows for number in row_groups)
