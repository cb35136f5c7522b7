"""The reference to blocks aside: parsed equally by both implementations, and wrong ones are rejected."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.flat_files import with_flat_footer
from support.parquet_bytes import parquet_bytes
from support.twins import both, outcome
from support.varints import varint

from parquetext import wire
from parquetext.errors import Damaged, Unsupported

FLAT = wire.UUID_FLAT_FOOTER.bytes
FOOTER = 5124
VECTOR = (
    "AQAAAAEAAADoAwAAAAAAAMgAAAAEAwIB1qvq1YfEQ3yHbGaudH4Wf+gDAAAAAAAAABAAAA0MCwoAAAAAAACDU668PgAAAI5QsDEUpEQims1BW5Ia"
    "0517BmTy"
)


def reference(
    *,
    version=1,
    zero=0,
    start=1000,
    length=200,
    crc=0x01020304,
    blocks=((FLAT, 1000, 4096, 0x0A0B0C0D),),
    count=None,
    copy=b"",
    copied=None,
    behind=b"",
) -> bytes:
    head = struct.pack("<HHIQII", version, zero, len(blocks) if count is None else count, start, length, crc)
    entries = b"".join(struct.pack("<16sQII", *block) for block in blocks)
    return head + entries + struct.pack("<I", len(copy) if copied is None else copied) + copy + behind


@pytest.fixture(params=["native", "pure"])
def parse(request):
    return both("reference")[request.param == "pure"].parse


def test_the_vector_of_the_page_is_read(parse):
    block = base64.b64decode(VECTOR)
    assert len(block) == 90
    found = parse(block[:62], FOOTER)
    assert found[:3] == (1000, 200, 0x01020304)
    assert [tuple(one) for one in found.blocks] == [(FLAT, 1000, 4096, 0x0A0B0C0D)]
    assert found.tail_block == b""


def test_several_blocks_follow_each_other_from_a_multiple_of_8_to_the_footer(parse):
    blocks = ((FLAT, 1000, 500, 1), (bytes(16), 1528, 40, 2))
    found = parse(reference(start=993, blocks=blocks, copy=b"the end", behind=b"later"), 1528 + 68)
    assert [tuple(one) for one in found.blocks] == list(blocks) and found.tail_block == b"the end"


@pytest.mark.parametrize(
    ("payload", "footer", "at"),
    [
        (b"", FOOTER, 0),
        (reference()[:59], FOOTER, 0),
        (reference(zero=1), FOOTER, 2),
        (reference(count=0), FOOTER, 4),
        (reference(count=2), FOOTER, 4),
        (reference(count=2**32 - 1), FOOTER, 4),
        (reference(start=FOOTER + 1), FOOTER, 8),
        (reference(length=0), FOOTER, 16),
        (reference(start=992), FOOTER, 40),
        (reference(start=1001), FOOTER, 40),
        (reference(), FOOTER + 1, 48),
        (reference(), FOOTER - 1, 48),
        (reference(), 1020, 48),
        (reference(blocks=((FLAT, 1000, 4095, 0),)), FOOTER, 48),
        (reference(blocks=((FLAT, 1000, 100, 0), (FLAT, 1129, 3967, 0))), FOOTER, 72),
        (reference(blocks=((FLAT, 1000, 5000, 0), (FLAT, 6028, 1, 0))), FOOTER, 48),
        (reference(copied=1), FOOTER, 56),
        (reference(copy=bytes(4097)), FOOTER, 56),
    ],
)
def test_contradictions_are_damage_with_its_offset(parse, payload, footer, at):
    with pytest.raises(Damaged) as raised:
        parse(payload, footer)
    assert (raised.value.code, raised.value.offset) == (wire.REFERENCE, at)


def test_another_version_is_not_read(parse):
    with pytest.raises(Unsupported) as raised:
        parse(reference(version=2), FOOTER)
    assert (raised.value.expected, raised.value.found) == (1, 2)


SOUND = st.sampled_from(
    [reference(), reference(copy=b"abc"), reference(start=993, blocks=((FLAT, 1000, 500, 1), (bytes(16), 1528, 40, 2)))]
)


@given(SOUND | st.binary(max_size=200), st.integers(0, 200), st.binary(max_size=9), st.sampled_from([FOOTER, 1596, 0]))
def test_both_implementations_give_the_same_result(payload, at, patch, footer):
    native, pure = both("reference")
    changed = payload[:at] + patch + payload[at + len(patch) :]
    first, second = (outcome(one.parse, changed, footer) for one in (native, pure))
    assert first == second


# ---- the block that a file is opened by


CONTENT = with_flat_footer(parquet_bytes(), "aside")


def text_of(data: bytes) -> tuple[int, int]:
    """Return the offset of the reference in a file as text."""
    end = len(data) - 9
    length = struct.unpack_from("<I", base64.b64decode(data[end - 40 : end]), 6)[0]
    return end - (length + 28) // 3 * 4, end


def resealed(payload: bytes, data: bytes = CONTENT) -> bytes:
    """The file with another payload of its reference, as text, with checksums that hold."""
    start, _ = text_of(data)
    payload += bytes(-(len(payload) + 28) % 3)
    size = struct.pack("<I", len(payload))
    trailer = struct.pack("<I", zlib.crc32(payload)) + size + struct.pack("<I", zlib.crc32(size))
    text = base64.b64encode(payload + trailer + wire.UUID_FOOTER_REFERENCE.bytes)
    front = data[:start].rindex(b"\x08\xff\xff\x01") + 4
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    body = data[:front] + varint(len(text)) + text + b"\0"
    return body + (len(body) - footer).to_bytes(4, "little") + b"PAR1"


def payload_of(data: bytes) -> bytes:
    start, end = text_of(data)
    return base64.b64decode(data[start:end])[:-28]


@pytest.fixture(params=["native", "pure"])
def own_block(request):
    return both("local")[request.param == "pure"].own_block


def test_the_block_aside_is_found_with_the_end_of_its_payload(own_block):
    footer = len(CONTENT) - 8 - int.from_bytes(CONTENT[-8:-4], "little")
    kind, at, thrift_length, payload, length, known, end = own_block(CONTENT[-2000:], len(CONTENT))
    assert (kind, at, payload % 8, payload + length + 28) == (wire.UUID_FLAT_FOOTER.bytes, footer, 0, footer)
    assert CONTENT[footer + thrift_length :][:4] == b"\x08\xff\xff\x01"
    assert end == payload + length and CONTENT[end - len(known) : end] == known


def test_a_tail_that_contains_the_whole_payload_is_kept(own_block):
    *_, known, end = own_block(CONTENT, len(CONTENT))
    assert (known, end) == (CONTENT, len(CONTENT))


def test_a_tail_without_the_marker_shows_no_block(own_block):
    start, _ = text_of(CONTENT)
    marker = CONTENT[:start].rindex(b"\x08\xff\xff\x01")
    assert own_block(CONTENT[marker:], len(CONTENT)) is not None
    assert own_block(CONTENT[marker + 1 :], len(CONTENT)) is None


def test_a_reference_to_a_moved_or_resized_footer_is_damaged(own_block):
    payload = payload_of(CONTENT)
    assert own_block(resealed(payload), len(CONTENT)) is not None
    length = 8 + int.from_bytes(CONTENT[-8:-4], "little")
    moved = CONTENT[:-length] + bytes(8) + CONTENT[-length:]
    assert own_block(moved, len(moved)) is None
    for change in (-1, 1):
        struct_length = int.from_bytes(payload[16:20], "little") + change
        data = resealed(payload[:16] + struct_length.to_bytes(4, "little") + payload[20:])
        assert own_block(data, len(data)) is None


@given(st.integers(0, 10_000), st.integers(1, 255), st.integers(40, len(CONTENT)))
def test_both_find_the_same_in_any_damaged_tail(at, mask, held):
    native, pure = both("local")
    data = bytearray(CONTENT)
    data[-1 - at % 3000] ^= mask
    tail = bytes(data[-held:])
    found = native.own_block(tail, len(data))
    assert found == pure.own_block(tail, len(data))
    assert found is None or 0 <= found[3] <= found[3] + found[4] <= len(data)


@given(st.integers(0, 200), st.binary(max_size=9))
def test_both_find_the_same_by_any_sealed_reference(at, patch):
    native, pure = both("local")
    payload = payload_of(CONTENT)
    data = resealed(payload[:at] + patch + payload[at + len(patch) :])
    assert native.own_block(data, len(data)) == pure.own_block(data, len(data))
