"""QuestDB's rules for row groups: its values for null, against a scan of the rows as QuestDB shows them."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import examples

from parquetext import kernels, wire
from parquetext.pruning.questdb import MILLISECONDS_OF_A_DAY, Chunk, Column, Filter, Tag, can_skip

BYTE, SHORT, CHAR = (Column(tag, wire.PHYSICAL_INT32) for tag in (Tag.BYTE, Tag.SHORT, Tag.CHAR))
INT, LONG, IPV4, DATE = (
    Column(5, wire.PHYSICAL_INT32),
    Column(6, wire.PHYSICAL_INT64),
    Column(Tag.IPv4, wire.PHYSICAL_INT32),
    Column(Tag.DATE, wire.PHYSICAL_INT32),
)
SINGLE, REAL = Column(Tag.FLOAT, wire.PHYSICAL_FLOAT), Column(Tag.DOUBLE, wire.PHYSICAL_DOUBLE)
TEXT, UUID, DECIMAL = (
    Column(26, wire.PHYSICAL_BYTE_ARRAY),
    Column(19, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16),
    Column(Tag.DECIMAL8 | 5 << 8, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, 4),
)


def i32(number: int) -> bytes:
    return struct.pack("<i", number)


def i64(number: int) -> bytes:
    return struct.pack("<q", number)


def filled(*values: bytes) -> bytes:
    """A bitset of one block with these values, as parquet-format says."""
    from parquetext._pure.bloom import SALT

    words = [0] * 8
    for value in values:
        key = kernels.checksum.xxh64(value) & 0xFFFFFFFF
        words = [word | 1 << ((key * salt & 0xFFFFFFFF) >> 27) for word, salt in zip(words, SALT, strict=True)]
    return struct.pack("<8I", *words)


class TestNulls:
    def test_is_null_is_excluded_by_a_count_of_zero(self):
        for count, skipped in ((0, True), (1, False), (None, False), (2**64 - 1, False), (-1, False)):
            assert can_skip(INT, Chunk(5, count, i32(1), i32(2)), Filter("is null")) == skipped
            assert can_skip(TEXT, Chunk(5, count), Filter("is null")) == skipped

    def test_a_null_sentinel_without_a_count_may_be_a_null(self):
        smallest = i32(-(2**31))
        for condition in (Filter("is null"), Filter("=", (smallest,))):
            assert not can_skip(INT, Chunk(5, 0, smallest, i32(2)), condition)
            assert not can_skip(INT, Chunk(5, 0), condition)
            assert can_skip(INT, Chunk(5, 0, i32(-(2**31) + 1), i32(2)), condition)
        assert not can_skip(DATE, Chunk(5, 0, smallest, smallest), Filter("is null"))
        assert can_skip(DATE, Chunk(5, 0, i32(-30), i32(5)), Filter("is null"))

    @pytest.mark.parametrize("column", [SINGLE, REAL, CHAR])
    def test_infinities_and_the_character_0_are_uncounted_nulls(self, column):
        assert not can_skip(column, Chunk(5, 0), Filter("is null"))

    def test_is_not_null_is_excluded_by_a_count_of_all_rows(self):
        for count, skipped in ((5, True), (4, False), (None, False)):
            assert can_skip(INT, Chunk(5, count), Filter("is not null")) == skipped

    @pytest.mark.parametrize("column", [BYTE, SHORT, Column(Tag.BOOLEAN, 0)])
    def test_types_without_nulls_are_never_null(self, column):
        assert not can_skip(column, Chunk(5, 5), Filter("is not null"))

    @pytest.mark.parametrize(
        ("column", "null", "value"),
        [
            (INT, i32(-(2**31)), i32(1)),
            (LONG, i64(-(2**63)), i64(1)),
            (IPV4, bytes(4), i32(-1)),
            (UUID, i64(-(2**63)) * 2, b"\1" * 16),
            (DECIMAL, b"\x80\0\0\0", b"\0\0\0\1"),
            (TEXT, None, b"x"),
            (DATE, i64(-(2**63)), i32(1)),
        ],
    )
    def test_an_equality_with_null_finds_the_nulls(self, column, null, value):
        for count, skipped in ((0, True), (1, False), (None, False)):
            assert can_skip(column, Chunk(5, count, value, value), Filter("=", (null,))) == skipped
        for operator in ("<", ">="):
            assert not can_skip(column, Chunk(5, 0, value, value), Filter(operator, (null,)))

    def test_a_nan_may_be_any_null(self):
        assert not can_skip(REAL, Chunk(5, 0), Filter("=", (struct.pack("<d", math.nan),)))


class TestRanges:
    @pytest.mark.parametrize(
        ("operator", "value", "skipped"),
        [
            ("<", 10, True),
            ("<", 11, False),
            ("<=", 9, True),
            ("<=", 10, False),
            (">", 20, True),
            (">", 19, False),
            (">=", 21, True),
            (">=", 20, False),
            ("=", 9, True),
            ("=", 10, False),
            ("=", 21, True),
        ],
    )
    def test_bounds(self, operator, value, skipped):
        chunk = Chunk(5, 0, i32(10), i32(20))
        assert can_skip(INT, chunk, Filter(operator, (i32(value),))) == skipped

    def test_between_takes_its_ends_in_any_order(self):
        chunk = Chunk(5, 0, i32(10), i32(20))
        for low, high, skipped in ((1, 9, True), (21, 30, True), (1, 10, False), (20, 21, False), (12, 13, False)):
            for ends in ((i32(low), i32(high)), (i32(high), i32(low))):
                assert can_skip(INT, chunk, Filter("between", ends)) == skipped
        assert not can_skip(INT, chunk, Filter("between", (i32(1),)))

    def test_one_bound_or_one_of_another_width_excludes_nothing(self):
        for low, high in ((None, i32(1)), (i32(1), None), (i64(1), i64(1)), (i32(2), i32(1))):
            assert not can_skip(INT, Chunk(5, 0, low, high), Filter("=", (i32(9),)))

    def test_orders(self):
        assert can_skip(IPV4, Chunk(5, 0, i32(1), i32(-2)), Filter("=", (i32(-1),)))  # 255.255.255.255
        assert can_skip(DECIMAL, Chunk(5, 0, b"\xff\xff\xff\xf0", b"\0\0\0\1"), Filter(">", (b"\0\0\0\2",)))
        assert not can_skip(DECIMAL, Chunk(5, 0, b"\xff\xff\xff\xf0", b"\0\0\0\1"), Filter("<", (b"\0\0\0\2",)))
        assert can_skip(TEXT, Chunk(5, 0, b"b", b"c\xff"), Filter("=", (b"d",)))

    def test_nan_bounds_booleans_and_int96_exclude_nothing(self):
        nan, one = struct.pack("<d", math.nan), struct.pack("<d", 1.0)
        assert not can_skip(REAL, Chunk(5, 0, nan, nan), Filter(">", (one,)))
        assert not can_skip(Column(Tag.BOOLEAN, 0), Chunk(5, 0, b"\0", b"\0"), Filter("=", (b"\1",)))
        assert not can_skip(Column(8, 3), Chunk(5, 0, bytes(12), bytes(12)), Filter("=", (b"\1" * 12,)))

    @pytest.mark.parametrize("column", [BYTE, SHORT, CHAR])
    def test_a_null_shows_as_0_where_there_is_no_null(self, column):
        for count, skipped in ((0, True), (1, False), (None, False)):
            assert can_skip(column, Chunk(5, count, i32(3), i32(4)), Filter("=", (i32(0),))) == skipped
            assert can_skip(column, Chunk(5, count, i32(3), i32(4)), Filter("<", (i32(1),))) == skipped

    def test_a_date_of_days_compares_in_milliseconds(self):
        chunk = Chunk(5, 0, i32(-1), i32(1))
        for value, skipped in (
            (-MILLISECONDS_OF_A_DAY, False),
            (MILLISECONDS_OF_A_DAY + 5, False),
            (2 * MILLISECONDS_OF_A_DAY, True),
            (-MILLISECONDS_OF_A_DAY - 1, True),
        ):
            assert can_skip(DATE, chunk, Filter("=", (i64(value),))) == skipped
        assert can_skip(DATE, chunk, Filter(">", (i64(MILLISECONDS_OF_A_DAY),)))
        assert not can_skip(DATE, chunk, Filter(">", (i64(MILLISECONDS_OF_A_DAY - 1),)))
        assert not can_skip(DATE, chunk, Filter("=", (i32(5),)))


class TestBloomFilters:
    def test_a_value_missing_in_the_filter_is_absent_for_any_bounds(self):
        chunk = Chunk(5, 0, i64(0), i64(100), filled(i64(5)))
        assert not can_skip(LONG, chunk, Filter("=", (i64(5),)))
        assert can_skip(LONG, chunk, Filter("=", (i64(6),)))
        assert can_skip(LONG, chunk, Filter("=", (i64(6), i64(7))))
        assert not can_skip(LONG, chunk, Filter("=", (i64(6), i64(5))))

    @pytest.mark.parametrize("bits", [b"", bytes(16), bytes(33)])
    def test_bytes_that_are_not_a_bitset_exclude_nothing(self, bits):
        assert not can_skip(LONG, Chunk(5, 0, bitset=bits), Filter("=", (i64(6),)))

    def test_zeros_have_two_forms_and_show_for_nulls(self):
        zeros = [struct.pack("<d", zero) for zero in (0.0, -0.0)]
        for stored in zeros:
            for asked in zeros:
                assert not can_skip(REAL, Chunk(5, 0, bitset=filled(stored)), Filter("=", (asked,)))
        assert not can_skip(BYTE, Chunk(5, 1, bitset=bytes(32)), Filter("=", (i32(0),)))

    def test_a_date_is_compared_by_its_day(self):
        chunk = Chunk(5, 0, bitset=filled(i32(-1)))
        assert not can_skip(DATE, chunk, Filter("=", (i64(-5),)))
        assert can_skip(DATE, chunk, Filter("=", (i64(5),)))
        assert not can_skip(DATE, chunk, Filter("=", (i64(2**62),)))


NULL_INT = -(2**31)
CASES = {
    "short": (SHORT, "<i", st.integers(-3, 3)),
    "char": (CHAR, "<i", st.integers(0, 3)),
    "int": (INT, "<i", st.integers(-3, 3) | st.just(NULL_INT)),
    "double": (REAL, "<d", st.sampled_from([-1.0, -0.0, 0.0, 1.0, math.inf, -math.inf, math.nan])),
}


def shown(name: str, value):
    """A stored value as a query sees it; None for null."""
    if name in ("short", "char"):
        value = 0 if value is None else value
        return None if name == "char" and value == 0 else value
    return None if value is None or value == NULL_INT or not math.isfinite(value) else value


def meets(name: str, value, operator: str, literals: list) -> bool:
    seen = shown(name, value)
    if operator == "is null":
        return seen is None
    if operator == "is not null":
        return seen is not None
    if operator == "=":
        return any(shown(name, literal) == seen for literal in literals) or (value in literals)
    if seen is None:
        seen = 0 if name == "char" else None
    wanted = literals if operator == "between" else literals[:1]
    if seen is None or any(shown(name, literal) is None and name != "char" for literal in wanted):
        return False
    first = wanted[0]
    return {
        "<": seen < first,
        "<=": seen <= first,
        ">": seen > first,
        ">=": seen >= first,
        "between": min(wanted) <= seen <= max(wanted),
    }[operator]


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_no_row_that_a_query_would_see_is_skipped(name, data):
    column, code, values = CASES[name]
    rows = data.draw(st.lists(values | st.none(), min_size=1, max_size=4))
    operator = data.draw(st.sampled_from(["=", "<", "<=", ">", ">=", "between", "is null", "is not null"]))
    count = 0 if operator.startswith("is") else 2 if operator == "between" else data.draw(st.integers(1, 2))
    literals = [data.draw(values) for _ in range(count if operator in ("=", "between") else min(count, 1))]
    held = [value for value in rows if value is not None and value == value]
    low, high = (struct.pack(code, pick(held)) if held and data.draw(st.booleans()) else None for pick in (min, max))
    chunk = Chunk(
        len(rows),
        sum(value is None for value in rows) if data.draw(st.booleans()) else None,
        low,
        high,
        filled(*(struct.pack(code, value) for value in held)) if data.draw(st.booleans()) else None,
    )
    if can_skip(column, chunk, Filter(operator, tuple(struct.pack(code, literal) for literal in literals))):
        assert not any(meets(name, value, operator, literals) for value in rows)
