"""Thrift compact bytes, written independently of the package, and Hypothesis strategies for whole trees."""

from __future__ import annotations

import functools
import struct

from hypothesis import strategies as st
from support.varints import varint, zigzag

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
SCALARS = (BYTE, I16, I32, I64, DOUBLE, BINARY, UUID)


def header(id: int, type: int, previous: int = 0, long: bool = False) -> bytes:
    """A field's header, in the short form where that is possible."""
    if 1 <= id - previous <= 15 and not long:
        return bytes([(id - previous) << 4 | type])
    return bytes([type]) + zigzag(id)


def value(type: int, content) -> bytes:
    """A value as it stands in a field; lists are (item type, items), maps (key type, value type, entries)."""
    if type in (TRUE, FALSE):
        return b""
    if type == BYTE:
        return struct.pack("b", content)
    if type in (I16, I32, I64):
        return zigzag(content)
    if type == DOUBLE:
        return struct.pack("<d", content)
    if type == BINARY:
        return varint(len(content)) + content
    if type == UUID:
        return content
    if type == STRUCT:
        return fields(content)
    if type == MAP:
        key, kind, entries = content
        body = b"".join(item(key, k) + item(kind, v) for k, v in entries)
        return varint(len(entries)) + (bytes([key << 4 | kind]) if entries else b"") + body
    kind, items = content
    count = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + varint(len(items))
    return count + b"".join(item(kind, one) for one in items)


def item(type: int, content) -> bytes:
    """A value as it stands in a list, set or map: a boolean is the byte that its content names."""
    return bytes([content]) if type in (TRUE, FALSE) else value(type, content)


def fields(content) -> bytes:
    """A struct of (id, type, content, long form or not) with its stop."""
    out, previous = b"", 0
    for id, type, inner, long in content:
        out += header(id, type, previous, long) + value(type, inner)
        previous = id
    return out + b"\x00"


@functools.cache
def _scalar(type: int):
    return {
        TRUE: st.sampled_from((0, 1, 2)),
        FALSE: st.sampled_from((0, 1, 2)),
        BYTE: st.integers(-128, 127),
        I16: st.integers(-1 << 15, (1 << 15) - 1),
        I32: st.integers(-1 << 31, (1 << 31) - 1),
        I64: st.integers(-1 << 63, (1 << 63) - 1),
        DOUBLE: st.floats(),
        BINARY: st.binary(max_size=20),
        UUID: st.binary(min_size=16, max_size=16),
    }[type]


@functools.cache
def contents(type: int, depth: int):
    """Return a strategy for values of this type, nested at most `depth` levels more."""
    if type in SCALARS or type in (TRUE, FALSE):
        return _scalar(type)
    if type == STRUCT:
        return structs(depth)
    inner = types(depth - 1)
    if type == MAP:
        return st.tuples(inner, inner).flatmap(
            lambda pair: st.tuples(
                st.just(pair[0]),
                st.just(pair[1]),
                st.lists(st.tuples(contents(pair[0], depth - 1), contents(pair[1], depth - 1)), max_size=3),
            )
        )
    return inner.flatmap(lambda kind: st.tuples(st.just(kind), st.lists(contents(kind, depth - 1), max_size=17)))


@functools.cache
def types(depth: int):
    return st.sampled_from(range(1, 14) if depth > 0 else (TRUE, FALSE, *SCALARS))


@functools.cache
def structs(depth: int = 3):
    """Contents of a struct, for `fields`."""
    ids = st.one_of(st.integers(1, 20), st.integers(-1 << 15, (1 << 15) - 1).filter(lambda n: n not in (-16384, 32767)))
    field = types(depth - 1).flatmap(
        lambda type: st.tuples(ids, st.just(type), contents(type, depth - 1), st.booleans())
    )
    return st.lists(field, max_size=5)


def struct_bytes(depth: int = 3):
    """Bytes of valid structs without an extension."""
    return structs(depth).map(fields)


@st.composite
def damaged(draw, valid=None):
    """Bytes that were a valid struct before some were changed, cut or put in."""
    data = bytearray(draw(valid or struct_bytes()))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        how = draw(st.sampled_from(("change", "cut", "insert")))
        if how == "cut":
            del data[at:]
        elif how == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=4))
        elif data:
            data[at] = draw(st.sampled_from((0, 1, 0x7F, 0x80, 0xFF, 0x1C, 0xFC, 0xF9, 0x08)) | st.integers(0, 255))
    return bytes(data)


def any_bytes():
    """Valid, damaged and arbitrary bytes."""
    return st.one_of(struct_bytes(), damaged(), st.binary(max_size=60))
