"""ULEB128 and zigzag: values, the three ways to be wrong, whole buffers."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parquetext import kernels, wire
from parquetext._pure import varint as pure
from parquetext.errors import Malformed, ParquetextError

KNOWN = [
    (0, "00"),
    (1, "01"),
    (127, "7f"),
    (128, "8001"),
    (300, "ac02"),
    (16383, "ff7f"),
    (16384, "808001"),
    (2**21 - 1, "ffff7f"),
    (2**21, "80808001"),
    (2**32 - 1, "ffffffff0f"),
    (2**63, "80808080808080808001"),
    (2**64 - 1, "ffffffffffffffffff01"),
]
UNSIGNED = st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda bit: 1 << bit)
SIGNED = st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200)

pytestmark = pytest.mark.usefixtures("implementation")


@pytest.mark.parametrize(("value", "form"), KNOWN)
def test_known_forms(value, form):
    form = bytes.fromhex(form)
    assert kernels.varint.encode(value) == form
    assert kernels.varint.size(value) == len(form)
    assert kernels.varint.decode64(b"\xff" + form + b"\xff", 1) == (value, 1 + len(form))
    if value < 2**32:
        assert kernels.varint.decode32(b"\xff" + form + b"\xff", 1) == (value, 1 + len(form))


@pytest.mark.parametrize(
    ("n", "mapped"), [(0, 0), (-1, 1), (1, 2), (-2, 3), (2**63 - 1, 2**64 - 2), (-(2**63), 2**64 - 1)]
)
def test_zigzag_keeps_small_numbers_small(n, mapped):
    assert kernels.varint.zigzag_encode(n) == mapped
    assert kernels.varint.zigzag_decode(mapped) == n


@pytest.mark.parametrize("longest", [5, 10])
def test_a_longer_form_than_needed_is_accepted(longest):
    decode = kernels.varint.decode32 if longest == 5 else kernels.varint.decode64
    for length in range(1, longest):
        assert decode(b"\x83" + b"\x80" * (length - 1) + b"\x00") == (3, length + 1)


def failure(decode, data, at):
    with pytest.raises(Malformed) as caught:
        decode(data, at)
    error = caught.value
    return error.code, error.offset, error.expected, error.found


@pytest.mark.parametrize("length", range(10))
def test_an_input_that_ends_inside_is_truncated(length):
    data = b"\x01\x01" + b"\x80" * length
    assert failure(kernels.varint.decode64, data, 2) == (wire.TRUNCATED, 2, length + 1, length)
    if length < 5:
        assert failure(kernels.varint.decode32, data, 2) == (wire.TRUNCATED, 2, length + 1, length)


def test_an_offset_after_the_input_is_truncated():
    assert failure(kernels.varint.decode32, b"", 0) == (wire.TRUNCATED, 0, 1, 0)
    assert failure(kernels.varint.decode64, b"abc", 2**40) == (wire.TRUNCATED, 2**40, 1, 0)


@pytest.mark.parametrize("behind", [b"", b"\x01", bytes(20)])
def test_five_or_ten_bytes_are_the_most(behind):
    assert failure(kernels.varint.decode32, b"\x00" + b"\x80" * 5 + behind, 1) == (wire.VARINT_TOO_LONG, 1, 5, 0)
    assert failure(kernels.varint.decode64, b"\x00" + b"\xff" * 10 + behind, 1) == (wire.VARINT_TOO_LONG, 1, 10, 0)


def test_bits_that_do_not_fit_are_an_error():
    assert kernels.varint.decode32(b"\xff\xff\xff\xff\x0f") == (2**32 - 1, 5)
    assert failure(kernels.varint.decode32, b"\x80\x80\x80\x80\x10", 0) == (wire.VARINT_OVERFLOW, 0, 32, 0x10)
    assert kernels.varint.decode64(b"\x80\x80\x80\x80\x10") == (2**32, 5)
    assert failure(kernels.varint.decode64, b"\x80" * 9 + b"\x02", 0) == (wire.VARINT_OVERFLOW, 0, 64, 2)


@pytest.mark.parametrize(
    ("bits", "zigzag", "format"), [(64, False, "Q"), (64, True, "q"), (32, False, "I"), (32, True, "i")]
)
def test_many_values_come_as_one_array(bits, zigzag, format):
    largest = 2 ** (bits - zigzag) - 1
    values = [0, 1, 300, largest, *([-1, -largest - 1] if zigzag else [])]
    data = b"##" + kernels.varint.encode_many(values, zigzag=zigzag)
    decoded, end = kernels.varint.decode_many(data + b"#", len(values), at=2, bits=bits, zigzag=zigzag)
    assert (decoded.format, decoded.tolist(), end) == (format, values, len(data))


def test_no_values_are_an_empty_array():
    decoded, end = kernels.varint.decode_many(b"", 0)
    assert (decoded.format, len(decoded), end) == ("Q", 0, 0)
    assert kernels.varint.encode_many([]) == b""


def test_the_offset_of_an_error_among_many_is_that_of_its_value():
    many = kernels.varint.decode_many
    assert failure(lambda data, at: many(data, 3, at=at), b"#\x01\x80\x02\x80", 1) == (wire.TRUNCATED, 4, 2, 1)
    assert failure(lambda data, at: many(data, 2, bits=32), b"\x01" + b"\x80" * 4 + b"\x10", 0) == (
        wire.VARINT_OVERFLOW,
        1,
        32,
        0x10,
    )


def test_a_count_is_checked_against_the_bytes_left():
    many = kernels.varint.decode_many
    assert failure(lambda data, at: many(data, 2**60, at=at), b"####", 1) == (wire.COUNT_TOO_LARGE, 1, 2**60, 3)


def test_arguments_out_of_range_are_errors():
    for call in (
        lambda: kernels.varint.encode(-1),
        lambda: kernels.varint.encode(2**64),
        lambda: kernels.varint.size(2**64),
        lambda: kernels.varint.zigzag_encode(2**63),
        lambda: kernels.varint.zigzag_decode(-1),
        lambda: kernels.varint.decode64(b"abc", -1),
        lambda: kernels.varint.encode_many([-1]),
        lambda: kernels.varint.encode_many([2**63], zigzag=True),
    ):
        with pytest.raises(OverflowError):
            call()
    with pytest.raises(ParquetextError) as caught:
        kernels.varint.decode_many(b"\x01", 1, bits=16)
    assert caught.value.code == wire.BAD_ARGUMENT


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: array("b", data)])
def test_any_bytes_like_object_will_do(kind):
    assert kernels.varint.decode64(kind(b"\xac\x02")) == (300, 2)
    assert kernels.varint.decode_many(kind(b"\xac\x02"), 1)[0].tolist() == [300]
    assert kernels.varint.encode_many(memoryview(array("Q", [300]))) == b"\xac\x02"


@pytest.mark.parametrize("zigzag", [False, True])
def test_decoding_undoes_encoding(zigzag):
    @given(st.lists(SIGNED if zigzag else UNSIGNED))
    def check(values):
        data = kernels.varint.encode_many(values, zigzag=zigzag)
        decoded, end = kernels.varint.decode_many(data, len(values), zigzag=zigzag)
        assert decoded.tolist() == values
        assert (
            end
            == len(data)
            == sum(kernels.varint.size(kernels.varint.zigzag_encode(value) if zigzag else value) for value in values)
        )

    check()


def outcome(call, *arguments, **options):
    """Return a call's values, or the attributes of its error."""
    try:
        result = call(*arguments, **options)
    except ParquetextError as error:
        return type(error), error.code, error.offset, error.expected, error.found, str(error)
    return tuple(part.tolist() if isinstance(part, memoryview) else part for part in result)


def test_both_implementations_agree_on_any_bytes():
    long_runs = st.lists(st.sampled_from([0x80, 0xFF, 0x81, 0x01, 0x0F, 0x10, 0x7F]), max_size=24).map(bytes)

    @given(st.binary(max_size=40) | long_runs, st.integers(0, 12), st.integers(0, 12))
    @example(b"\xff" * 10, 0, 1)
    def check(data, at, count):
        for name in ("decode32", "decode64"):
            assert outcome(getattr(kernels.varint, name), data, at) == outcome(getattr(pure, name), data, at)
        for bits in (32, 64):
            for zigzag in (False, True):
                options = {"at": at, "bits": bits, "zigzag": zigzag}
                assert outcome(kernels.varint.decode_many, data, count, **options) == outcome(
                    pure.decode_many, data, count, **options
                )

    check()
