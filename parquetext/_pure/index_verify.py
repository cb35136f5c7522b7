"""The check of a whole index: every cell, every checksum over Thrift bytes, and that its footer has this one."""

from __future__ import annotations

from .. import wire
from ..errors import wire_error
from .flat_thrift import Memory
from .index_read import Reader
from .index_shape import GROUP
from .index_write import write
from .scan import scan

__all__ = ["verify"]


def verify(data, payload: int, length: int) -> None:
    """Check the index at ``[payload, payload + length)`` of a footer in memory; raises what is wrong first."""
    data = memoryview(data)
    with Reader(Memory(data), 0, payload, length, data) as reader:
        _read_all(reader)
    _compare(data, payload, length)


def _read_all(reader: Reader) -> None:
    """All that can be asked for, but for names: what they lead to is compared."""
    for node in range(reader.node_count):
        reader.begin()
        reader.entry(GROUP | node)
    for leaf in range(reader.leaf_count):
        reader.column(leaf)
    reader.row_groups("num_rows")
    for index in range(reader.key_value_count):
        reader.key_value(index)
    reader.created_by  # noqa: B018 - reading it is the check


def _compare(data: memoryview, payload: int, length: int) -> None:
    """The index that the footer has, against the one that is there."""
    anew, found = write(scan(data)), data[payload:payload + length]
    for at, (ours, theirs) in enumerate(zip(anew, found, strict=False)):
        if ours != theirs:
            raise wire_error(wire.BAD_VALUE, payload + at, ours, theirs)
    if len(anew) != length:
        raise wire_error(wire.BAD_CELL, payload, len(anew), length)
