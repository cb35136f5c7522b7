"""The payload that refers to a column's copy: written, read, moved, and damaged."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.spoiled import assert_cuts_are_damaged

from parquetext import extension, wire
from parquetext.encoding.carried import Carried, append_copy, copies_of, copy_of, with_copies
from parquetext.errors import Damaged, ParquetextError, Unsupported
from parquetext.thrift import write

METADATA = write(
    "ColumnMetaData", {"type": 1, "encodings": [0], "path_in_schema": ["x"], "codec": 0, "num_values": 1000}
)
COPY = Carried(
    9, None, 6, 4, 1500, 3000, 1000, 10, 512, 0x0D0C0B0A, 5000, 4000, 0x14131211, (800, 700), (0x18171615, 0x1C1B1A19)
)
OWN = replace(COPY, encoding=77, uuid=UUID(int=5))

pytestmark = pytest.mark.usefixtures("implementation")


def test_a_struct_refers_to_its_copies():
    assert copies_of(METADATA) == []
    assert copy_of(METADATA) is None
    once = append_copy(METADATA, COPY)
    twice = append_copy(once, OWN)
    assert copies_of(twice) == [COPY, OWN]
    assert copy_of(twice) == OWN


def test_references_to_copies_are_text():
    content = bytes(extension.find(append_copy(append_copy(METADATA, COPY), OWN)))
    assert content.isascii() and b"=" not in content


def test_foreign_raw_blocks_stay_unchanged():
    theirs = extension.append_block(METADATA, UUID(int=1), b"theirs")
    both = append_copy(theirs, COPY)
    assert copies_of(both) == [COPY]
    moved = with_copies(both, [COPY.moved(40, 60)])
    assert copies_of(moved) == [COPY.moved(40, 60)]
    assert extension.strip(moved, wire.UUID_COLUMN_ENCODING) == theirs


def test_copies_are_moved_each_to_its_own_place():
    moved = [COPY.moved(100, 900), OWN.moved(1 << 40, 900)]
    struct = with_copies(append_copy(append_copy(METADATA, COPY), OWN), moved)
    assert copies_of(struct) == moved
    assert (moved[1].offset, moved[1].end, moved[1].chunk_offset) == (1 << 40, (1 << 40) + 1500, 900)


def test_a_copy_fits_the_chunk_that_it_was_made_of_alone():
    assert COPY.fits(5000, 4000, 1000)
    assert not any(COPY.fits(*fields) for fields in [(5001, 4000, 1000), (5000, 3999, 1000), (5000, 4000, 999)])


def test_additions_of_later_versions_are_skipped():
    assert Carried.from_payload(COPY.to_payload() + b"added later") == COPY


@pytest.mark.parametrize(("at", "value"), [(0, 2), (1, 2), (1, 3)])
def test_another_version_or_flag_is_not_guessed_at(at, value):
    payload = bytearray(COPY.to_payload())
    payload[at] = value
    with pytest.raises(Unsupported):
        Carried.from_payload(payload)


def test_a_payload_that_is_cut_is_damaged():
    assert_cuts_are_damaged(Carried.from_payload, OWN.to_payload())


@pytest.mark.parametrize(
    "changes",
    [
        {"page_lengths": (), "page_crcs": ()},
        {"page_lengths": (800, 701)},
        {"rows_per_page": 0},
        {"offset": 3},
        {"chunk_offset": 0},
        {"null_count": 1001},
        {"offset": (1 << 63) - 1000},
        {"encoding": 1 << 31},
    ],
)
def test_metadata_that_contradict_each_other_are_damage(changes):
    with pytest.raises(Damaged):
        Carried.from_payload(replace(COPY, **changes).to_payload())


@given(st.integers(0, 2000), st.integers(0, 7))
def test_any_bit_that_is_not_as_it_was_gives_an_error_or_no_copy(at, bit):
    struct = bytearray(append_copy(METADATA, COPY))
    struct[at % len(struct)] ^= 1 << bit
    with suppress(ParquetextError):
        assert copies_of(struct) in ([COPY], [])


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(payload):
    with suppress(Damaged, Unsupported):
        assert Carried.from_payload(payload).page_lengths
