"""Bounds in the arrow dialect: a bound that passes through their slots still holds, or is omitted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import examples

from parquetext.errors import Damaged
from parquetext.footer.dialect.packed_bounds import Column, Packed, pack, unpack

INT32, INT64, BYTE_ARRAY, FIXED = 1, 2, 6, 7
BYTES, TEXT = Column(BYTE_ARRAY), Column(BYTE_ARRAY, None, "STRING")
NUMBER = Column(BYTE_ARRAY, None, "DECIMAL")


def both(column: Column, least: bytes, most: bytes, exact=(True, True)):
    """Both bounds after packing and unpacking."""
    packed = pack(column, least, most, exact)
    if packed is None:
        return None
    low, high, prefix = packed
    prefix.decode()
    return tuple(unpack(column, side, prefix, upper=side is high, coded=True, at=0) for side in (low, high))


@pytest.mark.parametrize(
    ("column", "least", "most", "expected"),
    [
        (Column(INT32), b"\1\0\0\0", b"\2\0\0\0", (b"\1\0\0\0", b"\2\0\0\0")),
        (Column(INT64), b"\xff" * 8, b"\1" * 8, (b"\xff" * 8, b"\1" * 8)),
        (Column(INT32), b"\1\0\0", b"\2\0\0\0", None),  # no INT32
        (Column(0), b"\0", b"\1", None),  # booleans have no slot
        (TEXT, b"apple", b"apply", (b"apple", b"apply")),
        (TEXT, b"", b"b", (b"", b"b")),
        (TEXT, b"apple", b"application", (b"apple", b"applicau")),  # the longer one is cut, and one more
        (TEXT, b"ab zebra", b"b", (b"ab y", b"b")),  # cut, and one less
        (BYTES, b"\0\0\0\0\1", b"b", None),  # there is nothing less
        (BYTES, b"a", b"\xff\xff\xff\xff\0", None),  # there is nothing more
        (TEXT, "x\u00fc\u00fc\u00fc".encode(), b"z", None),  # truncated bytes are not valid text
        (
            TEXT,
            "\u00e9".encode(),
            "\u00e8z".encode(),
            ("\u00e9".encode(), "\u00e8z".encode()),
        ),  # the prefix would be none
        (BYTES, b"\xff\xfe\1", b"\xff\xfe\2", (b"\xff\xfe\1", b"\xff\xfe\2")),
        (BYTES, b"\xff\xfe\xfd\xfc\1", b"\xff\xfe\xfd\xfc\2", (b"\xff\xfe\xfd\xfb", b"\xff\xfe\xfd\xfd")),
        (NUMBER, b"\1\2\3\4", b"\1\2\3\5", (b"\1\2\3\4", b"\1\2\3\5")),
        (NUMBER, b"\1\2\3\4\5", b"\2\2\3\5\6", None),  # a number is not cut
        (Column(BYTE_ARRAY, None, "GEOMETRY"), b"\1\2\3\4\5", b"\2\2\3\5\6", None),
        (Column(FIXED, 16), b"\x80" + b"\1" * 15, b"\x7f" * 16, (b"\x80" + b"\1" * 15, b"\x7f" * 16)),
        (Column(FIXED, 5), b"abcd\1", b"bbcd\1", None),
        (Column(FIXED, 2, "FLOAT16"), b"\0\xbc", b"\0\x3c", (b"\0\xbc", b"\0\x3c")),
        (Column(FIXED, 5), b"abcd", b"bbcd", None),  # not of the type's length
    ],
)
def test_bounds_come_back_as_they_were_or_as_bounds_that_hold_or_are_left_out(column, least, most, expected):
    assert both(column, least, most) == expected


def test_bounds_that_are_not_said_to_be_exact_never_come_back_so():
    for column, least, most in (
        (Column(INT32), b"\1\0\0\0", b"\2\0\0\0"),
        (TEXT, b"apple", b"apply"),
        (TEXT, b"same", b"same"),
        (Column(FIXED, 2), b"ab", b"ab"),
    ):
        low, high, _ = pack(column, least, most, (False, False))
        assert low.len < 0 and high.len < 0
    assert pack(TEXT, b"", b"b", (False, True)) is None  # a length of nothing has no sign
    assert pack(Column(FIXED, 16), b"a" * 16, b"b" * 16, (False, False)) is None


@settings(max_examples=examples(300), deadline=None)
@given(st.binary(max_size=12), st.binary(max_size=12), st.booleans())
def test_packed_bounds_of_any_bytes_hold(one, other, exact):
    least, most = sorted((one, other))
    found = both(BYTES, least, most, (exact, exact))
    if found is not None:
        low, high = found
        assert low is None or low <= least
        assert high is None or high >= most


@pytest.mark.parametrize(
    ("column", "packed", "prefix", "upper", "why"),
    [
        (TEXT, Packed(0xFFFF_FFFF, 0, 0, -4), b"a", True, "one writer leaves it as it is instead of one more"),
        (TEXT, Packed(0x6162_6364, 0, 0, 4), "a\ufffd".encode(), False, "one writer replaces bytes that are not UTF-8"),
        (NUMBER, Packed(0x6162_6364, 0, 0, -4), b"a", False, "perhaps cut off, and numbers are not ordered by that"),
        (Column(FIXED, 9), Packed(0x6162_6364, 0, 0, -4), b"a", False, "not of the type's length"),
        (Column(INT32), Packed(7, 0, 0, 0), b"", False, "a length of zero means no value"),
        (TEXT, Packed(), b"a", False, "no length, no bound"),
    ],
)
def test_bounds_that_may_be_wrong_are_not_used(column, packed, prefix, upper, why):
    assert unpack(column, packed, prefix, upper=upper, coded=True, at=0) is None, why


@pytest.mark.parametrize(("column", "length"), [(Column(INT32), 8), (Column(INT64), 4), (TEXT, 5), (TEXT, -127)])
def test_a_length_that_no_value_has_is_damage(column, length):
    with pytest.raises(Damaged):
        unpack(column, Packed(1, 2, 3, length), b"", upper=False, coded=True, at=0)


@pytest.mark.parametrize(
    ("packed", "expected"),
    [
        (Packed(0x6100_0000, 0, 0, 1), b"a"),  # as the public code has it
        (Packed(0, 0, int.from_bytes(b"a\0\0\0\0\0\0\0"), 1), b"a"),  # sixteen bytes, padded
        (Packed(0, int.from_bytes(b"ij\0\0\0\0\0\0"), int.from_bytes(b"abcdefgh"), 10), b"abcdefghij"),
        (Packed(0, int.from_bytes(b"ijklmnop"), int.from_bytes(b"abcdefgh"), -16), b"abcdefghijklmnop"),
        (Packed(0, int.from_bytes(b"a"), 0, 1), b"a"),  # as the schema's example has it
        (Packed(0, int.from_bytes(b"a\0\0\0\0\0\0b"), 0, 8), b"a\0\0\0\0\0\0b"),
        (Packed(0, int.from_bytes(b"ijkl\0\0\0\0"), int.from_bytes(b"abcd\0\0\0\0"), 12), None),  # which comes first?
        (Packed(1, 1, 0, 4), None),
        (Packed(0, 1, 1, 4), None),
        (Packed(0, 1, 1, 17), None),
        (Packed(0, 0, 0, 3), b"\0\0\0"),
    ],
)
def test_bounds_of_the_later_schemas_are_used_if_they_are_unambiguous(packed, expected):
    assert unpack(BYTES, packed, b"", upper=False, coded=False, at=0) == expected
