"""Rows by partition, and the directories' names: Hive's, with values and escapes as Spark writes them."""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Iterator, Sequence

import pyarrow as pa

from ... import compute as pc
from ...errors import Unsupported

NULL = "__HIVE_DEFAULT_PARTITION__"
_ESCAPED = {*map(chr, range(1, 0x20)), *"\x7f\"#%'*/:=?\\{[]^"}
_POSITIONAL = (1e-3, 1e7)  # between them Java writes a floating-point number without an exponent


def by_directory(batch: pa.RecordBatch, keys: Sequence[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Group the rows of a batch by directory, without the key columns; keep their order.

    O(rows × log rows) for several partitions, O(rows) for one.
    """
    rest = batch.drop_columns(list(keys)) if keys else batch
    codes, names = _codes(batch, keys)
    if len(names) == 1:
        yield names[0], rest
        return
    order = pc.sort_indices(codes)
    runs = pc.run_end_encode(codes.take(order))
    rest, start = rest.take(order), 0
    for end, code in zip(runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True):
        yield names[code], rest.slice(start, end - start)
        start = end


def _codes(batch: pa.RecordBatch, keys: Sequence[str]) -> tuple[pa.Array, list[str]]:
    """Return the number of each row's directory, and the directories."""
    codes, names = pa.repeat(pa.scalar(0, pa.int64()), batch.num_rows), [""]
    for key in keys:
        encoded = batch.column(key).dictionary_encode(null_encoding="encode")
        steps = [f"{_escaped(key)}={text}" for text in map(_text, encoded.dictionary)]
        pairs = pc.add(pc.multiply(codes, len(steps)), encoded.indices.cast(pa.int64()))
        there = pairs.unique()
        codes = pc.index_in(pairs, there).cast(pa.int64())
        names = [f"{names[pair // len(steps)]}/{steps[pair % len(steps)]}".lstrip("/") for pair in there.to_pylist()]
    return codes, names


def check_type(name: str, kind: pa.DataType) -> None:
    """Refuse a partition column of a type that has no text, before anything is written."""
    if pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
        raise Unsupported(f"column {name!r} of type {kind} cannot be a partition column")


def _text(value: pa.Scalar) -> str:
    """Return the escaped string to which Spark casts a value."""
    if pa.types.is_floating(value.type) and value.is_valid:
        return _escaped(_number_text(value))
    known = value.as_py()
    if known is None or known in ("", b""):
        return NULL
    if isinstance(known, bool):
        return str(known).lower()
    if isinstance(known, bytes):
        known = known.decode(errors="replace")
    if isinstance(known, datetime.datetime):
        known = _timestamp_text(known)
    return _escaped(f"{known:f}" if isinstance(known, decimal.Decimal) else str(known))


def _timestamp_text(value: datetime.datetime) -> str:
    """Return a timestamp in its time zone, without trailing zeros of the fraction."""
    fraction = f".{value.microsecond:06}".rstrip("0").rstrip(".")
    return f"{value.replace(microsecond=0, tzinfo=None)}{fraction}"


def _number_text(value: pa.Scalar) -> str:
    """Return a number as in Java, with the fewest digits that identify it among numbers of its width."""
    number = value.as_py()
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    exact = decimal.Decimal(value.cast(pa.string()).as_py())
    if number == 0 or _POSITIONAL[0] <= abs(number) < _POSITIONAL[1]:
        text = f"{exact:f}"
        return text if "." in text else f"{text}.0"
    sign, digits, _ = exact.normalize().as_tuple()
    rest = "".join(map(str, digits[1:])) or "0"
    return f"{'-' * sign}{digits[0]}.{rest}E{exact.adjusted()}"


def _escaped(text: str) -> str:
    return "".join(f"%{ord(letter):02X}" if letter in _ESCAPED else letter for letter in text)
