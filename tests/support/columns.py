"""Columns of files that pyarrow wrote, decoded by the kernels and put together as Arrow arrays."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext import kernels, wire

__all__ = ["PHYSICAL", "Leaf", "StoredColumn", "array_of", "decode", "leaves_of", "stored_columns", "write"]

PHYSICAL = {
    pa.bool_(): wire.PHYSICAL_BOOLEAN,
    pa.int32(): wire.PHYSICAL_INT32,
    pa.int64(): wire.PHYSICAL_INT64,
    pa.float32(): wire.PHYSICAL_FLOAT,
    pa.float64(): wire.PHYSICAL_DOUBLE,
    pa.string(): wire.PHYSICAL_BYTE_ARRAY,
    pa.binary(): wire.PHYSICAL_BYTE_ARRAY,
}


@dataclass(frozen=True)
class Leaf:
    """The arguments of a `Column`."""

    type: int
    type_length: int
    max_definition: int
    max_repetition: int
    repeated_definition: int

    def column(self, **options):
        levels = (self.max_definition, self.max_repetition, self.repeated_definition)
        return kernels.column.Column(self.type, self.type_length, *levels, **options)


@dataclass(frozen=True)
class StoredColumn:
    """One column chunk, not compressed: its bytes, and the headers of its pages."""

    leaf: Leaf
    data: bytes
    num_values: int
    num_rows: int

    @property
    def headers(self):
        walked = kernels.page.walk(self.data)
        assert walked.problem is None
        return walked

    def bodies(self) -> Iterator[tuple[object, bytes]]:
        headers = self.headers
        for index in range(len(headers)):
            header = headers.header(index)
            start = header.offset + header.header_size
            yield header, self.data[start : start + header.compressed_size]


def write(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **({"compression": "none", "store_schema": False} | options))
    return sink.getvalue()


def stored_columns(file: bytes, schema: pa.Schema, row_group: int = 0) -> list[StoredColumn]:
    metadata = pq.read_metadata(io.BytesIO(file)).row_group(row_group)
    found = []
    for number, leaf in enumerate(leaf for field in schema for leaf in leaves_of(field)):
        chunk = metadata.column(number)
        start = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
        data = file[start : start + chunk.total_compressed_size]
        found.append(StoredColumn(leaf, data, chunk.num_values, metadata.num_rows))
    return found


def leaves_of(field: pa.Field, definition: int = 0, repetition: int = 0, repeated: int = 0) -> list[Leaf]:
    """The leaves of a field, as pyarrow stores it."""
    definition += field.nullable
    kind = field.type
    if pa.types.is_struct(kind):
        return [leaf for child in kind for leaf in leaves_of(child, definition, repetition, repeated)]
    if pa.types.is_map(kind):
        inside = (definition + 1, repetition + 1, definition + 1)
        return [leaf for child in (kind.key_field, kind.item_field) for leaf in leaves_of(child, *inside)]
    if pa.types.is_list(kind):
        return leaves_of(kind.value_field, definition + 1, repetition + 1, definition + 1)
    if pa.types.is_fixed_size_binary(kind):
        return [Leaf(wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, kind.byte_width, definition, repetition, repeated)]
    return [Leaf(PHYSICAL[kind], 0, definition, repetition, repeated)]


def decode(stored: StoredColumn, *, levels: bool = True):
    """All of a column chunk."""
    column = stored.leaf.column(levels=levels)
    column.chunk(stored.num_values, stored.num_rows)
    column.pages(stored.headers, stored.data)
    assert column.read(stored.num_rows) == stored.num_rows
    assert not column.is_open and not column.is_full
    return column.take()


def array_of(field: pa.Field, decoded: Iterator, definition: int = 0, repetition: int = 0, repeated: int = 0):
    """Return the array of a field, made of its decoded leaves, and the first leaf."""
    definition += field.nullable
    kind = field.type
    if pa.types.is_struct(kind):
        made = [array_of(child, decoded, definition, repetition, repeated) for child in kind]
        first = made[0][1]
        valid, nulls, count = kernels.levels.validity(
            first.definition,
            first.repetition,
            first.entries,
            ancestor_definition=repeated,
            ancestor_repetition=repetition,
            level=definition,
        )
        arrays = [array for array, _ in made]
        return pa.Array.from_buffers(kind, count, [_buffer(valid)], nulls, children=arrays), first
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        inside = (definition + 1, repetition + 1, definition + 1)
        if pa.types.is_map(kind):
            (keys, first), (items, _) = (
                array_of(child, decoded, *inside) for child in (kind.key_field, kind.item_field)
            )
            child = pa.StructArray.from_arrays([keys, items], fields=[kind.key_field, kind.item_field])
        else:
            child, first = array_of(kind.value_field, decoded, *inside)
        offsets, valid, nulls, count = kernels.levels.offsets(
            first.definition,
            first.repetition,
            first.entries,
            ancestor_definition=repeated,
            definition_level=definition + 1,
            repetition_level=repetition + 1,
        )
        return pa.Array.from_buffers(kind, count, [_buffer(valid), _buffer(offsets)], nulls, children=[child]), first
    leaf = next(decoded)
    buffers = [
        _buffer(leaf.valid),
        *([_buffer(leaf.offsets)] if leaf.offsets is not None else []),
        _buffer(leaf.values),
    ]
    return pa.Array.from_buffers(kind, leaf.slots, buffers, leaf.nulls), leaf


def _buffer(made) -> pa.Buffer | None:
    return None if made is None else pa.py_buffer(made)
