"""Find the columns of a row group that a dictionary makes smaller. Arrow's writer keeps each dictionary it tries."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from ... import compute as pc

DICTIONARY_BYTES = 1 << 20  # the dictionary size at which Arrow's writer and parquet-java stop
STEP, SMALLEST_STEP = 1 << 16, 1 << 10  # rows per step of the analysis
# maximal share of the plain size for a dictionary given up half-way, because plain values compress better
CUT_SHORT = 3 / 4
REPEATED = 8  # from this average number of occurrences on, values need no further analysis


def leaf_paths(schema: pa.Schema) -> dict[str, pa.DataType]:
    """Return the leaves' dotted paths in a file, and their types."""
    return dict(leaf for field in schema for leaf in _leaf_types(field.name, field.type))


def worth_a_dictionary(rows: pa.Table, limit: int = DICTIONARY_BYTES, *, is_complete: bool = False) -> list[str]:
    """Return the paths of leaves whose values are smaller with a dictionary, including its size.

    Parameters
    ----------
    rows : pyarrow.Table
        A row group, or the first one of a file, assuming that the others are similar.
    limit : int
        Size in bytes at which a writer gives up a dictionary. The savings up to that point count.
    is_complete : bool
        Select only dictionaries that contain the values of all rows within the limit.
    """
    return [
        path
        for name, column in zip(rows.column_names, rows.columns, strict=True)
        for path, values in _leaves(name, column)
        if _is_worth_it(values, limit, is_complete)
    ]


def _leaf_types(path: str, kind: pa.DataType) -> Iterator[tuple[str, pa.DataType]]:
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaf_types(f"{path}.{field.name}", field.type)
    elif pa.types.is_map(kind):
        yield from _leaf_types(f"{path}.key_value.key", kind.key_type)
        yield from _leaf_types(f"{path}.key_value.value", kind.item_type)
    elif _is_list(kind):
        yield from _leaf_types(f"{path}.list.element", kind.value_type)
    else:
        yield path, kind


def _leaves(path: str, column: pa.ChunkedArray) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """Yield the leaves' values; nulls of the levels above may be among them."""
    kind = column.type
    if pa.types.is_struct(kind):
        for number, field in enumerate(kind):
            yield from _leaves(f"{path}.{field.name}", pc.struct_field(column, [number]))
    elif pa.types.is_map(kind):
        entries = [chunk.cast(pa.list_(pa.struct([kind.key_field, kind.item_field]))) for chunk in column.chunks]
        flat = pc.list_flatten(pa.chunked_array(entries, pa.list_(pa.struct([kind.key_field, kind.item_field]))))
        yield from _leaves(f"{path}.key_value.key", pc.struct_field(flat, [0]))
        yield from _leaves(f"{path}.key_value.value", pc.struct_field(flat, [1]))
    elif _is_list(kind):
        yield from _leaves(f"{path}.list.element", pc.list_flatten(column))
    else:
        yield path, column


def _is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def _is_worth_it(values: pa.ChunkedArray, limit: int, is_complete: bool) -> bool:
    if is_complete and pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    kind = values.type
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return False
    if not _is_counted(kind):  # keep the default of Arrow's writer, if the size is not limited
        return not is_complete
    known, count, rows, raw, size = None, 0, 0, 0, 0
    step = max(min(STEP, limit // 8), SMALLEST_STEP)
    for start in range(0, len(values), step):
        part = values.slice(start, step).drop_null()
        rows, raw = rows + len(part), raw + _stored_bytes(part)
        distinct = pc.unique(part)
        known = distinct if known is None else pc.unique(pa.concat_arrays([known, distinct]))
        count, size = len(known), _stored_bytes(known)
        if size > limit or (not is_complete and count * REPEATED <= rows):
            break
    room = raw if size <= limit else 0 if is_complete else raw * CUT_SHORT
    return bool(rows) and size + rows * max(count - 1, 0).bit_length() / 8 < room


def _is_counted(kind: pa.DataType) -> bool:
    """Return True if Arrow can compute the distinct values of such a column."""
    texts = pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary
    if pa.types.is_primitive(kind):
        return not (pa.types.is_float16(kind) or pa.types.is_interval(kind))
    return pa.types.is_decimal(kind) or pa.types.is_fixed_size_binary(kind) or any(is_one(kind) for is_one in texts)


def _stored_bytes(values: pa.Array | pa.ChunkedArray) -> int:
    """Return the size of the values in Parquet's PLAIN encoding."""
    kind = values.type
    if pa.types.is_decimal(kind):
        width = 4 if kind.precision <= 9 else 8 if kind.precision <= 18 else kind.byte_width
    elif pa.types.is_fixed_size_binary(kind):
        width = kind.byte_width
    elif pa.types.is_primitive(kind):
        width = max(kind.bit_width // 8, 4)
    else:
        return 4 * len(values) + (pc.sum(pc.binary_length(values)).as_py() or 0)
    return width * len(values)
