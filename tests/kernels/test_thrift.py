"""The Thrift compact kernel: skip, walk, find, follow a path; hostile bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import compact
from support.compact import BINARY, BYTE, DOUBLE, FALSE, I16, I32, I64, LIST, MAP, SET, STRUCT, TRUE, UUID
from support.samples import examples
from support.twins import both, outcome
from support.varints import varint

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError

pytestmark = pytest.mark.usefixtures("implementation")
LIMITS = settings(max_examples=examples(300), deadline=None)


def error(call, *arguments, **options) -> ParquetextError:
    with pytest.raises(ParquetextError) as caught:
        call(*arguments, **options)
    return caught.value


@pytest.mark.parametrize(
    ("type", "content", "length"),
    [
        (TRUE, None, 0),
        (FALSE, None, 0),
        (BYTE, -1, 1),
        (I16, 300, 2),
        (I32, -70000, 3),
        (I64, 1 << 61, 9),
        (DOUBLE, 1.5, 8),
        (BINARY, b"abc", 4),
        (UUID, bytes(16), 16),
        (STRUCT, [(1, I32, 5, False)], 3),
        (LIST, (I32, [1, 2, 3]), 4),
        (SET, (BINARY, [b"", b"x"]), 4),
        (LIST, (BYTE, list(range(20))), 22),
        (MAP, (BINARY, I32, [(b"k", 1), (b"l", 2)]), 8),
        (MAP, (BINARY, I32, []), 1),
        (LIST, (STRUCT, [[], []]), 3),
        (LIST, (LIST, [(I32, [1]), (I32, [])]), 4),
        (LIST, (MAP, [(I32, MAP, [(1, (BYTE, BYTE, []))])]), 5),
    ],
)
def test_every_type_is_skipped_to_its_end(type, content, length):
    data = b"\xaa" + compact.value(type, content)
    assert len(data) == 1 + length
    assert kernels.thrift.skip(data + b"\xbb\xbb", 1, type) == 1 + length


@pytest.mark.parametrize("element", [TRUE, FALSE])
def test_a_boolean_takes_no_byte_in_a_field_and_one_in_a_list(element):
    data = bytes([0x10 | element, 0x19, 0x30 | element, 0, 1, 2, 0])
    assert kernels.thrift.fields(data) == [(1, element, 0, 1, 1), (2, LIST, 1, 2, 6)]
    assert kernels.thrift.path(data, [2, 1]) == (element, 4, 5)
    assert kernels.thrift.path(data, [1]) == (element, 1, 1)


def test_ids_go_up_by_the_short_form_and_anywhere_by_the_long_form():
    content = [
        (15, TRUE, None, False),
        (16, FALSE, None, False),
        (300, I32, 7, False),
        (2, BYTE, 1, False),
        (-5, I64, 1, False),
        (-32768, BYTE, 1, True),
        (32767, BYTE, 1, False),
    ]
    data = compact.fields(content)
    assert [(id, type) for id, type, *_ in kernels.thrift.fields(data)] == [field[:2] for field in content]
    assert kernels.thrift.find(data, 300) == (300, I32, 2, 5, 6)
    assert kernels.thrift.find(data, 3) is None


def test_the_last_field_of_an_id_counts():
    data = compact.fields([(1, I32, 1, False), (1, I32, 2, True)])
    assert kernels.thrift.find(data, 1) == (1, I32, 2, 4, 5)


def test_longer_varints_than_needed_are_legal():
    data = b"\x18" + varint(2, padding=3) + b"ab" + b"\x09" + varint(4, padding=1) + b"\x13\x07\x00"
    assert kernels.thrift.fields(data) == [(1, BINARY, 0, 1, 7), (2, LIST, 7, 10, 12)]


def test_a_path_passes_through_structs_lists_and_maps():
    inner = [(3, MAP, (BINARY, STRUCT, [(b"a", []), (b"b", [(7, DOUBLE, 2.5, False)])]), False)]
    data = compact.fields([(1, I32, 9, False), (4, LIST, (STRUCT, [[], inner]), False)])
    path = kernels.thrift.path
    kind, start, end = path(data, [4, 1, 3, 3, 7])
    assert (kind, data[start:end]) == (DOUBLE, compact.value(DOUBLE, 2.5))
    kind, start, end = path(data, [4, 1, 3, 2])
    assert (kind, data[start:end]) == (BINARY, b"\x01b")
    assert path(data, []) == (STRUCT, 0, len(data))
    for steps in ([5], [4, 2], [4, -1], [4, 0, 3], [4, 1, 3, 4], [1, 0], [4, 1, 3, 3, 7, 1]):
        assert path(data, steps) is None


@pytest.mark.parametrize(
    ("data", "code", "offset", "expected", "found"),
    [
        ("", "TRUNCATED", 0, 1, 0),
        ("15", "TRUNCATED", 1, 1, 0),
        ("1502", "TRUNCATED", 2, 1, 0),
        ("17 0000", "TRUNCATED", 1, 8, 2),
        ("1d 00", "TRUNCATED", 1, 16, 1),
        ("18 05 6162", "TRUNCATED", 1, 5, 2),
        ("18 ffffffff0f", "TRUNCATED", 1, 0xFFFFFFFF, 0),
        ("15 808080808000", "VARINT_TOO_LONG", 1, 5, 0),
        ("15 ffffffff7f00", "VARINT_OVERFLOW", 1, 32, 0x7F),
        ("1e00", "BAD_TYPE", 0, 0, 14),
        ("10", "BAD_TYPE", 0, 0, 0),
        ("05 ffff0702 00", "FIELD_ID", 0, 0, 0),
        ("01 feff03 11 00", "FIELD_ID", 4, 0, 0),
        ("19 f5 ffffffff0f", "COUNT_TOO_LARGE", 1, 0xFFFFFFFF, 0),
        ("19 3c 0000", "COUNT_TOO_LARGE", 1, 3, 2),
        ("19 1e 00 00", "BAD_TYPE", 1, 0, 14),
        ("1b 02 55 000000", "COUNT_TOO_LARGE", 1, 2, 3),
        ("1b 01 5f 0000", "BAD_TYPE", 1, 0, 15),
        ("1b 01 e5 0000", "BAD_TYPE", 1, 0, 14),
    ],
)
def test_an_error_has_a_message_and_an_offset(data, code, offset, expected, found):
    caught = error(kernels.thrift.struct_end, bytes.fromhex(data))
    assert isinstance(caught, Malformed)
    assert (caught.code, caught.offset, caught.expected, caught.found) == (getattr(wire, code), offset, expected, found)


def test_an_empty_list_may_name_any_type():
    assert kernels.thrift.struct_end(bytes.fromhex("19 0f 00")) == 3


def nested(levels: int) -> bytes:
    """A struct in a struct …, `levels` of them."""
    return b"\x1c" * (levels - 1) + b"\x00" * levels


def test_depth_is_bounded():
    assert kernels.thrift.struct_end(nested(64)) == 127
    caught = error(kernels.thrift.struct_end, nested(65))
    assert (caught.code, caught.offset, caught.expected) == (wire.TOO_DEEP, 64, 64)
    assert kernels.thrift.struct_end(nested(3), max_depth=3) == 5
    for call in (kernels.thrift.struct_end, kernels.thrift.fields):
        caught = error(call, nested(4), max_depth=3)
        assert (caught.code, caught.offset, caught.expected) == (wire.TOO_DEEP, 3, 3)
    assert error(kernels.thrift.find, b"\x00", 1, max_depth=0).code == wire.TOO_DEEP
    assert kernels.thrift.skip(b"\x02", 0, I32, max_depth=0) == 1
    for limit in (-1, 65):
        assert error(kernels.thrift.struct_end, b"\x00", max_depth=limit).code == wire.BAD_ARGUMENT


def test_a_million_levels_of_lists_are_no_recursion():
    assert error(kernels.thrift.struct_end, b"\x19" + b"\x19" * 1_000_000).code == wire.TOO_DEEP


def test_an_offset_after_the_bytes_is_an_error():
    assert error(kernels.thrift.struct_end, b"\x00", 2).offset == 2
    with pytest.raises(OverflowError):
        kernels.thrift.struct_end(b"\x00", -1)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_bytes_like_object_will_do(kind):
    assert kernels.thrift.struct_end(kind(b"\x15\x02\x00")) == 3


@LIMITS
@given(st.data())
def test_valid_structs_are_walked_and_every_value_is_found(data):
    content = data.draw(compact.structs())
    encoded = compact.fields(content)
    for module in both("thrift"):
        fields = module.fields(encoded + b"rest")
        assert [(id, type) for id, type, *_ in fields] == [field[:2] for field in content]
        assert module.struct_end(encoded) == len(encoded)
        for (_, type, inner, _), (_, _, _, start, end) in zip(content, fields, strict=True):
            assert encoded[start:end] == compact.value(type, inner)


@LIMITS
@given(compact.any_bytes(), st.integers(0, 66), st.integers(0, 3), st.lists(st.integers(-1, 20), max_size=4))
def test_both_implementations_agree_on_any_bytes(data, depth, at, steps):
    native, pure = both("thrift")
    calls = {
        "struct_end": (at, depth),
        "fields": (at, depth),
        "path": (steps, at, depth),
        "find": (steps[0] if steps else 1, at, depth),
        "skip": (at, depth % 16, 64 - depth // 2),
    }
    for name, arguments in calls.items():
        assert outcome(getattr(native, name), data, *arguments) == outcome(getattr(pure, name), data, *arguments)


def raw_varint(length: int, last: int = 1) -> bytes:
    """Return a varint of any length, also one that no 64-bit value has."""
    return b"\x80" * (length - 1) + bytes([last])


@LIMITS
@given(
    st.sampled_from([I16, I32, I64]),
    st.lists(st.integers(1, 11), min_size=1, max_size=40),
    st.integers(0, 30),
    st.sampled_from([0, 1, 0x7F, 0x80]),
)
def test_lists_of_varints_of_any_lengths_end_or_fail_at_the_same_byte(type, lengths, cut, last):
    items = [raw_varint(length) for length in lengths]
    data = bytes([0xF0 | type]) + varint(len(items)) + b"".join(items)[:-1] + bytes([last])
    native, pure = (outcome(module.skip, data[: len(data) - cut], 0, LIST) for module in both("thrift"))
    assert native == pure
    if not cut and last < 0x80 and max(lengths) <= (9 if type == I64 else 4):
        assert native == ("result", len(data))


# ---- limits of sizes


NESTED = compact.fields(
    [
        (1, BINARY, b"four", False),
        (2, LIST, (STRUCT, [[(1, SET, (I32, [1, 2, 3]), False)], []]), False),
        (3, MAP, (BINARY, BINARY, [(b"k", b"123456"), (b"l", b"")]), False),
    ]
)


def test_sizes_within_the_limits_are_no_error():
    kernels.thrift.check_sizes(NESTED)
    kernels.thrift.check_sizes(NESTED + b"more", 6, 3)
    kernels.thrift.check_sizes(memoryview(NESTED), most_items=3)


@pytest.mark.parametrize(
    "limits, code, expected, found, value",
    [
        ((5, None), wire.TOO_LARGE, 5, 6, b"\x06123456"),
        ((3, 9), wire.TOO_LARGE, 3, 4, b"\x04four"),
        ((None, 2), wire.TOO_MANY, 2, 3, b"\x35\x02\x04\x06"),
        ((9, 1), wire.TOO_MANY, 1, 2, b"\x2c\x1a"),
        ((0, 9), wire.TOO_LARGE, 0, 4, b"\x04four"),
        ((None, 0), wire.TOO_MANY, 0, 2, b"\x2c\x1a"),
    ],
)
def test_lengths_beyond_a_limit_are_an_error_at_the_length(limits, code, expected, found, value):
    caught = error(kernels.thrift.check_sizes, NESTED, *limits)
    assert (caught.code, caught.expected, caught.found, caught.offset) == (code, expected, found, NESTED.index(value))


@LIMITS
@given(compact.any_bytes(), st.none() | st.integers(0, 9), st.none() | st.integers(0, 3))
def test_both_implementations_agree_on_the_sizes_of_any_bytes(data, most_bytes, most_items):
    native, pure = (outcome(kernel.check_sizes, data, most_bytes, most_items) for kernel in both("thrift"))
    assert native == pure
    if most_bytes is most_items is None:
        walked = outcome(kernels.thrift.struct_end, data)
        assert native[0] == walked[0] and (native[0] == "result" or native == walked)
