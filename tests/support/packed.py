"""Runs and bit-packed values, written plainly, to check decoders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st
from support.varints import varint

__all__ = ["flipped", "pack", "run_bytes", "runs_of"]


def pack(values: Iterable[int], width: int) -> bytes:
    """Least significant bit first, the last byte filled with zeros."""
    bits = "".join(f"{value:0{width}b}"[::-1] for value in values) if width else ""
    return bytes(int(bits[at : at + 8].ljust(8, "0")[::-1], 2) for at in range(0, len(bits), 8))


def run_bytes(runs: Sequence[tuple[bool, list[int]]], width: int) -> bytes:
    """RLE runs (False, equal values) and bit-packed ones (True, values filled up to whole groups with zeros)."""
    out = bytearray()
    for is_packed, values in runs:
        if is_packed:
            groups = (len(values) + 7) // 8
            out += varint(groups << 1 | 1) + pack([*values, *[0] * (groups * 8 - len(values))], width)
        else:
            out += varint(len(values) << 1) + values[0].to_bytes((width + 7) // 8, "little")
    return bytes(out)


@st.composite
def runs_of(draw, width: int, highest: int | None = None) -> list[tuple[bool, list[int]]]:
    """Runs in any order. Only the last bit-packed one may have values that fill no group."""
    value = st.integers(0, (1 << width) - 1 if highest is None else highest)
    repeated = st.tuples(value, st.integers(1, 300)).map(lambda run: (False, [run[0]] * run[1]))
    packed = st.integers(1, 40).flatmap(lambda groups: st.lists(value, min_size=8 * groups, max_size=8 * groups))
    runs = draw(st.lists(st.one_of(repeated, packed.map(lambda values: (True, values))), min_size=1, max_size=6))
    if runs[-1][0]:
        runs[-1] = (True, runs[-1][1][: draw(st.integers(1, len(runs[-1][1])))])
    return runs


@st.composite
def flipped(draw, data: bytes) -> bytes:
    """The bytes cut short, or with some of their bits turned over."""
    damaged = bytearray(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)
    for bit in draw(st.lists(st.integers(0, 8 * len(damaged) - 1), max_size=3)) if damaged else ():
        damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)
