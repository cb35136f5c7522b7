"""Extension slots of the flat footer: both implementations write the same bytes, and read only the requested slots."""

from __future__ import annotations

import random
import struct
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.parquet_bytes import footer_of, parquet_bytes
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Damaged, ParquetextError

FOOTER = footer_of(parquet_bytes())
SLOTS = [(bytes([n]) * 16, bytes(range(n)) * 40 * n) for n in (1, 2, 7, 200)]
TAIL_WORD = 68


class Memory:
    def __init__(self, data: bytes):
        self.data, self.size = data, len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


def payload_of(slots=SLOTS) -> bytes:
    return kernels.flat.write(kernels.scan.scan(FOOTER), extensions=slots)


def reader_of(payload: bytes, tail: int = 400):
    return kernels.flat.Reader(Memory(payload), 0, len(payload), payload[-tail:])


def tail_block(payload: bytes) -> int:
    return len(payload) - int.from_bytes(payload[-8:-4], "little")


def list_place(payload: bytes) -> int:
    return int.from_bytes(payload[tail_block(payload) + TAIL_WORD :][:4], "little")


def signed(payload: bytearray, cell: int) -> bytes:
    """The payload with a cell's checksum renewed."""
    (length,) = struct.unpack_from("<I", payload, cell + 4)
    struct.pack_into("<I", payload, cell, zlib.crc32(payload[cell + 4 : cell + length]))
    return bytes(payload)


@settings(max_examples=examples(60), deadline=None)
@given(st.dictionaries(st.binary(min_size=16, max_size=16), st.binary(max_size=300), max_size=6))
def test_both_implementations_write_the_same_bytes_and_read_them_again(slots):
    given, payloads = sorted(slots.items()), []
    for flat, scan in zip(both("flat"), both("scan"), strict=True):
        payload = flat.write(scan.scan(FOOTER), extensions=given)
        flat.verify(payload)
        assert flat.to_thrift(payload) == FOOTER
        reader = flat.Reader(Memory(payload), 0, len(payload), payload[-200:])
        assert reader.extensions() == [(uuid, len(data)) for uuid, data in given]
        assert [reader.extension(index) for index in range(len(given))] == [data for _, data in given]
        payloads.append(payload)
    assert payloads[0] == payloads[1]


def test_without_slots_the_payload_has_no_byte_for_them(implementation):
    assert payload_of([]) == kernels.flat.write(kernels.scan.scan(FOOTER))
    assert list_place(payload_of([])) == 0 and reader_of(payload_of([])).extensions() == []


def test_names_cost_the_list_and_bytes_their_own_cell(implementation):
    big = [(bytes([n]) * 16, bytes(100_000)) for n in range(5)]
    reader = reader_of(payload_of(big), 4096)
    before = reader.io[1]
    assert len(reader.extensions()) == 5
    assert reader.io[1] - before <= 4096
    assert reader.extension(3) == bytes(100_000)
    assert reader.io[1] - before < 120_000
    assert reader.find_name(b"a") == [0]


@pytest.mark.parametrize("slots", [SLOTS[::-1], [SLOTS[0], SLOTS[0]]])
def test_uuids_that_do_not_ascend_are_the_callers_error(implementation, slots):
    with pytest.raises(ParquetextError) as error:
        payload_of(slots)
    assert error.value.code == wire.BAD_ARGUMENT


@pytest.mark.parametrize("index", [-1, 4, 2**40])
def test_a_slot_that_does_not_exist_is_the_callers_error(implementation, index):
    with pytest.raises(ParquetextError) as error:
        reader_of(payload_of()).extension(index)
    assert (error.value.code, error.value.expected, error.value.found) == (wire.BAD_ARGUMENT, 4, index)


def test_footers_that_the_tables_cannot_store_are_not_verbatim_with_slots(implementation):
    scan = kernels.scan.scan(b"\x15\x02\x19\x0c\x16\x00\x19\x0c\x00", strict=False)
    kernels.flat.write(scan)
    with pytest.raises(ParquetextError):
        kernels.flat.write(scan, extensions=SLOTS)


