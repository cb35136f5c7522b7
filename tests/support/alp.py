"""ALP pages written plainly, field by field, to check decoders without the package's encoder."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from support.packed import pack

from parquetext import wire

__all__ = ["KINDS", "Kind", "Vector", "alp_page", "values_of"]


@dataclass(frozen=True)
class Kind:
    """A type that ALP serves."""

    type: int
    bits: int
    integer: str  # NumPy's
    float: str
    highest: int  # exponent

    @property
    def bytes(self) -> int:
        return self.bits // 8


KINDS = {
    "float": Kind(wire.PHYSICAL_FLOAT, 32, "<i4", "<f4", 10),
    "double": Kind(wire.PHYSICAL_DOUBLE, 64, "<i8", "<f8", 18),
}


@dataclass
class Vector:
    """A vector as it is stored; `exceptions` are positions and the bytes of values."""

    deltas: Sequence[int]
    frame: int = 0
    width: int = 0
    exponent: int = 0
    factor: int = 0
    exceptions: Sequence[tuple[int, bytes]] = field(default_factory=list)

    def to_bytes(self, kind: Kind) -> bytes:
        head = struct.pack("<BBH", self.exponent, self.factor, len(self.exceptions))
        frame = self.frame.to_bytes(kind.bytes, "little", signed=True)
        positions = b"".join(position.to_bytes(2, "little") for position, _ in self.exceptions)
        stored = b"".join(value for _, value in self.exceptions)
        return head + frame + bytes([self.width]) + pack(self.deltas, self.width) + positions + stored


def alp_page(vectors: Sequence[Vector], kind: Kind, size_bits: int = 10) -> bytes:
    bodies = [vector.to_bytes(kind) for vector in vectors]
    count = sum(len(vector.deltas) for vector in vectors)
    at, offsets = 4 * len(bodies), b""
    for body in bodies:
        offsets += at.to_bytes(4, "little")
        at += len(body)
    return struct.pack("<BBBI", 0, 0, size_bits, count) + offsets + b"".join(bodies)


def values_of(vectors: Sequence[Vector], kind: Kind) -> bytes:
    """Decode the vectors with NumPy's arithmetic and powers of ten that are parsed from text."""
    out = b""
    for vector in vectors:
        half = 1 << kind.bits - 1
        sums = [(vector.frame + delta + half) % (2 * half) - half for delta in vector.deltas]
        up, down = (np.array([f"1e{n}"]).astype(kind.float) for n in (vector.factor, -vector.exponent))
        values = np.array(sums, kind.integer).astype(kind.float) * up * down
        body = bytearray(values.tobytes())
        for position, stored in vector.exceptions:
            body[position * kind.bytes : (position + 1) * kind.bytes] = stored
        out += body
    return out
