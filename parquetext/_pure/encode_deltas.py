"""Encode DELTA_BINARY_PACKED: blocks of 128 differences, in four miniblocks of 32."""

from __future__ import annotations

from collections.abc import Sequence

from .encode_runs import packed
from .varint import encode as varint

__all__ = ["deltas"]

BLOCK, MINIBLOCK = 128, 32


def deltas(values: Sequence[int], bits: int) -> bytes:
    """Encode the differences of signed numbers, wrapped to `bits`, so that none takes more bits than a number."""
    first = values[0] if values else 0
    out = [varint(BLOCK), varint(BLOCK // MINIBLOCK), varint(len(values)), _zigzag(first, bits)]
    for start in range(1, len(values), BLOCK):
        now = values[start : start + BLOCK]
        before = values[start - 1 : start - 1 + len(now)]
        out.append(_block([_wrapped(value - last, bits) for value, last in zip(now, before, strict=True)], bits))
    return b"".join(out)


def _block(differences: list[int], bits: int) -> bytes:
    least = min(differences)
    above = [difference - least & (1 << bits) - 1 for difference in differences]
    miniblocks = [above[start : start + MINIBLOCK] for start in range(0, BLOCK, MINIBLOCK)]
    widths = [max(miniblock, default=0).bit_length() for miniblock in miniblocks]
    bodies = [
        packed(miniblock, width).ljust(MINIBLOCK // 8 * width, b"\0")
        for miniblock, width in zip(miniblocks, widths, strict=True)
    ]
    return _zigzag(least, bits) + bytes(widths) + b"".join(bodies)


def _wrapped(value: int, bits: int) -> int:
    half = 1 << bits - 1
    return (value + half & (1 << bits) - 1) - half


def _zigzag(value: int, bits: int) -> bytes:
    return varint((value << 1 ^ value >> bits - 1) & (1 << bits) - 1)
