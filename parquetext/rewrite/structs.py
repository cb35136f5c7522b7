"""Thrift structs with other values in some of their fields, and footers with other row groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .. import kernels, wire
from ..errors import Malformed, wire_error
from ..thrift import integer, list_header, list_start, values

MAGIC = b"PAR1"
LENGTH_BYTES = 4


class Fields:
    """A Thrift struct whose values are read as integers, and replaced in place."""

    def __init__(self, data: bytes):
        self.data = data
        self.places = {id: (start, end) for id, _, _, start, end in kernels.thrift.fields(data)}
        self._new: dict[int, bytes] = {}

    def number(self, id: int) -> int:
        """Return an integer; 0 if there is none."""
        if id not in self.places:
            return 0
        return kernels.varint.zigzag_decode(kernels.varint.decode64(self.data, self.places[id][0])[0])

    def put(self, id: int, value: int | bytes) -> None:
        """Replace the value of a field that exists: an integer, or a value's bytes."""
        self._new[id] = integer(value) if isinstance(value, int) else value

    def to_bytes(self) -> bytes:
        return with_values(self.data, self.places, self._new)


def with_values(struct: bytes, positions: Mapping[int, tuple[int, int]], values: Mapping[int, bytes]) -> bytes:
    """Return the struct with other values in some of its fields; `places` contains the range of each value."""
    out, begin = [], 0
    for id, (start, end) in positions.items():
        if id in values:
            out += [struct[begin:start], values[id]]
            begin = end
    return b"".join((*out, struct[begin:]))


def without(struct: bytes, ids: Collection[int]) -> bytes:
    """Return the struct without some of its fields."""
    fields = kernels.thrift.fields(struct)
    kept = ((id, type, struct[start:end]) for id, type, _, start, end in fields if id not in ids)
    return values.joined(kept) + _behind(struct, fields)


def with_fields(struct: bytes, new: Mapping[int, tuple[int, bytes]]) -> bytes:
    """Return the struct with these fields, types and values, which replace its fields of the same ids."""
    fields = kernels.thrift.fields(struct)
    kept = {id: (id, type, struct[start:end]) for id, type, _, start, end in fields}
    kept |= {id: (id, type, value) for id, (type, value) in new.items()}
    return values.joined(kept[id] for id in sorted(kept)) + _behind(struct, fields)


def _behind(struct: bytes, fields: Sequence[tuple]) -> bytes:
    """Return the bytes after the last field."""
    return struct[fields[-1][4] :] if fields else struct


def end_of_file(footer: bytes) -> bytes:
    """Return a footer with its length and the magic."""
    return b"".join((footer, len(footer).to_bytes(LENGTH_BYTES, "little"), MAGIC))


def footer_fields(footer: bytes) -> dict[int, tuple[int, int]]:
    """Return the ranges of the values of a footer's fields.

    Raises
    ------
    Malformed
        It lacks columns, rows or row groups.
    """
    positions = {id: (start, end) for id, _, _, start, end in kernels.thrift.fields(footer)}
    for id in (wire.FILE_META_DATA_SCHEMA, wire.FILE_META_DATA_NUM_ROWS, wire.FILE_META_DATA_ROW_GROUPS):
        if id not in positions:
            raise wire_error(wire.MISSING_FIELD, 0, id)
    return positions


def row_groups_of(footer: bytes) -> list[bytes]:
    """Return the row groups' structs."""
    return structs(footer, footer_fields(footer)[wire.FILE_META_DATA_ROW_GROUPS][0])


def with_row_groups(footer: bytes, groups: Sequence[bytes]) -> bytes:
    """Return a Thrift footer with other row groups of the same rows."""
    return with_values(footer, footer_fields(footer), {wire.FILE_META_DATA_ROW_GROUPS: struct_list(groups)})


def count_of(data: bytes, at: int) -> tuple[int, int]:
    """Return the number of structs in the list at ``data[at]``, and the offset of the first one."""
    if data[at] & 15 != wire.TYPE_STRUCT:
        raise Malformed("a footer whose row groups are no structs", offset=at)
    return list_start(data, at)


def structs(data: bytes, at: int) -> list[bytes]:
    """Return the structs of the list at ``data[at]``."""
    count, at = count_of(data, at)
    found = []
    for _ in range(count):
        end = kernels.thrift.struct_end(data, at)
        found.append(data[at:end])
        at = end
    return found


def struct_list(structs: Collection[bytes]) -> bytes:
    """Return a list of structs."""
    return b"".join((list_header(len(structs)), *structs))
