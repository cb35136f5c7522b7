"""Find the row groups of many local files that a predicate leaves by their sidecars, without opening the files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from ... import kernels
from ...errors import ParquetextError
from ...footer.leaf_types import LeafType
from ...footer.thrift_form import ThriftForm
from ...footer.typed_bounds import RawBounds, comparable_type
from ...pruning import Predicate
from ...reading.request.selection import find_top_level
from ...sidecar.naming import likeliest
from ...storage.ownership import is_shared, is_strangers
from ...threads import Pool
from .dataset_plan import FileBounds, rows_type, surviving_by_file

SCHEMAS = 16  # maximal number of different schemas planned by sidecars; other files are planned by their footers
WORTH_A_THREAD = 1000  # files per thread


class Column(NamedTuple):
    """A column of a schema: its leaf, the leaf's type, the type of its rows, and True if it has no nulls."""

    leaf: int
    kind: LeafType
    rows: pa.DataType
    is_required: bool


def plan_by_sidecars(
    predicate: Predicate, paths: Sequence[str], types: Mapping[str, pa.DataType], given: Mapping[str, pa.Array]
) -> tuple[dict[int, list[int]], list[int], set[int]]:
    """Plan those of many local files that have matching sidecars.

    Parameters
    ----------
    paths : sequence of str
    types : mapping
        The type of each of the predicate's columns in the dataset.
    given : mapping
        Columns from directory names, one value for each file.

    Returns
    -------
    left : dict of int to list of int
        The remaining row groups of each file that has any, by the file's number.
    others : list of int
        The files that must be planned by their footers.
    filtered : set of int
        The planned files that have Bloom filters.
    """
    others = list(_untrusted(paths))
    todo = sorted(set(range(len(paths))).difference(others))
    left: dict = {}
    filtered: set = set()
    wanted = [name for name in types if name not in given]
    for _ in range(SCHEMAS):
        found = kernels.plan.first_schema(paths_of(paths, todo)) if todo else None
        if found is None:
            break
        others += todo[: found[0]]
        todo = todo[found[0] :]
        try:
            form = ThriftForm(found[1])
            columns, missing = _columns(form, wanted)
        except ParquetextError:  # the file's footer is intact, or reports the error
            others.append(todo.pop(0))
            continue
        statuses, counts, fields, filters = _gathered(paths_of(paths, todo), form.scan, columns)
        if any(filters):
            filtered.update(number for number, has_some in zip(todo, filters, strict=True) if has_some)
        planned, rows, rest = _sorted_out(todo, statuses, counts)
        values = {name: some.take(pa.array(planned, pa.int64())) for name, some in given.items()}
        group = FileBounds(sum(rows), fields, missing)
        left |= {
            planned[file]: groups for file, groups in surviving_by_file(predicate, rows, [group], types, values).items()
        }
        others += [number for number, status in rest if status != kernels.plan.OTHER]
        todo = [number for number, status in rest if status == kernels.plan.OTHER]
    return left, sorted(others + todo), filtered


def _untrusted(paths: Sequence[str]) -> Iterator[int]:
    """Yield the files in folders that other users can write to, unless their sidecar is known to be no other user's.

    A trusted sidecar cannot be replaced there. If there is no sidecar yet, another user may create one at any moment.
    """
    folders = [os.path.dirname(path) for path in paths]
    shared = {folder for folder in set(folders) if is_shared(folder)}
    for number, (path, folder) in enumerate(zip(paths, folders, strict=True)) if shared else ():
        try:
            if folder in shared and is_strangers(likeliest(path), os.stat(path).st_uid):
                yield number
        except FileNotFoundError:
            yield number


def _sorted_out(
    numbers: list[int], statuses: bytes, counts: list[int]
) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """Return the planned files, their row groups, and the other files with their statuses."""
    if not any(statuses):
        return numbers, counts, []
    planned = [position for position, status in enumerate(statuses) if status == kernels.plan.PLANNED]
    rest = [(numbers[position], status) for position, status in enumerate(statuses) if status]
    return [numbers[position] for position in planned], [counts[position] for position in planned], rest


def paths_of(paths: Sequence[str], numbers: list[int]) -> Sequence[str]:
    """Return the paths with these ascending numbers."""
    return paths if len(numbers) == len(paths) else [paths[number] for number in numbers]


def _columns(form: ThriftForm, names: Sequence[str]) -> tuple[dict[str, Column], frozenset[str]]:
    """Return the columns that have bounds, and the names that are not in the schema."""
    columns, missing = {}, set()
    for name in names:
        leaves = find_top_level(form, name)
        if leaves is None:
            missing.add(name)
        elif len(leaves) == 1:
            rows = rows_type(form, leaves)
            kind = comparable_type(form, leaves[0], rows)
            if kind is not None:
                columns[name] = Column(leaves[0], kind, rows, form.node(leaves[0]).max_definition == 0)
    return columns, frozenset(missing)


def _gathered(paths: Sequence[str], schema, columns: Mapping[str, Column]) -> tuple[bytes, list[int], dict, bytes]:
    """Read statuses, row groups, bounds and Bloom filter flags of all files, in threads if there are many files."""
    wanted = [(column.leaf, column.kind.width) for column in columns.values()]

    def gather(part: Sequence[str]) -> tuple:
        return kernels.plan.gather(part, schema, wanted)

    workers = max(1, min(os.cpu_count() or 1, len(paths) // WORTH_A_THREAD))
    if workers == 1:
        parts = [gather(paths)]
    else:
        size = -(-len(paths) // workers)
        with Pool(workers) as pool:
            parts = pool.map(gather, [paths[at : at + size] for at in range(0, len(paths), size)])
    statuses, counts = b"".join(part[0] for part in parts), [count for part in parts for count in part[1]]
    bounds = {
        name: (_bounds(column, [(part[2][number], sum(part[1])) for part in parts]), column.rows)
        for number, (name, column) in enumerate(columns.items())
    }
    return statuses, counts, bounds, b"".join(part[3] for part in parts)


def _bounds(column: Column, parts: Sequence[tuple[tuple, int]]) -> RawBounds:
    arrays = []
    for (nulls, values, low, high), count in parts:
        numbers = [pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(data)]) for data in (nulls, values)]
        arrays.append((_side(column.kind, low, count), _side(column.kind, high, count), *numbers))
    minima, maxima, null_counts, num_values = (pa.concat_arrays(some) for some in zip(*arrays, strict=True))
    return RawBounds(column.kind, minima, maxima, null_counts, num_values, column.is_required)


def _side(kind: LeafType, side: tuple, count: int) -> pa.Array:
    """Return an array of bytes over the buffers of a kernel."""
    bits, ends, data = side
    if ends is None:
        return pa.Array.from_buffers(pa.binary(kind.width), count, [pa.py_buffer(bits), pa.py_buffer(data)])
    ends = ends or bytes(8)
    return pa.Array.from_buffers(pa.large_binary(), count, [pa.py_buffer(part) for part in (bits, ends, data)])
