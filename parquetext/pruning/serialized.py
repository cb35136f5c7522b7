"""Arrow's expressions as trees, read from the bytes that Arrow writes to pickle them.

The bytes are an IPC file. Its schema's metadata has the nodes in the order in which they are written, with one key
many times, which `pyarrow.Schema.metadata` does not show; its one record batch has a column for each literal and for
the options of each function.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from .. import compute as pc

MAGIC = b"ARROW1"
SCHEMA_OF_FOOTER, METADATA_OF_SCHEMA, KEY, VALUE = 1, 2, 0, 1  # numbers of fields in Arrow's File.fbs and Schema.fbs


class Field(NamedTuple):
    """A column by its name, or a part of it by the names that lead there."""

    path: tuple[str, ...]


class Literal(NamedTuple):
    """A value."""

    value: pa.Scalar


class Call(NamedTuple):
    """A function of other nodes, with its options if it has any."""

    name: str
    arguments: list[Node]
    options: pa.Scalar | None


Node = Field | Literal | Call


def tree_of(expression: pc.Expression) -> Node | None:
    """Return the expression's tree; None if it has a node of a kind that is not known here, or is nested too deeply."""
    try:
        data = expression.__reduce__()[1][0]
        pairs = _metadata(memoryview(data))
        return _node(*next(pairs), pairs, pa.ipc.open_file(data).get_batch(0))
    except (pa.ArrowException, KeyError, ValueError, StopIteration, RecursionError):
        return None


def _node(kind: str, value: str, pairs: Iterator[tuple[str, str]], batch: pa.RecordBatch) -> Node:
    if kind == "field_ref":
        return Field((value,))
    if kind == "nested_field_ref":
        return Field(tuple(name for _, name in (_expect(next(pairs), "field_ref") for _ in range(int(value)))))
    if kind == "literal":
        return Literal(batch.column(int(value))[0])
    if kind != "call":
        raise KeyError(kind)
    options = None
    arguments: list = []
    for key, text in pairs:
        if key == "end":
            return Call(value, arguments, options)
        if key == "options":
            options = batch.column(int(text))[0]
        else:
            arguments.append(_node(key, text, pairs, batch))
    raise KeyError("end")


def _expect(pair: tuple[str, str], kind: str) -> tuple[str, str]:
    if pair[0] != kind:
        raise KeyError(pair[0])
    return pair


def _metadata(data: memoryview) -> Iterator[tuple[str, str]]:
    """Yield the key-value pairs of an IPC file's schema, in order."""
    end = len(data) - len(MAGIC) - 4
    footer = data[end - _u32(data, end) : end]
    schema = _child(footer, _u32(footer, 0), SCHEMA_OF_FOOTER)
    vector = _child(footer, schema, METADATA_OF_SCHEMA)
    for number in range(_u32(footer, vector)):
        at = vector + 4 + 4 * number
        pair = at + _u32(footer, at)
        yield _text(footer, _child(footer, pair, KEY)), _text(footer, _child(footer, pair, VALUE))


def _child(data: memoryview, table: int, field: int) -> int:
    """Return the position to which a field of a FlatBuffers table points."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    at = table + struct.unpack_from("<H", data, fields + 4 + 2 * field)[0]
    return at + _u32(data, at)


def _text(data: memoryview, at: int) -> str:
    return bytes(data[at + 4 : at + 4 + _u32(data, at)]).decode()


def _u32(data: memoryview, at: int) -> int:
    return struct.unpack_from("<I", data, at)[0]
