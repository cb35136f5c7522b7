"""The block that leads to a column's copy, of any bytes: read or refused, in memory that its size bounds."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.parquet_bytes import footer_of

from parquetext import extension, kernels, wire
from parquetext.encoding.carried import Carried, append_copy, copies_of
from parquetext.errors import Damaged, Malformed, Unsupported

GOLDEN = Path(__file__).parents[1] / "conformance" / "copies"
OURS = Damaged, Malformed, Unsupported
BYTES_OF_A_BYTE = 64  # a number of one byte is an object of Python's
FEW = 1 << 14

pytestmark = pytest.mark.usefixtures("implementation")


def structs() -> list[bytes]:
    """The ColumnMetaData structs of golden files that lead to copies."""
    found = []
    for path in sorted(GOLDEN.glob("*.parquet")):
        if not path.read_bytes().endswith(b"PAR3"):
            scan = kernels.scan.scan(footer_of(path.read_bytes()))
            positions = zip(scan.chunks("metadata_offset"), scan.chunks("metadata_length"), strict=True)
            found += [bytes(scan.data[offset : offset + length]) for offset, length in positions]
    return [struct for struct in found if copies_of(struct)]


STRUCTS = structs()
PAYLOADS = [
    bytes(block.payload)
    for struct in STRUCTS
    for block in extension.blocks(struct)
    if block.uuid == wire.UUID_COLUMN_ENCODING
]
DISTINCT = list({len(payload): payload for payload in PAYLOADS}.values())


def read(payload: bytes) -> Carried | None:
    """Return the content of a payload that is not refused; its ranges are within the bytes."""
    try:
        found = Carried.from_payload(payload)
    except OURS:
        return None
    assert len(found.page_lengths) == len(found.page_crcs) <= len(payload) // 5
    assert sum(found.page_lengths) == found.length and 0 <= found.offset < found.end < 1 << 63
    assert 0 <= found.null_count <= found.num_values and found.rows_per_page > 0
    return found


def test_golden_files_have_blocks_of_several_kinds():
    assert len(DISTINCT) >= 4
    assert {read(payload).uuid is None for payload in DISTINCT} == {True, False}


def test_every_byte_with_any_other_value_is_read_or_refused():
    for payload in DISTINCT:
        for at in range(len(payload)):
            for changed in {0, 1, 0x7F, 0x80, 0xFF, payload[at] ^ 1, payload[at] ^ 0x80, (payload[at] + 1) % 256}:
                read(payload[:at] + bytes([changed]) + payload[at + 1 :])


def test_every_part_of_a_block_is_read_or_refused():
    for payload in DISTINCT:
        for at in range(len(payload)):
            read(payload[:at])
            read(payload[at:])
            read(payload[:at] + payload[at + 1 :])


def test_splices_of_blocks_are_read_or_refused():
    numbers = random.Random(9)
    for _ in range(3000):
        left, right = numbers.choices(PAYLOADS, k=2)
        read(left[: numbers.randrange(len(left) + 1)] + right[numbers.randrange(len(right) + 1) :])


@given(st.integers(0, 1 << 64), st.integers(0, 12), st.sampled_from(range(len(DISTINCT))))
def test_any_number_in_the_place_of_another_one_is_read_or_refused(number, place, which):
    payload = DISTINCT[which]
    at = 10 + (16 if payload[1] else 0)
    for _ in range(place):
        _, at = kernels.varint.decode64(payload, at)
    _, end = kernels.varint.decode64(payload, at)
    read(payload[:at] + kernels.varint.encode(min(number, (1 << 64) - 1)) + payload[end:])


def test_no_number_makes_a_block_take_more_memory_than_its_bytes():
    heads = [payload[: 10 + (16 if payload[1] else 0)] for payload in DISTINCT]
    huge = [1 << shift for shift in range(0, 64, 7)]
    for head in heads:
        for count in huge:
            payload = head + kernels.varint.encode_many([9, 0, 4, *[1] * 7, count]) + bytes(50_000)
            tracemalloc.start()
            try:
                read(payload)
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert peak < BYTES_OF_A_BYTE * len(payload) + FEW


def test_any_byte_of_a_struct_gives_its_copies_or_none_of_them_or_is_refused():
    for struct in {len(struct): struct for struct in STRUCTS}.values():
        real = copies_of(struct)
        for at in range(len(struct)):
            for flip in (1, 0x20, 0x80):
                changed = bytearray(struct)
                changed[at] ^= flip
                try:
                    found = copies_of(bytes(changed))
                except OURS:
                    continue
                assert all(copy in real for copy in found)
            try:
                assert copies_of(struct[:at]) in ([], real)
            except OURS:
                continue


def test_structs_with_any_splice_of_a_block_are_read_or_refused():
    numbers, plain = random.Random(10), extension.strip(STRUCTS[0], wire.UUID_COLUMN_ENCODING)
    copy = copies_of(STRUCTS[0])[0]
    real = append_copy(plain, copy)
    for _ in range(300):
        at, length = numbers.randrange(len(real)), numbers.randrange(1, 30)
        begin = numbers.randrange(len(real))
        changed = real[:at] + real[begin : begin + length] + real[at + numbers.choice([0, length]) :]
        try:
            found = copies_of(changed)
        except OURS:
            continue
        assert all(one == copy for one in found)
