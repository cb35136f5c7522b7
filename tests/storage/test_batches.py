"""Collected reads of a remote file return the same bytes with fewer requests."""

from __future__ import annotations

import threading

import pyarrow.fs as pafs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import examples

from parquetext.errors import Malformed
from parquetext.storage import BatchedSource, Target, batched_reads

CONTENT = bytes(number * 7 % 251 for number in range(200_000))


@pytest.fixture(scope="module")
def target() -> Target:
    filesystem = pafs._MockFileSystem()  # in memory
    with filesystem.open_output_stream("x.bin") as stream:
        stream.write(CONTENT)
    return Target("x.bin", filesystem)


@pytest.fixture
def source(target):
    with BatchedSource(target) as source:
        yield source


def chain(source, *offsets: int):
    """An operation that reads one range after the other."""
    return lambda: [source.read(offset, 10) for offset in offsets]


def expected(*offsets: int) -> list[bytes]:
    return [CONTENT[offset : offset + 10] for offset in offsets]


def test_read_bytes_are_available(source):
    assert source.read(100, 5000) == CONTENT[100:5100]
    assert source.read(110, 20) == CONTENT[110:130]
    assert source.requests == 1
    assert source.read(5050, 5000) == CONTENT[5050:10050]
    assert (source.requests, source.bytes_read) == (2, 10_000)


def test_a_small_read_takes_its_neighbours_along(source):
    assert source.read(100, 50) == CONTENT[100:150]
    assert source.read(4000, 90) == CONTENT[4000:4090]
    assert source.read(len(CONTENT) - 10, 10) == CONTENT[-10:]
    assert (source.requests, source.bytes_read) == (2, 4096 + 10)


def test_long_reads_are_returned_and_not_kept(source, monkeypatch):
    monkeypatch.setattr(batched_reads, "KEPT", 1000)
    assert source.read(0, 1001) == source.read(0, 1001) == CONTENT[:1001]
    assert source.requests == 2


def test_near_ranges_are_one_request_and_far_ones_are_not(source):
    assert source.gather([chain(source, offset) for offset in (90_000, 0, 90_100, 5_000)]) == [
        expected(90_000),
        expected(0),
        expected(90_100),
        expected(5_000),
    ]
    assert source.requests == 2


def test_a_round_for_each_step_however_many_operations(source):
    operations = [chain(source, offset, offset + 60_000, offset + 120_000) for offset in range(0, 4000, 100)]
    found = source.gather(operations)
    assert found == [expected(offset, offset + 60_000, offset + 120_000) for offset in range(0, 4000, 100)]
    assert source.requests == 3


def test_an_error_ends_the_batch_and_later_reads_are_plain(source):
    def wrong():
        source.read(50_000, 10)
        raise KeyError("wrong")

    with pytest.raises(KeyError):
        source.gather([chain(source, 0), wrong])
    with pytest.raises(Malformed):
        source.gather([chain(source, len(CONTENT))])
    assert source.read(150_000, 10) == CONTENT[150_000:150_010]


def test_another_thread_reads_while_one_gathers(source):
    seen = []

    def operation():
        thread = threading.Thread(target=lambda: seen.append(source.read(170_000, 10)))
        thread.start()
        thread.join()
        return source.read(0, 10)

    assert source.gather([operation]) == [CONTENT[:10]]
    assert seen[0] == CONTENT[170_000:170_010]


def test_a_shared_range_is_kept_once(source):
    source.worth = 1_000, 150_000
    source.hold()
    source.hold()
    assert source.read(1_000, 150_000) == CONTENT[1_000:151_000]
    assert (source.requests, source.bytes_read) == (1, 150_000)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, len(CONTENT)), st.integers(0, 40_000)), max_size=4), max_size=8),
    st.integers(0, 3),
)
def test_every_read_gives_the_files_bytes(target, chains, singles):
    with BatchedSource(target) as source:
        ranges = [[(at, min(length, len(CONTENT) - at)) for at, length in chain] for chain in chains]
        for at, length in (ranges[0] if ranges else [])[:singles]:
            assert source.read(at, length) == CONTENT[at : at + length]
        found = source.gather([lambda chain=chain: [source.read(*each) for each in chain] for chain in ranges])
        assert found == [[CONTENT[at : at + length] for at, length in chain] for chain in ranges]
        requests = source.requests
        assert source.gather([lambda chain=chain: [source.read(*each) for each in chain] for chain in ranges]) == found
        assert source.requests == requests
