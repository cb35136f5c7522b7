"""Check that pyarrow reads every entry of the columns in lists, and the rows of different columns at the same places.

pyarrow takes a page without values for the end of the column chunk. If the next page continues a list, the list loses
elements, and no row is missing. The entries of a column are its values, its nulls and its lists without elements; the
footer has their number as `num_values`.

pyarrow reads a column of several row groups as one sequence of values. If a chunk has more values than rows, the others
of its column are in other rows than those of another column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
from pyarrow import lib

from .. import compute as pc
from .. import kernels
from .row_counts import RowsMissing

LISTS = lib.Type_LIST, lib.Type_LARGE_LIST, lib.Type_MAP


def count_entries(array: pa.Array) -> int:
    """Return the number of entries that the leaves in lists of an array have in Parquet, all leaves together."""
    total, left = 0, [(array, False, 0)]  # arrays, True if in lists, number of lists without elements
    while left:
        array, is_in_list, without = left.pop()
        type = array.type
        if type.id in LISTS:
            offsets = array.offsets
            without += pc.equal(offsets[1:], offsets[:-1]).true_count
            left.append((array.values[offsets[0].as_py() : offsets[-1].as_py()], True, without))
        elif type.id == lib.Type_FIXED_SIZE_LIST:
            without += array.null_count if type.list_size else len(array)
            left.append((array.flatten(), True, without))
        elif type.id == lib.Type_STRUCT:
            left += [(array.field(number), is_in_list, without) for number in range(type.num_fields)]
        elif isinstance(type, pa.BaseExtensionType):
            left.append((array.storage, is_in_list, without))
        elif is_in_list:
            total += len(array) + without
    return total


def count_in_batch(batch: pa.RecordBatch) -> int:
    """Return the number of entries that the leaves in lists of a batch have in Parquet, all leaves together."""
    found = kernels.arrays.count_entries(*batch.__arrow_c_array__())
    # A struct's fields are found by position: `batch.columns` decodes names, which may not be UTF-8.
    return count_entries(batch.to_struct_array()) if found is None else found


def check_entries(found: int, expected: int) -> None:
    """Raise `RowsMissing` if pyarrow gives fewer entries than the row groups have."""
    if found < expected:
        message = f"pyarrow gives {found} of {expected} values and nulls of columns in lists"
        raise RowsMissing(message, expected=expected, found=found)


def find_wrong_count(scan, leaves: Iterable[int] | None = None) -> tuple[int, int] | None:
    """Compare the values of chunks outside of lists with the rows of several row groups.

    Parameters
    ----------
    scan : Scan
    leaves : iterable of int, optional
        The leaves that are read; all by default.

    Returns
    -------
    (int, int) or None
        The values of the first chunk that has another number of values than its row group has rows, and these rows;
        None if there is none, or only one row group.
    """
    rows, columns = scan.row_groups("num_rows"), scan.leaf_count
    if len(rows) < 2 or min(rows) < 0 or not scan.regular:
        return None
    counts, repetition, elements = scan.chunks("num_values"), scan.elements("max_repetition"), scan.leaves
    groups = (bytes(counts[first : first + columns]) for first in range(0, len(counts), columns))
    if all(found == bytes(rows[at : at + 1]) * columns for at, found in enumerate(groups)):
        return None
    for leaf in range(columns) if leaves is None else leaves:
        if counts[leaf::columns] == rows or repetition[elements[leaf]]:
            continue
        return next(both for both in zip(counts[leaf::columns], rows, strict=True) if both[0] != both[1])
    return None


class EntryCounts:
    """The entries of the leaves in lists: those that the footer has, and those that pyarrow gives.

    Parameters
    ----------
    leaves : sequence of int
        The leaves in lists that are read.
    num_values : callable
        Return the `num_values` of a chunk, given by its row group and leaf.
    """

    def __init__(self, leaves: Sequence[int], num_values: Callable[[int, int], int]):
        self._leaves, self._num_values = leaves, num_values
        self._found = 0

    @classmethod
    def of_scan(cls, scan, leaves: Iterable[int] | None = None) -> EntryCounts | None:
        """Return the counts of a scanned footer, of these leaves or of all; None if none is in a list."""
        repetition = scan.elements("max_repetition")
        if not max(repetition, default=0) or not scan.regular:
            return None
        elements, counts, columns = scan.leaves, scan.chunks("num_values"), scan.leaf_count
        read = range(columns) if leaves is None else leaves
        lists = [leaf for leaf in read if repetition[elements[leaf]]]
        return cls(lists, lambda group, leaf: counts[group * columns + leaf]) if lists else None

    @classmethod
    def of_metadata(cls, metadata, leaves: Iterable[int] | None = None) -> EntryCounts | None:
        """Return the counts of pyarrow's `FileMetaData`, as `of_scan`."""
        schema = metadata.schema
        read = range(metadata.num_columns) if leaves is None else leaves
        lists = [leaf for leaf in read if schema.column(leaf).max_repetition_level]
        return cls(lists, lambda group, leaf: metadata.row_group(group).column(leaf).num_values) if lists else None

    def add(self, batch: pa.RecordBatch) -> None:
        """Count the entries of the next batch."""
        self._found += count_in_batch(batch)

    def expected(self, row_groups: Iterable[int]) -> int:
        """Return the number of entries that the footer has for row groups."""
        return sum(self._num_values(group, leaf) for group in row_groups for leaf in self._leaves)

    def check(self, row_groups: Sequence[int]) -> None:
        """Compare the entries of all batches since the last check with those of the row groups.

        Raises
        ------
        RowsMissing
            The batches have fewer entries.
        """
        found, self._found = self._found, 0
        check_entries(found, self.expected(row_groups))

    def check_table(self, table: pa.Table, row_groups: Sequence[int]) -> None:
        """Compare the entries of a table with those of its row groups; raise as `check`."""
        for batch in table.to_batches():
            self.add(batch)
        self.check(row_groups)
