"""Thrift compact bytes written in another way: longer headers and numbers, other fields, another order."""

from __future__ import annotations

from collections.abc import Callable

from parquetext._pure.thrift import Walk
from parquetext._pure.varint import decode32, decode64

from .compact import BINARY, I16, I32, I64, LIST, MAP, SET, STRUCT, header
from .varints import varint

LONGEST = {I16: 5, I32: 5, I64: 10}


def rewrite(data: bytes, choose: Callable[[], bool]) -> bytes:
    """The struct at the start of `data` with headers in their long form and padded numbers where `choose` says so."""
    out, _ = _struct(Walk(data, 0, 64), data, 0, choose)
    return out


def _struct(walk: Walk, data: bytes, at: int, choose) -> tuple[bytes, int]:
    out, previous = b"", 0
    while True:
        id, type, at = walk.field_header(at, previous)
        if type == 0:
            return out + b"\0", at
        value, at = _value(walk, data, type, at, choose, item=False)
        out += header(id, type, previous, long=choose()) + value
        previous = id


def _value(walk: Walk, data: bytes, type: int, at: int, choose, item: bool) -> tuple[bytes, int]:
    if type == STRUCT:
        return _struct(walk, data, at, choose)
    if type in (LIST, SET, MAP):
        *kinds, count, first = walk.map_header(at) if type == MAP else walk.list_header(at)
        out, at = data[at:first], first
        for _ in range(count):
            for kind in kinds:
                value, at = _value(walk, data, kind, at, choose, item=True)
                out += value
        return out, at
    end = walk.skip(at, type, 0, item=item)
    if type in LONGEST and choose():
        number, _ = decode64(data, at)
        return varint(number, padding=max(0, LONGEST[type] - (end - at) - 1)), end
    if type == BINARY and choose():
        length, begin = decode32(data, at)
        return varint(length, padding=1) + data[begin:end], end
    return data[at:end], end
