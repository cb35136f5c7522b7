"""The tail of a file: the position of the footer, the blocks at its end, and files that are not Parquet."""

from __future__ import annotations

import uuid
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import compact
from support.samples import examples

from parquetext import extension, kernels, wire
from parquetext.errors import Damaged, Malformed, ParquetextError, Refused
from parquetext.footer.locate import locate, read_tail

pytestmark = pytest.mark.usefixtures("implementation")
STRUCT_BYTES = compact.fields([(1, compact.I32, 5, False)])
UNKNOWN = uuid.UUID("6d1f7b52-93c4-4e0a-b8f5-2a7c05e9d341")


class Bytes:
    """A source that counts the bytes read."""

    def __init__(self, data: bytes):
        self.data, self.size, self.reads = data, len(data), []

    def read(self, offset: int, length: int) -> bytes:
        assert 0 <= offset <= offset + length <= self.size
        self.reads.append((offset, length))
        return self.data[offset : offset + length]


def file(footer: bytes, magic: bytes = b"PAR1") -> bytes:
    return b"PAR1" + bytes(1000) + footer + len(footer).to_bytes(4, "little") + magic


FLAT_RECORD = wire.UUID_FLAT_FOOTER.bytes + bytes(wire.FLAT_RECORD_BYTES - 16)


def par3(payload: bytes, length: int | None = None, magic: bytes = b"PAR3") -> bytes:
    size = (len(payload) if length is None else length).to_bytes(4, "little")
    crcs = [zlib.crc32(part).to_bytes(4, "little") for part in (payload, size)]
    return b"PAR1" + payload + crcs[0] + size + crcs[1] + magic


def stacked(*blocks: tuple[uuid.UUID, bytes], placement: str = "in-struct", struct: bytes = STRUCT_BYTES) -> bytes:
    for kind, payload in blocks:
        struct = extension.append_block(struct, kind, payload, placement=placement)
    return struct


def test_the_footers_place():
    data = file(STRUCT_BYTES)
    tail = locate(data[-20:], len(data))
    assert (tail.footer_offset, tail.footer_length) == (1004, len(STRUCT_BYTES))
    assert (tail.blocks, tail.findings, tail.missing, tail.extension) == ([], [], None, None)


@pytest.mark.parametrize("given_bytes", [37, 60, 4096])
def test_a_block_is_found_although_its_payload_is_before_the_tail(given_bytes):
    data = file(stacked((wire.UUID_FLAT_FOOTER, b"p" * 5000)))
    tail = locate(data[-given_bytes:], len(data))
    [block] = tail.blocks
    assert block.uuid == wire.UUID_FLAT_FOOTER
    assert data[block.payload : block.payload + block.length] == b"p" * 5000
    assert tail.missing == (tail.footer_offset, block.payload - tail.footer_offset)


def test_only_the_missing_bytes_are_read():
    footer = stacked((wire.UUID_FLAT_FOOTER, b"p" * 50_000), (UNKNOWN, b"q" * 60_000))
    source = Bytes(file(footer))
    tail = read_tail(source, 100)
    assert [block.uuid for block in tail.blocks] == [UNKNOWN, wire.UUID_FLAT_FOOTER]
    assert source.reads[0] == (source.size - 100, 100)
    assert [length for _, length in source.reads[1:]] == [4096, len(STRUCT_BYTES) - 1 + 4 + 3]
    assert tail.extension == tail.footer_offset + len(STRUCT_BYTES) - 1
    assert tail.missing is None


def test_many_small_blocks_take_few_reads_to_step_over():
    count = 5000
    struct = STRUCT_BYTES[:-1]
    block = kernels.extension.trailer(b"", bytes(16))
    content = extension.MARKERS["spec"] + kernels.varint.encode(count * len(block)) + block * count
    source = Bytes(file(struct + content + b"\0"))
    assert len(read_tail(source, 100).blocks) == count
    assert len(source.reads) < 10


def test_blocks_after_the_stop_are_found():
    struct = compact.fields(
        [
            (1, compact.I32, 1, False),
            (2, compact.LIST, (compact.STRUCT, []), False),
            (3, compact.I64, 0, False),
            (4, compact.LIST, (compact.STRUCT, []), False),
        ]
    )
    data = file(stacked((wire.UUID_FLAT_FOOTER, b"payload"), struct=struct, placement="after-stop"))
    tail = locate(data, len(data))
    assert len(tail.blocks) == 1 and tail.extension == tail.footer_offset + len(struct)


def test_an_unknown_kind_is_a_note():
    data = file(stacked((UNKNOWN, b"payload")))
    [finding] = locate(data, len(data)).findings
    assert (finding.kind, finding.is_note) == ("unknown-block", True)
    assert str(UNKNOWN) in finding.message and "7 bytes" in finding.message
    assert data[finding.offset : finding.offset + 7] == b"payload"


