"""Find the row groups of many files that may contain matching rows, by footers only and in one evaluation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, groupby

import pyarrow as pa

from ...footer.bloom_filters import BloomFilters
from ...footer.model import FooterReader
from ...footer.pyarrow_footer import schema_of
from ...footer.typed_bounds import RawBounds, StoredBounds, stored_bounds
from ...pruning import ColumnBounds, Predicate, is_text, surviving_row_groups
from ...reading.request.selection import find_top_level
from ...records import frozen
from ...storage import Version


@frozen
class FileBounds:
    """The data of one file that planning needs: the number of row groups, and the bounds of the predicate's columns.

    `missing` contains the columns that the file does not have. A column that exists but has no bounds is in neither
    `bounds` nor `missing`. `version` is the version of a local file if its next change is detectable; otherwise it is
    None.
    """

    row_groups: int
    bounds: Mapping[str, tuple[StoredBounds | RawBounds, pa.DataType]]
    missing: frozenset[str]
    version: Version | None = None


def file_bounds(form: FooterReader, names: Iterable[str], version: Version | None = None) -> FileBounds:
    """Collect the bounds of top-level columns."""
    bounds, missing = {}, []
    for name in names:
        leaves = find_top_level(form, name)
        if leaves is None:
            missing.append(name)
            continue
        rows = rows_type(form, leaves)
        found = stored_bounds(form, leaves[0], rows) if len(leaves) == 1 else None
        if found is not None:
            bounds[name] = found, rows
    return FileBounds(form.row_group_count, bounds, frozenset(missing), version)


def rows_type(form: FooterReader, leaves: range) -> pa.DataType:
    """Return the type of the rows of a top-level column in its file."""
    return _type_of(form.slice(leaves, []))


@lru_cache(maxsize=1 << 10)
def _type_of(footer: bytes) -> pa.DataType:
    """Return the type of a slice's only column; it is cached, because files of a dataset often have equal slices."""
    kind = schema_of(footer).field(0).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def given_bounds(values: pa.Array) -> ColumnBounds:
    """Return the bounds of a column that has one value, possibly null, in all rows of a row group."""
    values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    nulls = values.is_null()
    text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    values = values.cast(pa.large_binary()) if text else values
    return ColumnBounds(values, values, nulls, values.is_valid())


def surviving(
    predicate: Predicate, files: Sequence[FileBounds], types: Mapping[str, pa.DataType], given: Mapping[str, pa.Array]
) -> list[list[int]]:
    """Return the row groups of each file that may contain rows that match the predicate.

    Parameters
    ----------
    types : mapping
        The type of each of the predicate's columns in the dataset.
    given : mapping
        Columns from directory names, one value for each file.
    """
    found: list[list[int]] = [[] for _ in files]
    for file, row_groups in surviving_by_file(
        predicate, [fields.row_groups for fields in files], files, types, given
    ).items():
        found[file] = row_groups
    return found


def surviving_by_file(
    predicate: Predicate,
    counts: Sequence[int],
    files: Sequence[FileBounds],
    types: Mapping[str, pa.DataType],
    given: Mapping[str, pa.Array],
    *,
    keeps_failing: bool = True,
) -> dict[int, list[int]]:
    """Return a mapping from file number to remaining row groups; files with none are omitted.

    Each item of `files` describes one file, or several files in succession. `counts` contains the number of row groups
    of each file. If `keeps_failing` is True, keep row groups whose rows may not be comparable with a literal.
    """
    ends = list(accumulate(counts))
    total = ends[-1] if ends else 0

    def bounds_of(name: str) -> ColumnBounds | None:
        if name in given:
            return given_bounds(given[name].take(owners(counts)))
        return joined_bounds(name, files, types[name])

    found: dict[int, list[int]] = {}
    left = surviving_row_groups(predicate, bounds_of, total, range(total), types, keeps_failing=keeps_failing)
    for row_group in left:
        file = bisect_right(ends, row_group)
        found.setdefault(file, []).append(row_group - ends[file] + counts[file])
    return found


def owners(counts: Sequence[int]) -> pa.Array:
    """Return the number of the file of each row group."""
    return pa.array([number for number, count in enumerate(counts) for _ in range(count)], pa.int64())


def undecided_by_bounds(predicate: Predicate) -> bool:
    """Return True if Bloom filters may rule out more than bounds: if lists of filters contain an equality."""
    return predicate.alternatives is not None and any(
        part.operator in ("=", "==", "in") for alternative in predicate.alternatives for part in alternative
    )


def surviving_after_blooms(
    predicate: Predicate,
    row_groups: Sequence[int],
    fields: FileBounds,
    types: Mapping[str, pa.DataType],
    given: Mapping[str, pa.Array],
    blooms: BloomFilters,
) -> list[int]:
    """Return those of one file's row groups that its Bloom filters do not rule out."""

    def bounds_of(name: str) -> ColumnBounds | None:
        if name in given:
            return given_bounds(pa.concat_arrays([given[name]] * fields.row_groups))
        return joined_bounds(name, [fields], types[name])

    return surviving_row_groups(predicate, bounds_of, fields.row_groups, row_groups, types, blooms.absent)


def joined_bounds(name: str, files: Sequence[FileBounds], wanted: pa.DataType) -> ColumnBounds | None:
    """Return the bounds of one column in all row groups of all files, in the type of the dataset's rows."""
    wanted = wanted.value_type if pa.types.is_dictionary(wanted) else wanted
    kind = pa.large_binary() if is_text(wanted) else wanted
    if pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        return None
    parts: list[ColumnBounds] = []
    for key, group in groupby(files, lambda fields: _key(name, fields)):
        some = list(group)
        parts.append(_typed_part(name, key, some, sum(fields.row_groups for fields in some), kind))
    return ColumnBounds.joined(parts) if parts else None


def _key(name: str, fields: FileBounds):
    """Return the properties that files must share for their bounds to be converted together."""
    if name in fields.missing:
        return "missing"
    found = fields.bounds.get(name)
    return None if found is None else (found[0].kind, found[1], found[0].is_required)


def _typed_part(name: str, key, files: list[FileBounds], count: int, kind: pa.DataType) -> ColumnBounds:
    """Return the bounds of files that have the column in the same type."""
    unknown = ColumnBounds.unknown(kind, count)
    if key is None:
        return unknown
    if key == "missing":
        return replace(unknown, only_nulls=pa.array([True] * count, pa.bool_()))
    parts = [fields.bounds[name][0] for fields in files]
    whole = parts[0] if len(parts) == 1 else StoredBounds.joined(parts)
    low, high = unknown.min, unknown.max
    try:
        bounds = whole.typed(key[1])
        if bounds is not None and (bounds.min.type == kind or _keeps_order(bounds.min.type, kind)):
            low, high = bounds.min.cast(kind), bounds.max.cast(kind)
    except (pa.ArrowException, OverflowError):
        pass  # bounds that the dataset's type cannot represent are unknown
    return ColumnBounds(low, high, *whole.nulls, *whole.nans, whole.boxes)


def _keeps_order(stored: pa.DataType, wanted: pa.DataType) -> bool:
    """Return True if a cast from one type to the other preserves the order of values."""
    return any(of_stored(stored) and of_wanted(wanted) for of_stored, of_wanted in _MONOTONE)


_MONOTONE: list[tuple[Callable, Callable]] = [
    (pa.types.is_integer, pa.types.is_integer),
    (pa.types.is_float32, pa.types.is_float64),
    (pa.types.is_timestamp, pa.types.is_timestamp),
    (pa.types.is_decimal, pa.types.is_decimal),
]
