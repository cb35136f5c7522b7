"""Damaged flat footers: every flipped bit, every cut, and payloads made to look sound."""

from __future__ import annotations

import struct
import zlib

import pytest
from support import flat_footers as thrift
from support.flat_payloads import cells, outcome, sign, small_footer
from support.flat_readers import everything, open_payload, write
from support.form_readers import module

from parquetext import kernels, wire
from parquetext._pure import flat_cells
from parquetext.errors import Damaged, Unsupported


@pytest.mark.slow
def test_every_single_bit_flip_gives_the_same_answers_or_an_error(implementation):
    payload = write(small_footer())
    whole = everything(payload)
    for at in range(len(payload)):
        broken = bytearray(payload)
        broken[at] ^= 1 << at % 8
        found = everything(bytes(broken))
        assert (
            found["open"][0] in ("Damaged", "Unsupported")
            if "open" in found
            else all(
                answer == whole[question] or answer[0] in ("Damaged", "Unsupported")
                for question, answer in found.items()
                if question in whole and isinstance(question, tuple)
            )
        ), at


def test_verify_sees_every_bit_padding_included(implementation):
    payload = write(small_footer())
    for at in range(len(payload)):
        broken = bytearray(payload)
        broken[at] ^= 1 << at % 8
        with pytest.raises((Damaged, Unsupported)):
            kernels.flat.verify(bytes(broken))


def test_nonzero_bytes_between_cells_are_reported_with_their_offset():
    payload = bytearray(write(small_footer()))
    payload[4] = 7
    kinds = ("Damaged", wire.BAD_VALUE, 4, 0, 7)
    assert [outcome(module(package, "flat").verify, bytes(payload)) for package in ("native", "pure")] == [kinds] * 2


def buckets_of(payload: bytes) -> list[int]:
    return [
        position
        for position, _ in cells(payload)
        if struct.unpack_from("<H", payload, position + 8) == (wire.KIND_BUCKET,)
    ]


def filled(payload: bytes) -> bytearray:
    """The same with all name buckets full, of entries that lead nowhere."""
    full = bytearray(payload)
    for position in buckets_of(payload):
        (used,) = struct.unpack_from("<H", full, position + 10)
        full[position + 16 + 8 * used : position + 256] = b"\xee" * (240 - 8 * used)
        struct.pack_into("<H", full, position + 10, 30)
    return full


def test_the_check_of_a_payload_whose_buckets_are_all_full_looks_at_each_once(monkeypatch):
    payload = write(thrift.wide_footer(300, 1))
    hostile = sign(filled(payload), cells(payload))
    loaded, bucket = [], flat_cells.Footer.bucket
    monkeypatch.setattr(flat_cells.Footer, "bucket", lambda self, number: loaded.append(number) or bucket(self, number))
    for package in ("native", "pure"):
        module(package, "flat").verify(hostile)
    assert loaded == list(range(len(buckets_of(payload))))


def test_an_entry_is_found_only_after_full_buckets():
    """The first bucket's first entry changes places with one of the last: found if all between are full."""
    payload = write(thrift.wide_footer(300, 1))
    first, *_, last = buckets_of(payload)
    for change, is_found in ((filled, True), (bytearray, False)):
        moved = change(payload)
        entry, other = (bytes(moved[position + 16 : position + 24]) for position in (first, last))
        moved[first + 16 : first + 24], moved[last + 16 : last + 24] = other, entry
        moved = sign(moved, cells(payload))
        found = [outcome(module(package, "flat").verify, moved) for package in ("native", "pure")]
        assert found[0] == found[1]
        assert (found[0] is None) == is_found
        assert found[0] is None or found[0][:2] == ("Damaged", wire.BAD_VALUE)


def test_overlapping_cells_do_not_multiply_the_bytes_of_a_call():
    """Each part of the column is made to reach up to the last one's end: all checksums hold."""
    payload = bytearray(write(thrift.wide_footer(1, 64 * 40)))
    parts = [
        (position, length)
        for position, length in sorted(cells(payload))
        if struct.unpack_from("<H", payload, position + 8) == (wire.KIND_COLUMN,)
    ]
    end = sum(parts[-1])
    for position, _ in reversed(parts[1:]):
        struct.pack_into("<I", payload, position + 4, end - position)
        struct.pack_into("<I", payload, position, zlib.crc32(payload[position + 4 : end]))
    for package in ("native", "pure"):
        assert list(open_payload(bytes(payload), package).column(0, 64 * 39, 1).array("data_page_offset")) == [4]
    refused = [outcome(open_payload(bytes(payload), package).column, 0) for package in ("native", "pure")]
    assert refused[0] == refused[1]
    assert refused[0][:2] == ("Damaged", wire.BAD_OFFSET)


def test_truncated_payloads_are_refused(implementation):
    payload = write(small_footer())
    for length in range(0, len(payload), 7):
        with pytest.raises((Damaged, Unsupported)):
            open_payload(payload[:length])
