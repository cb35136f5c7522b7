"""Decode byte arrays, and fixed-width values in DELTA_BYTE_ARRAY. ``csrc/src/encoding/binary.h`` describes errors."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

from .. import wire
from ..errors import wire_error
from .encoding_delta import Deltas

MOST_BYTES = 0x7FFFFFFF  # the largest offset of 32 bits
LENGTH_PREFIX = 4


class Plain:
    """PLAIN: each value follows its length.

    Attributes
    ----------
    at : int
        The position of the next value.
    """

    def __init__(self, data: memoryview, at: int, count: int):
        self._data, self._count, self.at = data, count, at

    def __iter__(self) -> Iterator[memoryview]:
        for _ in range(self._count):
            left = len(self._data) - self.at
            if left < LENGTH_PREFIX:
                raise wire_error(wire.TRUNCATED, self.at, LENGTH_PREFIX, left)
            start = self.at + LENGTH_PREFIX
            length = int.from_bytes(self._data[self.at : start], "little")
            _check_length(length, left - LENGTH_PREFIX, self.at)
            yield self._data[start : start + length]
            self.at = start + length


class Lengths:
    """DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes."""

    def __init__(self, data: memoryview, at: int, count: int):
        self._data, self._lengths = data, Deltas(data, at, count, 32)
        self.at = self._lengths.find_end()

    def __iter__(self) -> Iterator[memoryview]:
        for length in chain.from_iterable(self._lengths.take()):
            _check_length(length, len(self._data) - self.at, self.at)
            yield self._data[self.at : self.at + length]
            self.at += length


class Prefixed:
    """DELTA_BYTE_ARRAY: the lengths of shared prefixes and of suffixes, then the suffixes."""

    def __init__(self, data: memoryview, at: int, count: int, width: int = 0):
        self._data, self._width = data, width
        self._prefixes = Deltas(data, at, count, 32)
        self._suffixes = Deltas(data, self._prefixes.find_end(), count, 32)
        self.at = self._suffixes.find_end()

    def __iter__(self) -> Iterator[bytes]:
        value = b""
        prefixes, suffixes = map(chain.from_iterable, (self._prefixes.take(), self._suffixes.take()))
        for prefix, suffix in zip(prefixes, suffixes, strict=True):
            if prefix > len(value):
                raise wire_error(wire.PREFIX_LENGTH, self.at, len(value), prefix)
            _check_length(suffix, len(self._data) - self.at, self.at)
            if self._width and prefix + suffix != self._width:
                raise wire_error(wire.VALUE_LENGTH, self.at, self._width, prefix + suffix)
            value = value[:prefix] + self._data[self.at : self.at + suffix]
            yield value
            self.at += suffix


BINARY: dict[int, Any] = {
    wire.ENCODING_PLAIN: Plain,
    wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY: Lengths,
    wire.ENCODING_DELTA_BYTE_ARRAY: Prefixed,
}


def decode_binary(encoding: int, data: memoryview, at: int, count: int) -> tuple[tuple[bytes, bytes], int]:
    """Decode `count` byte arrays in an encoding of `BINARY`; return ((offsets, bytes), end)."""
    values = BINARY[encoding](data, at, count)
    offsets, joined = array("i", [0]), bytearray()
    for value in values:
        _check_room(len(joined) + len(value), values.at)
        joined += value
        offsets.append(len(joined))
    return (offsets.tobytes(), bytes(joined)), values.at


def decode_prefixed_fixed(data: memoryview, at: int, count: int, width: int) -> tuple[bytes, int]:
    """Decode `count` values of `width` bytes in DELTA_BYTE_ARRAY; return them and their end."""
    values = Prefixed(data, at, count, width)
    return b"".join(values), values.at


def binary_parts(dictionary, at: int) -> list[bytes]:
    """Return the values of a dictionary of byte arrays, ((offsets, bytes), count)."""
    (offsets, joined), count = dictionary
    offsets, joined = memoryview(offsets).cast("B"), memoryview(joined).cast("B")
    if len(offsets) < 4 * (count + 1):
        raise wire_error(wire.BAD_ARGUMENT, at, 4 * (count + 1), len(offsets))
    ends = array("I", offsets[: 4 * (count + 1)].tobytes())
    for start, end in pairwise(ends):
        if not start <= end <= min(len(joined), MOST_BYTES):
            raise wire_error(wire.BAD_ARGUMENT, at, len(joined), end)
    return [joined[start:end].tobytes() for start, end in pairwise(ends)]


def join_parts(pieces: Iterable[list[int]], parts: list[bytes], at: int) -> tuple[bytes, bytes]:
    """Concatenate the values at these indices; return (offsets, bytes)."""
    offsets, joined = array("i", [0]), bytearray()
    for index in chain.from_iterable(pieces):
        _check_room(len(joined) + len(parts[index]), at)
        joined += parts[index]
        offsets.append(len(joined))
    return offsets.tobytes(), bytes(joined)


def _check_length(length: int, left: int, at: int) -> None:
    limit = min(left, MOST_BYTES)
    if length > limit:
        raise wire_error(wire.BYTE_ARRAY_LENGTH, at, limit, length)


def _check_room(end: int, at: int) -> None:
    if end > MOST_BYTES:
        raise wire_error(wire.TOO_LARGE, at, MOST_BYTES, end)
