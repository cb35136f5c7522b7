"""Write the note that lets `sidecar_form` read data without the file's footer."""

from __future__ import annotations

import struct
from typing import Any

from .. import kernels, wire
from ..thrift import Unknown, binary, list_header, write

CODE = wire.PM_SLICES_CODE  # PQTS
LAYOUT = wire.PM_SLICES_KNOWN_LAYOUT
FIXED = struct.Struct("<IIIIII")  # layout; bytes of the schema; key-values, their bytes; leaves; row groups
ARROW_SCHEMA = b"ARROW:schema"
LARGEST = wire.PM_SCRATCHPAD_BYTES - 4096  # leaves room for the other notes


def note_of(scan) -> bytes | None:
    """Return the note for slices of a scanned footer; None if slices need more than that, or it is too large."""
    if scan.encrypted:
        return None
    found = kernels.sidecar.runs(scan)
    if found is None:
        return None
    ends, runs = found
    arrow, others = _pairs(scan)
    schema, pairs = schema_footer(scan, len(arrow), b"".join(arrow)), b"".join(others)
    fixed = FIXED.pack(LAYOUT, len(schema), len(others), len(pairs), scan.leaf_count, scan.row_group_count)
    note = b"".join((fixed, ends, schema, pairs, runs))
    return note if len(note) <= LARGEST else None


def schema_for_sums(note: bytes | None) -> bytes:
    """Return the schema in a note, for the checksums of its parts; empty if both would be too large."""
    if note is None:
        return b""
    _, size, _, _, leaves, _ = FIXED.unpack_from(note)
    at, sums = FIXED.size + 4 * leaves, 4 * leaves + wire.PM_SUMS_BYTES
    return note[at : at + size] if len(note) + sums <= LARGEST else b""


def schema_footer(scan, count: int, key_values: bytes) -> bytes:
    """Return a FileMetaData with the schema of a scanned one, the given key-values and no row groups."""
    data = memoryview(scan.data)
    at, size = scan.elements("bytes_offset"), scan.elements("bytes_length")
    fields: dict[Any, Any] = {"version": scan.version} if scan.version >= 0 else {}
    fields |= {
        wire.FILE_META_DATA_SCHEMA: _structs(len(at), data[at[0] : at[-1] + size[-1]]),
        "num_rows": 0,
        wire.FILE_META_DATA_ROW_GROUPS: _structs(0, b""),
    }
    if count:
        fields[wire.FILE_META_DATA_KEY_VALUE_METADATA] = _structs(count, key_values)
    if scan.created_by is not None:
        fields[wire.FILE_META_DATA_CREATED_BY] = Unknown(wire.TYPE_BINARY, binary(scan.created_by))
    if scan.has_column_orders:
        begin, length = scan.column_orders
        fields[wire.FILE_META_DATA_COLUMN_ORDERS] = Unknown(wire.TYPE_LIST, bytes(data[begin : begin + length]))
    return write("FileMetaData", fields)


def _structs(count: int, items) -> Unknown:
    """Return a list of structs from their unchanged bytes."""
    return Unknown(wire.TYPE_LIST, list_header(count) + bytes(items))


def _pairs(scan) -> tuple[list[bytes], list[bytes]]:
    """Return the bytes of the key-values: ARROW:schema, and the others."""
    data, fact = memoryview(scan.data), scan.key_values
    names = ("bytes_offset", "bytes_length", "key_offset", "key_length", "has_value")
    arrow: list[bytes] = []
    others: list[bytes] = []
    for at, size, key_at, key_size, has_value in zip(*(fact(name) for name in names), strict=True):
        is_arrow = data[key_at : key_at + key_size] == ARROW_SCHEMA and has_value and not arrow
        (arrow if is_arrow else others).append(bytes(data[at : at + size]))
    return arrow, others
