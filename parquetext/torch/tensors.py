"""Columns of tables as tensors, without a copy if Arrow and PyTorch store the values alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import pyarrow as pa
import pyarrow.types as pt
import torch

from .. import compute as pc
from ..errors import ColumnError, ParquetextError, Unsupported

Values: TypeAlias = "torch.Tensor | list | dict[str, Values]"
Fill: TypeAlias = "Mapping[str, object] | object | None"

_TEXTS = (pt.is_string, pt.is_large_string, pt.is_string_view)
_BYTES = (pt.is_binary, pt.is_large_binary, pt.is_binary_view, pt.is_fixed_size_binary)
_LISTS = (pt.is_list, pt.is_large_list)


def tensors_of(table: pa.Table, fill: Fill = None) -> dict[str, Values]:
    """Return the columns of a table, each as a tensor with one element for each row, a list, or a dictionary.

    Parameters
    ----------
    table : pyarrow.Table
    fill : object or mapping, optional
        The value in place of nulls, for all columns, or for the named ones.

    Raises
    ------
    ParquetextError
        If there is a null without a value to fill it, or if the value does not have the column's type.
    Unsupported
        If a type has no tensor.
    """
    fills = fill if isinstance(fill, Mapping) else dict.fromkeys(table.column_names, fill)
    return {
        name: _values(_joined(column), name, fills.get(name))
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def check_columns(schema: pa.Schema, fill: Fill) -> None:
    """Refuse types that have no tensor, and values that cannot replace nulls; errors as in `tensors_of`."""
    if isinstance(fill, Mapping) and (others := fill.keys() - set(schema.names)):
        raise ColumnError(f"fill has a value for a column that is not read: {min(others)!r}")
    tensors_of(schema.empty_table(), fill)


def _joined(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _values(array: pa.Array, name: str, fill: object) -> Values:
    kind = array.type
    if isinstance(kind, pa.FixedShapeTensorType):
        return _stacked(array.storage, name, fill, tuple(kind.shape))
    if isinstance(kind, pa.BaseExtensionType):
        return _values(array.storage, name, fill)
    if pt.is_dictionary(kind):
        return _values(array.dictionary_decode(), name, fill)
    if any(is_kind(kind) for is_kind in (*_TEXTS, *_BYTES)):
        return array.to_pylist()
    if pt.is_struct(kind):
        parts = zip(kind, array.flatten(), strict=True)
        return {field.name: _values(part, f"{name}.{field.name}", fill) for field, part in parts}
    if pt.is_fixed_size_list(kind):
        return _stacked(array, name, fill, (kind.list_size,))
    if any(is_kind(kind) for is_kind in _LISTS):
        return _split(array, name, fill)
    return _numbers(array, name, fill)


def _stacked(array: pa.FixedSizeListArray, name: str, fill: object, shape: tuple[int, ...]) -> torch.Tensor:
    """Return lists of one size as a tensor with one more dimension."""
    values = _elements(array, name, fill)
    return values.reshape(len(array), *shape, *values.shape[1:])


def _split(array: pa.ListArray, name: str, fill: object) -> list[torch.Tensor]:
    """Return lists of any length as one tensor for each row."""
    values = _elements(array, name, fill)
    return list(values.split(array.value_lengths().to_pylist())) if len(array) else []


def _elements(array: pa.ListArray | pa.FixedSizeListArray, name: str, fill: object) -> torch.Tensor:
    """Return the elements of all lists, one after another."""
    _refuse_nulls(array, name, "lists")
    values = _values(array.flatten(), name, fill)
    if not isinstance(values, torch.Tensor):
        raise Unsupported(f"column {name!r}: a list of {array.type.value_type} has no tensor")
    return values


def _numbers(array: pa.Array, name: str, fill: object) -> torch.Tensor:
    array = _as_numbers(array, name)
    if fill is not None:
        array = pc.fill_null(array, _fill_value(array.type, name, fill))
    _refuse_nulls(array, name, "nulls")
    if pt.is_boolean(array.type):  # which Arrow stores as bits
        return torch.from_dlpack(array.cast(pa.uint8())).view(torch.bool)
    return torch.from_dlpack(array)


def _as_numbers(array: pa.Array, name: str) -> pa.Array:
    """Return numbers, and times as the integers that represent them."""
    kind = array.type
    if pt.is_integer(kind) or pt.is_floating(kind) or pt.is_boolean(kind):
        return array
    if pt.is_decimal(kind):
        return array.cast(pa.float64())
    if pt.is_temporal(kind) and not pt.is_interval(kind):
        return array.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    raise Unsupported(f"column {name!r}: {kind} has no tensor; leave it out by columns=")


def _fill_value(kind: pa.DataType, name: str, fill: object) -> pa.Scalar:
    try:
        return pa.scalar(fill).cast(kind)
    except (pa.ArrowException, OverflowError) as error:
        raise ParquetextError(f"column {name!r}: {fill!r} does not fill nulls of {kind}: {error}") from None


def _refuse_nulls(array: pa.Array, name: str, kind: str) -> None:
    """Refuse nulls, which a tensor cannot have."""
    if not array.null_count:
        return
    remedy = "leave the column out by columns=" if kind == "lists" else f"give a value, such as fill={{{name!r}: 0}}"
    raise ParquetextError(f"column {name!r}: {array.null_count} of {len(array)} {kind} are null; {remedy}")
