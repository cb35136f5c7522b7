"""The extension kernel: forward to the marker, backward over blocks."""

from __future__ import annotations

import re
import uuid
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import compact
from support.samples import examples
from support.twins import both, outcome
from support.varints import varint

from parquetext import kernels, wire
from parquetext.errors import ParquetextError

pytestmark = pytest.mark.usefixtures("implementation")
LIMITS = settings(max_examples=examples(300), deadline=None)
SPEC, THRIFT = bytes.fromhex("08ffff01"), bytes.fromhex("08feff03")
KIND = bytes(range(16))


def extension(payload: bytes, marker: bytes = SPEC) -> bytes:
    return marker + varint(len(payload)) + payload


def block(payload: bytes, kind: bytes = KIND) -> bytes:
    size = len(payload).to_bytes(4, "little")
    return payload + zlib.crc32(payload).to_bytes(4, "little") + size + zlib.crc32(size).to_bytes(4, "little") + kind


def error(data: bytes, **options) -> ParquetextError:
    with pytest.raises(ParquetextError) as caught:
        kernels.extension.find(data, **options)
    return caught.value


@pytest.mark.parametrize(("marker", "number"), [(SPEC, 1), (THRIFT, 2)])
def test_an_extension_is_found_in_the_struct(marker, number):
    position = kernels.extension.find(b"\x15\x02" + extension(b"hello", marker) + b"\x00" + b"what follows")
    assert position == (number, 0, 13, 2, 7, 5, 1)
    assert position._fields == ("marker", "placement", "struct_end", "header", "payload", "length", "length_bytes")


def test_an_extension_may_be_empty_or_alone():
    assert kernels.extension.find(extension(b"") + b"\x00") == (1, 0, 6, 0, 5, 0, 1)


def test_a_struct_without_one_has_none():
    assert kernels.extension.find(b"\x15\x02\x00") is None
    assert kernels.extension.find(b"\x08\x02\x01a\x00") is None


def test_a_marker_inside_a_value_or_a_nested_struct_is_no_extension():
    assert kernels.extension.find(b"\x18\x05" + extension(b"") + b"\x00") is None
    assert kernels.extension.find(b"\x1c" + extension(b"x") + b"\x00\x00") is None


def test_an_id_that_is_the_markers_in_other_bytes_is_an_ordinary_field():
    assert kernels.extension.find(bytes.fromhex("08 ffff8100 0161 00")) is None


def test_fields_may_precede_and_follow_the_extension():
    data = b"\x15\x02" + extension(b"x") + b"\x05\x04\x02" + b"\x00"
    assert kernels.extension.find(data)[2:6] == (12, 2, 7, 1)


def test_an_extension_after_the_stop_counts_only_in_file_metadata():
    data = b"\x15\x02\x00" + extension(b"hello") + b"\x00"
    assert kernels.extension.find(data) is None
    assert kernels.extension.find(data, file_metadata=True) == (1, 1, 14, 3, 8, 5, 1)


@pytest.mark.parametrize(
    "rest",
    [
        extension(b"hello"),
        extension(b"hello") + b"\x01",
        extension(b"hello") + b"\x00\x00",
        b"\x08\xff\xff\x01",
        b"\x08\xff\xff\x01\x80\x80\x80\x80\x80\x80",
        b"\x08\xff\xff\x01\x05he\x00",
        b"\x09\xff\xff\x01\x00\x00",
    ],
)
def test_only_an_extension_and_a_stop_may_follow_the_stop(rest):
    assert kernels.extension.find(b"\x00" + rest, file_metadata=True) is None


@pytest.mark.parametrize(
    "second", [extension(b"b") + b"\x00", extension(b"b", THRIFT) + b"\x00", b"\x00" + extension(b"b") + b"\x00"]
)
def test_two_extensions_are_malformed_and_both_are_named(second):
    data = b"\x15\x02" + extension(b"a") + second
    caught = error(data, file_metadata=True)
    assert (caught.code, caught.expected) == (wire.TWO_EXTENSIONS, 2)
    assert data[caught.offset : caught.offset + 4] in (SPEC, THRIFT) and caught.offset > 2