def test_free_form_bytes_under_a_block_are_a_finding():
    block = b"p" + kernels.extension.trailer(b"p", wire.UUID_FLAT_FOOTER.bytes)
    struct = extension.append(STRUCT_BYTES, b"f" * 50 + block)
    data = file(struct)
    tail = locate(data, len(data))
    assert [finding.kind for finding in tail.findings] == ["free-form"]
    assert len(tail.blocks) == 1 and tail.extension is None


def test_a_length_that_would_leave_the_footer_is_no_block():
    block = b"p" * 100 + stacked((UNKNOWN, b"p" * 100))[-29:]
    for footer in (block[-60:], block[-29:]):
        assert locate(file(footer), len(file(footer))).blocks == []


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (b"", Malformed, "its size is 0 bytes"),
        (b"PAR1PAR1", Malformed, "its size is 8 bytes, and at least 12 are needed"),
        (b"PAR1" + bytes(30), Malformed, r"its 34 bytes end in .*, not in b'PAR1' \(at offset 30\)"),
        (b"PAR1\x00" + (26).to_bytes(4, "little") + b"PAR1", Malformed, "26 bytes does not fit .* of 13 .*at -21"),
        (b"PAR1\x00" + bytes(4) + b"PAR1", Malformed, "length of 0 bytes"),
        (file(STRUCT_BYTES, b"PARE"), Refused, "encrypted"),
        (file(STRUCT_BYTES, b"PAR3"), Damaged, "the PAR3 footer's length.*checksum.* .at offset 1007"),
        (par3(b"payload", length=1001), Malformed, "PAR3 footer's length of 1001 bytes does not fit.* .at offset 15"),
        (par3(b"x", length=0), Malformed, "length of 0 bytes"),
        (b"PAR1" + bytes(4) + b"PAR3", Malformed, "12 bytes are too few for a PAR3 file"),
        (par3(bytes(100) + FLAT_RECORD, magic=b"PAR1"), Damaged, "magic is b'PAR1'.*end of a PAR3 file .at offset 148"),
    ],
)
def test_files_that_are_not_plain_parquet_are_refused_with_the_reason(data, kind, message):
    with pytest.raises(kind, match=message):
        locate(data, len(data))


def test_the_last_16_bytes_of_a_par3_file_locate_its_footer():
    data = par3(b"payload")
    tail = locate(data[-16:], len(data))
    [block] = tail.blocks
    assert tail.form.is_final and (tail.footer_offset, tail.footer_length) == (block.payload, block.length) == (4, 7)
    assert (block.uuid, block.crc, tail.missing) == (wire.UUID_FLAT_FOOTER, zlib.crc32(b"payload"), None)
    with pytest.raises(Refused, match=r"no Thrift footer; parquetext\.restore brings it back \(at offset 23"):
        tail.thrift_only()
    with pytest.raises(ParquetextError, match="at least the last 16"):
        locate(data[-15:], len(data))


def test_too_few_or_too_many_bytes_given_are_the_callers_error():
    data = file(STRUCT_BYTES)
    for tail in (data[-8:], data + b"x"):
        with pytest.raises(ParquetextError):
            locate(tail, len(data))
    assert locate(data[-9:], len(data)).missing is not None


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from((UNKNOWN, wire.UUID_FLAT_FOOTER)), st.binary(max_size=200)), max_size=4),
    st.integers(9, 700),
)
def test_any_first_read_gives_the_same_tail(blocks, first):
    footer = stacked(*blocks)
    source = Bytes(file(footer))
    whole, stepwise = read_tail(source, source.size), read_tail(source, first)
    assert (whole.blocks, whole.findings, whole.extension) == (stepwise.blocks, stepwise.findings, stepwise.extension)
    found = [(block.uuid, source.data[block.payload : block.payload + block.length]) for block in whole.blocks]
    assert found == blocks[::-1]


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=80), st.integers(0, 200))
def test_any_bytes_give_a_tail_or_an_error(body, length):
    data = body + length.to_bytes(4, "little") + b"PAR1"
    try:
        tail = locate(data, len(data))
    except ParquetextError:
        return
    assert tail.footer_offset >= 4 and tail.footer_offset + tail.footer_length == len(data) - 8
    assert all(tail.footer_offset < block.payload < len(data) for block in tail.blocks)


def test_every_corpus_file_has_a_footer_at_the_expected_position_or_an_error(corpus, expected):
    for entry in expected:
        data = (corpus / entry["file"]).read_bytes()
        footer = entry["footer"]
        try:
            tail = read_tail(Bytes(data))
        except ParquetextError:
            assert not footer["parses"], entry["file"]
        else:
            if footer["parses"]:
                assert tail.footer_length == footer["length"], entry["file"]
