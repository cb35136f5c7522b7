"""Encode RLE and bit-packed runs, and bits with the most significant first."""

from __future__ import annotations

from collections.abc import Sequence

from .varint import encode as varint

__all__ = ["bit_runs", "msb_first", "packed", "runs"]

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
    return varint(groups << 1 | 1) + packed(values, width).ljust(groups * width, b"\0")


def packed(values: Sequence[int], width: int) -> bytes:
    """Pack the values' bits, least significant first; the last byte is filled with zeros."""
    out = bytearray()
    for start in range(0, len(values), 64):
        some = values[start : start + 64]
        number = 0
        for value in reversed(some):
            number = number << width | value
        out += number.to_bytes((len(some) * width + 7) // 8, "little")
    return bytes(out)


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
