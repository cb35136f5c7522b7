"""Find FSST symbols in a sample of the values, and encode values as their codes, like encode_fsst.c."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator

ESCAPE = MOST_SYMBOLS = 255
LONGEST = 8
PREFIX = 3  # bytes by which symbols are ordered first
WINDOW, WINDOWS = 512, 32
ROUNDS = 5
LONELY_GAIN = 8  # per use; a byte without a symbol takes two


class Matcher:
    """The symbols and their codes."""

    def __init__(self, symbols: list[bytes]):
        self._codes = {symbol: code for code, symbol in enumerate(symbols)}

    def longest(self, text: bytes, at: int) -> bytes:
        """Return the longest symbol at ``text[at]``; empty if there is none."""
        for length in range(LONGEST, 0, -1):
            if (symbol := text[at : at + length]) in self._codes:
                return symbol
        return b""

    def encode(self, text: bytes) -> bytes:
        """Return the codes of one value."""
        codes, at = bytearray(), 0
        while at < len(text):
            if symbol := self.longest(text, at):
                codes.append(self._codes[symbol])
                at += len(symbol)
            else:
                codes += bytes([ESCAPE, text[at]])
                at += 1
        return bytes(codes)


def symbols_of(values: list[bytes]) -> list[bytes]:
    """Return at most 255 symbols. Symbols with the same prefix are adjacent, the longest first."""
    sample = list(_sample(values))
    symbols: list[bytes] = []
    for _ in range(ROUNDS):
        best = heapq.nsmallest(MOST_SYMBOLS, _worthy(_uses(sample, Matcher(symbols))), key=_rank)
        symbols = sorted((symbol for symbol, _ in best), key=_slot)
    return symbols


def coded(values: list[bytes], symbols: list[bytes]) -> list[bytes]:
    """Return the codes of each value."""
    matcher = Matcher(symbols)
    return [matcher.encode(value) for value in values]


def _sample(values: list[bytes]) -> Iterator[bytes]:
    """Yield the parts of values in evenly spaced windows over all bytes, or all values if they are few."""
    total = sum(map(len, values))
    if total <= WINDOW * WINDOWS:
        yield from values
        return
    window, start = 0, 0
    for value in values:
        while window < WINDOWS:
            first = total * window // WINDOWS
            begin, end = max(first - start, 0), min(first + WINDOW - start, len(value))
            if begin >= len(value):
                break
            if begin < end:
                yield value[begin:end]
            if first + WINDOW > start + len(value):
                break
            window += 1
        start += len(value)


def _uses(sample: list[bytes], matcher: Matcher) -> Counter:
    """Count the uses of each symbol and each candidate: existing symbols, single bytes, and pairs of neighbors."""
    uses: Counter[bytes] = Counter()
    for text in sample:
        before, at = b"", 0
        while at < len(text):
            symbol = matcher.longest(text, at) or text[at : at + 1]
            single = symbol[:1]
            uses[symbol] += 1
            if symbol != single:
                uses[single] += 1
            if 0 < len(before) < LONGEST:
                uses[(before + symbol)[:LONGEST]] += 1
                if symbol != single:
                    uses[before + single] += 1
            before = symbol
            at += len(symbol)
    return uses


def _worthy(uses: Counter) -> Iterator[tuple[bytes, int]]:
    """Yield symbols and their gains; a symbol that is used once gains nothing."""
    for symbol, count in uses.items():
        if count > 1:
            yield symbol, count * (LONELY_GAIN if len(symbol) == 1 else len(symbol))


def _rank(entry: tuple[bytes, int]) -> tuple[int, int, int]:
    symbol, gain = entry
    return -gain, -len(symbol), int.from_bytes(symbol, "little")


def _slot(symbol: bytes) -> tuple[int, int, int]:
    return int.from_bytes(symbol[:PREFIX], "little"), -len(symbol), int.from_bytes(symbol, "little")