def in_list(entry: int, at: int, value: bytes):
    def change(payload: bytearray) -> int:
        position = list_place(payload) + 24 + 24 * entry + at
        payload[position : position + len(value)] = value
        return list_place(payload)

    return change


def count(value: int):
    def change(payload: bytearray) -> int:
        struct.pack_into("<I", payload, list_place(payload) + 16, value)
        return list_place(payload)

    return change


def in_cell(word: int):
    def change(payload: bytearray) -> int:
        (cell,) = struct.unpack_from("<I", payload, list_place(payload) + 24 + 24 * 2 + 16)
        payload[cell + word] ^= 1
        return cell

    return change


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param(in_list(1, 0, bytes(16)), wire.BAD_VALUE, id="UUIDs descend"),
        pytest.param(in_list(2, 16, b"\xff\xff\xff\x7f"), wire.BAD_OFFSET, id="place outside"),
        pytest.param(in_list(2, 20, b"\xff\xff\xff\x7f"), wire.BAD_VALUE, id="other length"),
        pytest.param(in_list(2, 15, b"\x08"), wire.BAD_VALUE, id="other UUID"),
        pytest.param(count(5), wire.BAD_VALUE, id="more than fit"),
        pytest.param(count(2**32 - 1), wire.BAD_VALUE, id="many more"),
        pytest.param(in_cell(8), wire.BAD_CELL, id="other kind"),
        pytest.param(in_cell(12), wire.BAD_CELL, id="other number"),
        pytest.param(in_cell(24), wire.BAD_VALUE, id="other place for the data"),
    ],
)
def test_both_report_the_same_errors_under_valid_checksums(change, code):
    payload = bytearray(payload_of())
    damaged = signed(payload, change(payload))
    found = []
    for flat in both("flat"):
        reader = flat.Reader(Memory(damaged), 0, len(damaged), damaged)
        answer = outcome(lambda reader=reader: (reader.extensions(), reader.extension(2)))
        found.append((answer, outcome(flat.verify, damaged)))
        assert reader.find_name(b"a") == [0]
    assert found[0] == found[1]
    assert found[0][0][0] == "error" and found[0][1][0] == "error"
    assert code in (found[0][0][2], wire.BAD_OFFSET)


@pytest.mark.slow
def test_a_flipped_bit_in_a_slot_touches_nothing_else():
    payload = payload_of()
    random_flips = random.Random(5).sample(range(8 * list_place(payload), 8 * tail_block(payload)), 300)
    for flip in random_flips:
        damaged = bytearray(payload)
        damaged[flip // 8] ^= 1 << flip % 8
        damaged, found = bytes(damaged), []
        for flat in both("flat"):
            reader = flat.Reader(Memory(damaged), 0, len(damaged), damaged)
            found.append([outcome(reader.extensions), *(outcome(reader.extension, index) for index in range(4))])
            with pytest.raises(Damaged):
                flat.verify(damaged)
        assert found[0] == found[1]
        sound = [("result", data) for _, data in SLOTS]
        assert all(answer[0] == "error" or answer in sound for answer in found[0][1:])


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**6), st.binary(min_size=1, max_size=8))
def test_both_read_any_bytes_under_valid_checksums_equally(at, value):
    payload = bytearray(payload_of())
    first, end = list_place(payload), tail_block(payload)
    position = first + at % (end - first - 8)
    payload[position : position + len(value)] = value
    for cell in (first, *(struct.unpack_from("<I", payload_of(), first + 24 + 24 * n + 16)[0] for n in range(4))):
        (length,) = struct.unpack_from("<I", payload, cell + 4)
        if 16 <= length <= end - cell:
            payload = bytearray(signed(payload, cell))
    damaged, found = bytes(payload), []
    for flat in both("flat"):
        reader = flat.Reader(Memory(damaged), 0, len(damaged), damaged)
        found.append(
            [
                outcome(reader.extensions),
                *(outcome(reader.extension, index) for index in range(4)),
                outcome(flat.verify, damaged),
            ]
        )
    assert found[0] == found[1]
