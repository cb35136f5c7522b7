"""Write fuzz inputs as files that are named by the hash of their content."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["packed_behind", "placed", "write"]


def write(folder: Path, seeds: Iterable[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


def packed_behind(head: bytes, size: int, width: int, exceptions: int, value_bytes: int) -> bytes:
    """A vector of ALP or PFOR: its numbers, packed deltas, places of exceptions, and these."""
    deltas = bytes(n * n % 251 for n in range((size * width + 7) // 8))
    positions = b"".join(struct.pack("<H", n * 3) for n in range(exceptions))
    return head + deltas + positions + bytes(range(exceptions)) * value_bytes


def placed(vectors: Sequence[bytes]) -> bytes:
    """Vectors, with the offset of each in front of all."""
    at, offsets = 4 * len(vectors), b""
    for vector in vectors:
        offsets += struct.pack("<I", at)
        at += len(vector)
    return offsets + b"".join(vectors)