def test_a_length_that_is_not_minimal_is_read_and_reported():
    position = kernels.extension.find(SPEC + varint(2, padding=2) + b"ab\x00")
    assert (position.payload, position.length, position.length_bytes) == (7, 2, 3)


@pytest.mark.parametrize(
    ("data", "code", "offset"),
    [
        (SPEC + b"\x05abc", "TRUNCATED", 4),
        (SPEC, "TRUNCATED", 4),
        (SPEC[:3], "TRUNCATED", 1),
        (SPEC + b"\xff\xff\xff\xff\x7f", "VARINT_OVERFLOW", 4),
        (extension(b"x"), "TRUNCATED", 6),
        (b"\x1c" * 70, "TOO_DEEP", 64),
    ],
)
def test_broken_bytes_are_an_error_with_its_offset(data, code, offset):
    caught = error(data)
    assert (caught.code, caught.offset) == (getattr(wire, code), offset)


def test_the_documented_block_is_written_and_read():
    page = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")
    vector = bytes.fromhex(re.search(r"```hex block-hello\n(.*?)\n```", page, re.S)[1])
    assert b"hello" + kernels.extension.trailer(b"hello", KIND) == vector
    assert kernels.extension.block_before(vector, len(vector)) == (KIND, 0, 5, zlib.crc32(b"hello"))
    assert kernels.extension.read_trailer(vector[5:], 28) == (KIND, 5, zlib.crc32(b"hello"))


def test_blocks_are_stepped_over_from_the_back():
    data = b"in front" + block(b"one") + block(b"", uuid.uuid4().bytes) + block(b"three")
    end, payloads = len(data), []
    while found := kernels.extension.block_before(data, end):
        _, end, length, _ = found
        payloads.append(data[end : end + length])
    assert (payloads, end) == ([b"three", b"", b"one"], 8)


def test_a_damaged_payload_is_reported_only_on_request():
    data = bytearray(block(b"hello"))
    data[0] ^= 1
    assert kernels.extension.block_before(data, len(data)) is None
    assert kernels.extension.block_before(data, len(data), check_payload=False)[1:3] == (0, 5)


@pytest.mark.parametrize("at", range(4, 12))
def test_a_damaged_length_is_no_block(at):
    data = bytearray(block(b"hello"))
    data[5 + at] ^= 0x10
    assert kernels.extension.block_before(data, len(data), check_payload=False) is None


def test_a_payload_that_would_begin_before_the_bytes_is_no_block_but_its_trailer_is_read():
    data = block(b"hello")[1:]
    assert kernels.extension.block_before(data, len(data), check_payload=False) is None
    assert kernels.extension.read_trailer(data, len(data))[1] == 5


def test_offsets_and_uuids_are_checked():
    with pytest.raises(IndexError):
        kernels.extension.block_before(b"", 1)
    with pytest.raises(IndexError):
        kernels.extension.read_trailer(b"", 1)
    assert kernels.extension.block_before(b"", 0) is None
    with pytest.raises(ValueError):
        kernels.extension.trailer(b"", b"short")


@LIMITS
@given(st.data())
def test_both_implementations_agree_on_any_bytes(data):
    struct = data.draw(compact.any_bytes())
    position = data.draw(st.integers(0, len(struct)))
    payload = block(data.draw(st.binary(max_size=20)))
    marked = extension(payload, data.draw(st.sampled_from((SPEC, THRIFT))))
    joined = data.draw(
        st.sampled_from(
            (
                struct,
                struct[:-1] + marked + b"\x00",
                struct + marked + b"\x00",
                struct[:position] + marked + struct[position:],
            )
        )
    )
    native, pure = both("extension")
    for file_metadata in (False, True):
        for depth in (64, data.draw(st.integers(0, 66))):
            arguments = joined, file_metadata, depth
            assert outcome(native.find, *arguments) == outcome(pure.find, *arguments)
    end = data.draw(st.integers(0, len(joined)))
    for at in (end, max(len(joined) - 1, 0)):
        for check in (False, True):
            assert native.block_before(joined, at, check) == pure.block_before(joined, at, check)
        assert native.read_trailer(joined, at) == pure.read_trailer(joined, at)
