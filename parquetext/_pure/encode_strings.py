"""Encode byte arrays as PLAIN, DELTA_LENGTH_BYTE_ARRAY or DELTA_BYTE_ARRAY."""

from __future__ import annotations

from itertools import pairwise

from .encode_deltas import deltas

__all__ = ["delta_byte_array", "delta_length_byte_array", "plain_byte_array"]


def plain_byte_array(values: list[bytes]) -> bytes:
    return b"".join(part for value in values for part in (len(value).to_bytes(4, "little"), value))


def delta_length_byte_array(values: list[bytes]) -> bytes:
    """Encode the lengths as deltas, then all bytes."""
    return deltas([len(value) for value in values], 32) + b"".join(values)


def delta_byte_array(values: list[bytes]) -> bytes:
    """Encode the length of the prefix that each value shares with the previous one, as deltas; then the suffixes."""
    prefixes = [0, *(_common_prefix(before, value) for before, value in pairwise(values))][: len(values)]
    rests = [value[prefix:] for value, prefix in zip(values, prefixes, strict=True)]
    return deltas(prefixes, 32) + delta_length_byte_array(rests)


def _common_prefix(one: bytes, other: bytes) -> int:
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    return next(at for at in range(most) if one[at] != other[at])
