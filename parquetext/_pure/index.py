"""The footer index (docs/formats.md, section 7): its writer, and a reader of the Thrift footer that uses it."""

from __future__ import annotations

from .. import wire
from ..errors import ParquetextError, wire_error
from .flat_names import GROUP
from .flat_thrift import Memory
from .index_read import Reader
from .index_write import write
from .name_table import Node
from .scan import scan

__all__ = ["GROUP", "Node", "Reader", "verify", "write"]


def verify(data, payload: int, length: int, footer: int = 0, thrift_length: int | None = None) -> None:
    """Check the index at ``[payload, payload + length)`` of `data`, in which the Thrift footer is ``[footer:]``.

    Raise the first error. For `thrift_length` see `Reader`.
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
    """Read everything except names; the names' targets are compared later."""
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
    """Compare a new index of the footer with the stored one."""
    for at, (ours, theirs) in enumerate(zip(anew, found, strict=False)):
        if ours != theirs:
            raise wire_error(wire.BAD_VALUE, payload + at, ours, theirs)
    if len(anew) != len(found):
        raise wire_error(wire.BAD_CELL, payload, len(anew), len(found))
