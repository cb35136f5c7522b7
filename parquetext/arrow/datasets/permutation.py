"""A random order of numbers that is computed number by number, so that it needs no memory and can begin anywhere."""

from __future__ import annotations

ROUNDS = 6
MASK = (1 << 64) - 1


class Permutation:
    """The numbers below `count` in an order that depends on a seed.

    Parameters
    ----------
    count : int
    seed : sequence of int
        Equal seeds give equal orders, on every machine.

    Notes
    -----
    A Feistel network permutes the numbers of 2 × `half` bits. Results that are not below `count`, at most three of
    four, are permuted again until one is (cycle walking).
    """

    __slots__ = ("_half", "_keys", "count")

    def __init__(self, count: int, seed: tuple[int, ...]):
        self.count = count
        self._half = max((max(count - 1, 1).bit_length() + 1) // 2, 1)
        state = 0
        for number in seed:
            state = _mixed(state ^ (number & MASK))
        self._keys = [state := _mixed(state + number) for number in range(ROUNDS)]

    def __getitem__(self, position: int) -> int:
        if not 0 <= position < self.count:
            raise IndexError(position)
        while True:
            position = self._permuted(position)
            if position < self.count:
                return position

    def _permuted(self, number: int) -> int:
        half = self._half
        ones = (1 << half) - 1
        left, right = number >> half, number & ones
        for key in self._keys:
            left, right = right, left ^ (_mixed(right ^ key) & ones)
        return left << half | right


def _mixed(number: int) -> int:
    """Return 64 bits that each depend on all bits of a number, by the finalizer of SplitMix64."""
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & MASK
    return number ^ number >> 31
