"""Arrow arrays of the numbers in footers and page headers, which share their memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pyarrow as pa

from .. import compute as pc


def wrapped(numbers: memoryview | array) -> pa.Array:
    """Return numbers as an array of Arrow that shares their memory."""
    values = memoryview(numbers)
    types = {"q": pa.int64(), "i": pa.int32(), "I": pa.uint32(), "B": pa.uint8(), "b": pa.int8()}
    return pa.Array.from_buffers(types[values.format], len(values), [None, pa.py_buffer(values)])


def known(numbers: pa.Array) -> pa.Array:
    """Replace -1 and all other negative numbers, which are no valid counts or offsets, by null."""
    return pc.if_else(pc.less(numbers, 0), None, numbers)


def has_bit(words: pa.Array, bit: int) -> pa.BooleanArray:
    """Return True for each uint32 in which a bit is set."""
    return pc.not_equal(pc.bit_wise_and(words, pa.scalar(bit, pa.uint32())), pa.scalar(0, pa.uint32()))


def named(numbers: pa.Array, names: Sequence[str]) -> pa.DictionaryArray:
    """Return the names of numbers, which are their positions in `names`; null for numbers without a name."""
    positions = known(numbers)
    valid = pc.if_else(pc.less(positions, len(names)), positions, None)
    return pa.DictionaryArray.from_arrays(valid, pa.array(names, pa.string()))
