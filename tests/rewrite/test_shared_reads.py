"""A file read once for its SHA-256 and for copying."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from support.memory_files import Memory

from parquetext.rewrite import encoding, original
from parquetext.rewrite.encoding import SharedReads

STEP = 1000
DATA = random.Random(5).randbytes(64 * STEP + 17)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(original, "STEP", STEP)
    monkeypatch.setattr(encoding, "AHEAD", 8 * STEP)


class Watched(Memory):
    """Calls `watch` with the offset of each read."""

    def __init__(self, watch: Callable[[int], None]):
        super().__init__(DATA)
        self.watch = watch

    def _read(self, offset, length):
        self.watch(offset)
        return super()._read(offset, length)


def copied(reads: SharedReads, ranges: list[tuple[int, int]]) -> tuple[bytes, bytes]:
    """Return the content of the ranges, and the digest computed while reading them."""
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(reads.digest, Event())
        found = b"".join(b"".join(reads.pieces(begin, end)) for begin, end in ranges)
        return found, digest.result()


def test_ranges_in_any_order_and_the_digest_are_those_of_the_file():
    numbers = random.Random(6)
    ranges = [sorted(numbers.choices(range(len(DATA) + 1), k=2)) for _ in range(40)]
    found, digest = copied(SharedReads(Memory(DATA)), ranges)
    assert found == b"".join(DATA[begin:end] for begin, end in ranges)
    assert digest == hashlib.sha256(DATA).digest()


def test_a_byte_is_read_once_for_both(monkeypatch):
    monkeypatch.setattr(encoding, "AHEAD", len(DATA))
    source = Memory(DATA)
    assert copied(SharedReads(source), [(0, 1500), (1500, len(DATA))])[0] == DATA
    assert source.bytes_read == len(DATA)


def test_copying_waits_for_the_digest():
    ahead = []
    source = Watched(lambda at: ahead.append(at - reads._digested))
    reads = SharedReads(source)
    assert copied(reads, [(0, len(DATA))])[0] == DATA
    assert max(ahead) <= 8 * STEP


def test_only_the_bytes_between_the_readers_are_kept():
    reads = SharedReads(Watched(lambda at: kept.append(len(reads._blocks))))
    kept = []
    copied(reads, [(0, len(DATA))])
    assert max(kept) <= 10


def test_an_error_reaches_both_readers_without_a_deadlock():
    def fail(at: int) -> None:
        if at == 3 * STEP:
            raise OSError("the disk is gone")

    reads = SharedReads(Watched(fail))
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(reads.digest, Event())
        with pytest.raises(OSError, match="gone"):
            list(reads.pieces(0, len(DATA)))
        assert b"".join(reads.pieces(40 * STEP, len(DATA))) == DATA[40 * STEP :]
        with pytest.raises(OSError, match="gone"):
            digest.result()


def test_a_digest_that_is_stopped_lets_go():
    reads, stopped = SharedReads(Memory(DATA)), Event()
    stopped.set()
    reads.digest(stopped)
    assert b"".join(reads.pieces(0, len(DATA))) == DATA
