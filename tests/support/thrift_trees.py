"""Thrift compact structs as trees that can be changed and written again, parsed without the package.

A struct is a list of fields, each a list `[id, type, content, is_long]`: the form that `compact.fields` writes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from random import Random

from support import compact
from support.compact import BINARY, BYTE, DOUBLE, FALSE, I16, I32, I64, LIST, SET, STRUCT, TRUE, UUID

__all__ = ["mutate", "parse"]

INTEGERS = (BYTE, I16, I32, I64)
EXTREMES = (0, 1, -1, 2, 7, 8, 255, 2**15, 2**24, 2**31 - 1, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63))
TEXTS = (b"", b"\xff\xfe", b"\x00", b"a.b", b"\xc3", b"x" * 300, b"\x00" * 8, b"\xff" * 16)


def parse(data: bytes, at: int = 0) -> tuple[list, int]:
    """Return the struct at an offset, and the offset behind its stop byte."""
    content, id = [], 0
    while data[at]:
        type, delta, is_long = data[at] & 15, data[at] >> 4, not data[at] >> 4
        at += 1
        if is_long:
            delta, at = _varint(data, at)
            id = (delta >> 1) ^ -(delta & 1)
        else:
            id += delta
        value, at = _value(data, at, type)
        content.append([id, type, value, is_long])
    return content, at + 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return number, at


def _value(data: bytes, at: int, type: int):
    if type in (TRUE, FALSE):
        return None, at
    if type == BYTE:
        return struct.unpack_from("b", data, at)[0], at + 1
    if type in INTEGERS:
        number, at = _varint(data, at)
        return (number >> 1) ^ -(number & 1), at
    if type == DOUBLE:
        return struct.unpack_from("<d", data, at)[0], at + 8
    if type == BINARY:
        length, at = _varint(data, at)
        return data[at : at + length], at + length
    if type == UUID:
        return data[at : at + 16], at + 16
    if type == STRUCT:
        return parse(data, at)
    if type in (LIST, SET):
        count, kind = data[at] >> 4, data[at] & 15
        at += 1
        if count == 15:
            count, at = _varint(data, at)
        items = []
        for _ in range(count):
            item, at = _item(data, at, kind)
            items.append(item)
        return [kind, items], at
    raise ValueError(f"type {type} is not parsed here")


def _item(data: bytes, at: int, kind: int):
    return (data[at], at + 1) if kind in (TRUE, FALSE) else _value(data, at, kind)


def mutate(tree: list, random: Random, count: int = 1) -> bytes:
    """Change some nodes of a struct in place, and return its bytes."""
    for _ in range(count):
        spots = list(_spots(tree))
        if spots:
            _change(random.choice(spots), random)
    try:
        return compact.fields(tree)
    except (struct.error, TypeError, AttributeError, ValueError):  # a value that its new type cannot hold
        return b"\x00"


def _spots(content: list) -> Iterator[tuple]:
    """Yield every place that can be changed: (container, number, type of the value)."""
    for number, (_, type, value, _) in enumerate(content):
        yield content, number, None
        yield from _inner(content[number], 2, type, value)


def _inner(container: list, key: int, type: int, value) -> Iterator[tuple]:
    if type == STRUCT:
        yield from _spots(value)
    elif type in (LIST, SET):
        yield container, key, type
        for number, item in enumerate(value[1]):
            yield from _inner(value[1], number, value[0], item)
    elif type in (*INTEGERS, BINARY, DOUBLE, TRUE, FALSE):
        yield container, key, type


def _change(spot: tuple, random: Random) -> None:
    container, number, type = spot
    if type is None:
        _change_field(container, number, random)
    elif type in INTEGERS:
        old = container[number]
        new = random.choice((*EXTREMES, old + 1, old - 1, -old, old * 2, old // 2, old ^ 1 << random.randrange(31)))
        bits = {BYTE: 8, I16: 16, I32: 32, I64: 64}[type]
        container[number] = (new + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    elif type == BINARY:
        container[number] = _changed_bytes(container[number], random)
    elif type == DOUBLE:
        container[number] = random.choice((0.0, -0.0, float("nan"), float("inf"), 1e300))
    elif type in (TRUE, FALSE):
        if container and len(container) == 4 and container[1] in (TRUE, FALSE):
            container[1] = FALSE if container[1] == TRUE else TRUE
        else:
            container[number] = random.choice((TRUE, FALSE, 0, 77))
    else:
        _change_list(container[number], random)


def _change_field(content: list, number: int, random: Random) -> None:
    how = random.randrange(6)
    if how < 3:
        del content[number]
    elif how == 3:
        content.insert(number, [*content[number]])
    elif how == 4:
        content[number][0] = random.choice((content[number][0] + 1, 0, -1, 14, 32767, 100))
        content[number][3] = True
    else:
        other = random.randrange(len(content))
        content[number], content[other] = content[other], content[number]
        content[number][3] = content[other][3] = True


def _change_list(value: list, random: Random) -> None:
    items = value[1]
    how = random.randrange(5)
    if not items or how == 0:
        items.clear()
    elif how == 1:
        del items[random.randrange(len(items))]
    elif how == 2:
        items.insert(random.randrange(len(items)), random.choice(items))
    elif how == 3:
        first, second = random.randrange(len(items)), random.randrange(len(items))
        items[first], items[second] = items[second], items[first]
    else:
        items.extend(items * random.randrange(1, 4))


def _changed_bytes(old: bytes, random: Random) -> bytes:
    how = random.randrange(5)
    if how == 0:
        return random.choice(TEXTS)
    if how == 1:
        return old[: random.randrange(len(old) + 1)]
    if how == 2:
        return old + random.randbytes(random.randrange(1, 9))
    if how == 3 or not old:
        return random.randbytes(len(old))
    changed = bytearray(old)
    changed[random.randrange(len(old))] ^= 1 << random.randrange(8)
    return bytes(changed)
