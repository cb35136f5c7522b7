"""The check of a whole index: every cell, every checksum over Thrift bytes, and that its footer has this one."""

from __future__ import annotations

from .. import wire
from ..errors import ParquetextError, wire_error
from .flat_thrift import Memory
from .index_read import Reader
from .index_shape import GROUP
from .index_write import write
from .scan import scan

__all__ = ["verify"]


def verify(data, payload: int, length: int, footer: int = 0, thrift_length: int | None = None) -> None:
    """Check the index at ``[payload, payload + length)`` of `data`, in which the Thrift footer is ``[footer:]``.

    Raises what is wrong first; `thrift_length` as `Reader` takes it.
    """
    data = memoryview(data)
    with Reader(Memory(data), footer, payload, length, data, None, thrift_length) as reader:
        _read_all(reader)
    try:
        anew = write(scan(data[footer:]))
    except ParquetextError as error:
        raise error.at(None, footer) from None
    _compare(anew, data[payload : payload + length], payload)


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


def _compare(anew: bytes, found: memoryview, payload: int) -> None:
    """The index that the footer has, against the one that is there."""
    for at, (ours, theirs) in enumerate(zip(anew, found, strict=False)):
        if ours != theirs:
            raise wire_error(wire.BAD_VALUE, payload + at, ours, theirs)
    if len(anew) != len(found):
        raise wire_error(wire.BAD_CELL, payload, len(anew), len(found))
