"""Names that XXH64 with seed 0, under which names are found, cannot tell from each other: anybody can make them."""

from __future__ import annotations

import numpy as np

P1, P2 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F
MASK = (1 << 64) - 1
P2_INVERSE = pow(P2, -1, 1 << 64)
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)


def lane(state, word):
    """One round of a lane: the only part of XXH64 that has to collide."""
    mixed = state + word * np.uint64(P2)
    return (mixed << np.uint64(31) | mixed >> np.uint64(33)) * np.uint64(P1)


def colliding_names(count: int) -> list[bytes]:
    """So many ASCII names of 64 bytes with one hash.

    Bytes 0 to 8 and 32 to 40 go into one lane, one after the other, and nothing else goes into that: whatever stands in
    the first ones, some second ones bring the lane to the same state. One in a few hundred of these is ASCII.
    """
    random, names = np.random.default_rng(8), {}
    with np.errstate(over="ignore"):
        begin = np.uint64((P1 + P2) & MASK)
        target = lane(lane(begin, np.uint64(0x6161616161616161)), np.uint64(0x6262626262626262))
        unmixed = target * np.uint64(pow(P1, -1, 1 << 64))
        unmixed = unmixed >> np.uint64(31) | unmixed << np.uint64(33)
        while len(names) < count:
            first = LETTERS[random.integers(0, len(LETTERS), (1 << 18, 8))].view("<u8").ravel()
            second = (unmixed - lane(begin, first)) * np.uint64(P2_INVERSE)
            bytes_of = second.view(np.uint8).reshape(-1, 8)
            good = ((bytes_of < 0x80) & (bytes_of != 0) & (bytes_of != ord("."))).all(axis=1)
            for one, other in zip(first[good], second[good], strict=True):
                names[one.tobytes() + b"_" * 24 + other.tobytes() + b"_" * 24] = None
    return list(names)[:count]
