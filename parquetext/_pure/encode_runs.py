"""Encode RLE and bit-packed runs, bits with the most significant first, and DELTA_BINARY_PACKED."""

from __future__ import annotations

from collections.abc import Sequence

from .bits import pack
from .varint import encode as varint
from .varint import zigzag_encode

MOST_GROUPS = 512


def runs(values: Sequence[int], width: int) -> bytes:
    """Encode numbers of `width` bits as runs.

    At each group of 8, a repetition becomes a separate run of any length if this takes fewer bytes. All other groups
    are packed, about 512 in one run.
    """
    out, begin, at, count, worth = [], 0, 0, len(values), 8 * _groups_worth(width)
    while begin < count:
        length = _repeated(values, at)
        if length >= worth:
            if at > begin:
                out.append(_packed_run(values[begin:at], width))
            out.append(varint(length << 1) + values[at].to_bytes((width + 7) // 8, "little"))
            begin = at = at + length
        else:
            at = count if count - at < 8 else at + (length // 8 * 8 or 8)
            if at == count or at - begin >= 8 * MOST_GROUPS:
                out.append(_packed_run(values[begin:at], width))
                begin = at
    return b"".join(out)


def _groups_worth(width: int) -> int:
    """Return the number of groups that a value must fill before its run takes fewer bytes than the packed groups."""
    return {1: 4, 2: 2}.get(width, 1)


def _repeated(values: Sequence[int], at: int) -> int:
    """Return the number of values from `at` on that are equal to the first, if there are at least 8; else 0."""
    end = at + 1
    while end < len(values) and values[end] == values[at]:
        end += 1
    return end - at if end - at >= 8 else 0


def _packed_run(values: Sequence[int], width: int) -> bytes:
    groups = (len(values) + 7) // 8
    return varint(groups << 1 | 1) + pack(values, width).ljust(groups * width, b"\0")


def bit_runs(bits: bytes, count: int) -> bytes:
    """Encode packed bits as runs of whole bytes, except for the last run."""
    whole, groups, out, begin, at = count // 8, len(bits), [], 0, 0
    while begin < groups:
        same = _repeated_bytes(bits, at, whole) if at < whole else 0
        is_run = same >= _groups_worth(1)
        if not is_run:
            at += same or 1
        if at > begin and (is_run or at == groups or at - begin >= MOST_GROUPS):
            out.append(varint(at - begin << 1 | 1) + bits[begin:at])
            begin = at
        if is_run:
            out.append(varint(same * 8 << 1) + bytes([bits[at] & 1]))
            begin = at = at + same
    return b"".join(out)


def _repeated_bytes(bits: bytes, at: int, whole: int) -> int:
    """Return the number of bytes from `at` on that are equal to this one, if all of its bits are equal; else 0."""
    if bits[at] not in (0, 0xFF):
        return 0
    end = at + 1
    while end < whole and bits[end] == bits[at]:
        end += 1
    return end - at


def msb_first(values: Sequence[int], width: int) -> bytes:
    """Pack the values' bits, most significant first; the last byte is filled with zeros."""
    bits = "".join(f"{value:0{width}b}" for value in values)
    size = (len(bits) + 7) // 8
    return int(bits.ljust(8 * size, "0") or "0", 2).to_bytes(size, "big")


# DELTA_BINARY_PACKED: blocks of 128 differences, in four miniblocks of 32.
BLOCK, MINIBLOCK = 128, 32


def deltas(values: Sequence[int], bits: int) -> bytes:
    """Encode the differences of signed numbers, wrapped to `bits`, so that none takes more bits than a number."""
    first = values[0] if values else 0
    out = [varint(BLOCK), varint(BLOCK // MINIBLOCK), varint(len(values)), varint(zigzag_encode(first))]
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
        pack(miniblock, width).ljust(MINIBLOCK // 8 * width, b"\0")
        for miniblock, width in zip(miniblocks, widths, strict=True)
    ]
    return varint(zigzag_encode(least)) + bytes(widths) + b"".join(bodies)


def _wrapped(value: int, bits: int) -> int:
    half = 1 << bits - 1
    return (value + half & (1 << bits) - 1) - half
