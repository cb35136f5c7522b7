"""Convert values to JSON and to text for terminals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyarrow as pa
from pyarrow import csv

_WITH_TEXT = pa.types.is_date, pa.types.is_decimal, pa.types.is_time, pa.types.is_timestamp
Plain = bool | int | float | str | None


def as_json(value: pa.Scalar) -> object:
    r"""Return a value for JSON: bytes as hexadecimal digits; decimals, dates, times and NaN as text.

    A 32-bit float becomes the shortest number that represents it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from parquetext.inspection.content.value_text import as_json
    >>> as_json(pa.scalar({"a": b"\x00\xff", "b": [1, None]}))
    {'a': '00ff', 'b': [1, None]}
    """
    kind = value.type
    if not value.is_valid:
        return None
    if isinstance(value, (pa.DictionaryScalar, pa.ExtensionScalar, pa.RunEndEncodedScalar)):
        return as_json(value.value if isinstance(value, pa.ExtensionScalar) else pa.scalar(value.as_py()))
    if pa.types.is_struct(kind):
        return {kind.field(at).name: as_json(value[at]) for at in range(kind.num_fields)}
    if pa.types.is_map(kind):
        return [{"key": as_json(each[0]), "value": as_json(each[1])} for each in value.values]  # whatever their names
    if hasattr(value, "values") and not pa.types.is_map(kind):  # lists of every kind
        return [as_json(each) for each in value.values]
    return _plain(value)


def _plain(value: pa.Scalar) -> Plain:
    kind = value.type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return value.as_py()
    if pa.types.is_floating(kind):
        return _number(float(value.cast(pa.string()).as_py() if pa.types.is_float32(kind) else value.as_py()))
    if hasattr(value, "as_buffer"):  # text and bytes; text need not be UTF-8
        data = value.as_buffer().to_pybytes()
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        return data.decode("utf-8", "surrogateescape") if is_text else data.hex()
    if pa.types.is_duration(kind):
        return value.value
    try:
        return value.cast(pa.string()).as_py()
    except (pa.ArrowException, NotImplementedError):
        return str(value.as_py())


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def column_as_json(values: pa.Array) -> Sequence[object]:
    """Convert each value of an array with `as_json`."""
    kind = values.type
    try:
        if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_string(kind):
            return values.to_pylist()
        if pa.types.is_float64(kind):
            return [each if each is None else _number(each) for each in values.to_pylist()]
        if pa.types.is_float32(kind):  # by the shortest text: 0.1, not 0.10000000149011612
            return [each if each is None else _number(float(each)) for each in _cast_to_text(values)]
        if any(is_one(kind) for is_one in _WITH_TEXT):
            return _cast_to_text(values)
    except (UnicodeDecodeError, pa.ArrowException):  # text that is no UTF-8, times beyond a day
        pass
    return [as_json(value) for value in values]


def _cast_to_text(values: pa.Array) -> list[str | None]:
    """Cast numbers or times to text by pyarrow's CSV writer: `Array.cast` imports `pyarrow.compute` (40 ms)."""
    lines = pa.BufferOutputStream()
    csv.write_csv(pa.record_batch([values], [""]), lines, csv.WriteOptions(include_header=False))
    return [line or None for line in lines.getvalue().to_pybytes().decode().split("\n")[:-1]]
