"""Bloom filters exclude equality conditions, but only if the filter is reliable."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parquetext import kernels, pruning, wire
from parquetext.errors import Malformed, wire_error
from parquetext.footer.leaf_types import LeafType
from parquetext.footer.plain import plain_forms
from parquetext.pruning import Comparison, Probe, may_hold, surviving_row_groups
from parquetext.pruning.bloom import LARGEST, WHOLE
from parquetext.thrift import write

AT = 100


def a_filter(bitset: bytes, **changes) -> bytes:
    header = {
        "numBytes": len(bitset),
        "algorithm": {"BLOCK": {}},
        "hash": {"XXHASH": {}},
        "compression": {"UNCOMPRESSED": {}},
    }
    return write("BloomFilterHeader", {**header, **changes}) + bitset


class Bytes:
    """A file that contains these bytes from AT on, and counts the bytes read."""

    def __init__(self, content: bytes):
        self.content, self.size, self.ranges = bytes(AT) + content, AT + len(content), []

    def read(self, offset: int, length: int) -> bytes:
        self.ranges.append((offset - AT, length))
        if offset < 0 or length < 0 or offset + length > self.size:
            raise wire_error(1, offset, length, 0)
        return self.content[offset : offset + length]

    def may_hold(self, length: int = -1, hashes=(1,)) -> bool:
        return may_hold(self.read, self.size, AT, length, list(hashes))


def of_another_value(size: int) -> bytes:
    """Return a bitset of one value, whose hash none of these tests asks for."""
    return bytes(size - 32) + b"\1\0\0\0" * 8


def test_a_filter_of_another_value_excludes_and_a_full_or_empty_one_does_not():
    for length in (-1, len(a_filter(bytes(64)))):
        assert not Bytes(a_filter(of_another_value(64))).may_hold(length)
        assert Bytes(a_filter(b"\xff" * 64)).may_hold(length)
        assert Bytes(a_filter(bytes(64))).may_hold(length)


@pytest.mark.parametrize(
    "changes",
    [
        {"numBytes": 0},
        {"numBytes": -32},
        {"numBytes": 63},
        {"numBytes": 96},
        {"numBytes": 2**31 - 32},
        {"numBytes": LARGEST + 32},
        {"algorithm": {}},
        {"hash": {}},
        {"compression": {}},
    ],
)
def test_a_filter_of_another_kind_or_size_rules_nothing_out(changes):
    for length in (-1, 1000):
        assert Bytes(a_filter(bytes(64), **changes)).may_hold(length)


@pytest.mark.parametrize("length", [1, 20, 63])
def test_a_filter_longer_than_in_the_footer_excludes_nothing(length):
    assert Bytes(a_filter(bytes(64))).may_hold(length)


@pytest.mark.parametrize("offset", [-5, 0, AT + 1000, 2**63 - 1])
def test_a_place_outside_the_file_rules_nothing_out(offset):
    file = Bytes(a_filter(bytes(64)))
    assert may_hold(file.read, file.size, offset, -1, [1])
    assert not file.ranges


@given(st.binary(max_size=80), st.integers(-1, 100))
def test_unchecked_bytes_are_no_error(content, length):
    Bytes(content).may_hold(length)


def test_a_filter_of_known_length_takes_one_read_and_a_large_one_only_its_blocks():
    small, large = Bytes(a_filter(of_another_value(1024))), Bytes(a_filter(of_another_value(2 * WHOLE)))
    assert not small.may_hold(small.size - AT)
    assert len(small.ranges) == 1
    assert not large.may_hold(large.size - AT, [5, 2**64 - 1])
    assert [length for _, length in large.ranges[1:]] == [32, 32]
    many = Bytes(a_filter(of_another_value(2 * WHOLE)))
    assert not many.may_hold(-1, range(1000))
    assert len(many.ranges) == 2


def test_a_block_read_by_itself_answers_as_the_whole_filter():
    value = kernels.checksum.xxh64(b"value")
    blocks = 2 * WHOLE // 32
    position = ((value >> 32) * blocks >> 32) * 32
    bitset = bytearray(2 * WHOLE)
    bitset[position : position + 32] = b"\xff" * 32
    file = Bytes(a_filter(bytes(bitset)))
    assert file.may_hold(-1, [value])
    assert kernels.bloom.might_contain(bitset, [value]) == b"\x01"


class TestWhatIsAsked:
    def bounds(self, lows, highs) -> pruning.ColumnBounds:
        return pruning.ColumnBounds.of(pa.array(lows), pa.array(highs), [0] * len(lows), [5] * len(lows))

    def surviving(self, filters, absent) -> tuple[list[int], list[Probe]]:
        asked: list[Probe] = []

        def ask(probes):
            asked.extend(probes)
            return [absent(probe) for probe in probes]

        known = self.bounds([0, 10, 20], [9, 19, 29])
        predicate = pruning.predicate_of(filters)
        return surviving_row_groups(predicate, lambda name: known, 3, range(3), {"x": pa.int64()}, ask), asked

    def test_only_row_groups_that_bounds_leave(self):
        kept, asked = self.surviving([("x", "=", 12)], lambda probe: True)
        assert (kept, asked) == ([], [Probe(Comparison("x", "=", 12), 1)])

    def test_only_alternatives_that_all_hold_an_equality(self):
        filters = [[("x", "=", 12)], [("x", ">", 11)]]
        assert self.surviving(filters, lambda probe: True) == ([1, 2], [])

    def test_a_row_group_goes_only_if_every_alternative_misses_a_value(self):
        filters = [[("x", "in", [12, 13]), ("x", ">", 0)], [("x", "==", 14)]]
        kept, asked = self.surviving(filters, lambda probe: probe.comparison.operator == "in")
        assert kept == [1]
        assert len(asked) == 2
        assert self.surviving(filters, lambda probe: True)[0] == []

    def test_conditions_other_than_equality_use_no_filter(self):
        for operator, value in (("!=", 5), ("not in", [5]), ("<", 5)):
            assert self.surviving([("x", operator, value)], lambda probe: True)[1] == []


UTC = datetime.UTC
DAY, MOMENT = datetime.date(1970, 1, 3), datetime.datetime(1970, 1, 1, 0, 0, 1)
MS, US = pa.timestamp("ms"), pa.timestamp("us")


class TestPlainForms:
    def forms(self, value, kind, rows=None, operator="="):
        return plain_forms(Comparison("x", operator, value), kind, rows or kind.arrow)

    @pytest.mark.parametrize(
        ("value", "kind", "forms"),
        [
            (5, LeafType(wire.PHYSICAL_INT32, 4, pa.int32()), [b"\5\0\0\0"]),
            (-1, LeafType(wire.PHYSICAL_INT32, 4, pa.int8()), [b"\xff" * 4]),
            (2**32 - 1, LeafType(wire.PHYSICAL_INT32, 4, pa.uint32()), [b"\xff" * 4]),
            (2**64 - 1, LeafType(wire.PHYSICAL_INT64, 8, pa.uint64()), None),  # no Python number that Arrow takes
            (pa.scalar(2**64 - 1, pa.uint64()), LeafType(wire.PHYSICAL_INT64, 8, pa.uint64()), [b"\xff" * 8]),
            (-1, LeafType(wire.PHYSICAL_INT32, 4, pa.uint32()), None),
            (300, LeafType(wire.PHYSICAL_INT32, 4, pa.int8()), None),
            (5.0, LeafType(wire.PHYSICAL_INT64, 8, pa.int64()), None),
            (True, LeafType(wire.PHYSICAL_INT64, 8, pa.int64()), None),
            (None, LeafType(wire.PHYSICAL_INT64, 8, pa.int64()), None),
            (0.0, LeafType(wire.PHYSICAL_DOUBLE, 8, pa.float64()), [bytes(8), bytes(7) + b"\x80"]),
            (-0.0, LeafType(wire.PHYSICAL_FLOAT, 4, pa.float32()), [bytes(4), bytes(3) + b"\x80"]),
            (1, LeafType(wire.PHYSICAL_FLOAT, 4, pa.float32()), [b"\0\0\x80\x3f"]),
            (float("nan"), LeafType(wire.PHYSICAL_DOUBLE, 8, pa.float64()), None),
            (0.1, LeafType(wire.PHYSICAL_FLOAT, 4, pa.float32()), None),
            (2**24 + 1, LeafType(wire.PHYSICAL_FLOAT, 4, pa.float32()), None),
            ("é", LeafType(wire.PHYSICAL_BYTE_ARRAY, 0, pa.string()), [b"\xc3\xa9"]),
            (b"", LeafType(wire.PHYSICAL_BYTE_ARRAY, 0, pa.binary()), [b""]),
            (5, LeafType(wire.PHYSICAL_BYTE_ARRAY, 0, pa.binary()), None),
            (b"ab", LeafType(wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, 2, pa.binary(2)), [b"ab"]),
            (b"abc", LeafType(wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, 2, pa.binary(2)), None),
            (Decimal("-1.5"), LeafType(wire.PHYSICAL_INT32, 4, pa.decimal128(5, 2)), [b"\x6a\xff\xff\xff"]),
            (Decimal("1.5"), LeafType(wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, 3, pa.decimal128(5, 2)), [b"\0\0\x96"]),
            (Decimal("1.555"), LeafType(wire.PHYSICAL_INT32, 4, pa.decimal128(5, 2)), None),
            (Decimal("1.5"), LeafType(wire.PHYSICAL_BYTE_ARRAY, 0, pa.decimal128(5, 2)), None),
            (DAY, LeafType(wire.PHYSICAL_INT32, 4, pa.date32()), [b"\2\0\0\0"]),
            (MOMENT, LeafType(wire.PHYSICAL_INT32, 4, pa.date32()), None),
            (MOMENT, LeafType(wire.PHYSICAL_INT64, 8, MS), [(1000).to_bytes(8, "little")]),
            (MOMENT.replace(microsecond=1), LeafType(wire.PHYSICAL_INT64, 8, MS), None),
            (MOMENT.replace(tzinfo=UTC), LeafType(wire.PHYSICAL_INT64, 8, US), None),
            (DAY, LeafType(wire.PHYSICAL_INT64, 8, US), None),
        ],
    )
    def test_a_literal_has_the_bytes_that_a_writer_gives_it_or_none_are_certain(self, value, kind, forms):
        assert self.forms(value, kind) == forms

    def test_every_member_of_a_list_counts(self):
        kind = LeafType(wire.PHYSICAL_INT32, 4, pa.int32())
        assert self.forms([1, 2], kind, operator="in") == [b"\1\0\0\0", b"\2\0\0\0"]
        assert self.forms([1, None], kind, operator="in") is None
        assert self.forms([1, 2.5], kind, operator="in") is None

    def test_rows_of_another_type_than_the_stored_one_are_not_certain(self):
        assert self.forms(5, LeafType(wire.PHYSICAL_INT64, 8, pa.int64()), pa.duration("s")) is None
        assert self.forms("x", LeafType(wire.PHYSICAL_BYTE_ARRAY, 0, pa.binary()), pa.large_string()) == [b"x"]


def test_errors_of_a_read_that_are_not_format_errors_are_raised():
    def broken(offset, length):
        raise OSError("gone")

    with pytest.raises(OSError):
        may_hold(broken, 1000, AT, 64, [1])
    with pytest.raises(Malformed):
        Bytes(b"").read(AT, 5)
