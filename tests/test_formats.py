"""The code writes and reads the hex examples of docs/formats.md."""

from __future__ import annotations

import base64
import re
import struct
from pathlib import Path
from uuid import UUID

import pytest
from support.modular_files import modular_payload

from parquetext import extension, kernels, wire
from parquetext.edits.kept_extension import KeptExtension, parse
from parquetext.encoding import find
from parquetext.encoding.carried import Carried
from parquetext.footer.dialect import framing
from parquetext.footer.jump_table.pointer import Pointer, pointer_in, with_pointer, without_pointer
from parquetext.footer.locate import locate
from parquetext.rewrite.original import Original, Range, Rest

PAGE = (Path(__file__).parents[1] / "docs" / "formats.md").read_text()
CHECKED_ELSEWHERE = {"journal", "journal-1"}


def blocks() -> dict[str, bytes]:
    """Return the bytes of every block: hex in any grouping, `0*n` for n zero bytes, comments after `#`."""
    found = {}
    for name, text in re.findall(r"^```hex (\S+)\n(.*?)^```", PAGE, re.M | re.S):
        words = " ".join(line.split("#")[0] for line in text.splitlines()).split()
        assert name not in found
        found[name] = b"".join(bytes(int(word[2:])) if word.startswith("0*") else bytes.fromhex(word) for word in words)
    return found


@pytest.mark.parametrize("marker", ["spec", "thrift"])
def test_an_extension_is_written_and_found_as_the_page_shows(implementation, marker):
    struct = blocks()[f"extension-{marker}"]
    assert extension.append(b"\0", b"hello", marker=marker) == struct
    assert extension.find(struct) == b"hello"


def test_a_block_is_written_as_the_page_shows(implementation):
    uuid = bytes(range(16))
    block = blocks()["block-hello"]
    assert b"hello" + kernels.extension.trailer(b"hello", uuid) == block
    assert kernels.extension.block_before(block, len(block))[:3] == (uuid, 0, 5)


def test_a_block_of_the_arrow_dialect_is_framed_as_the_page_shows(implementation):
    block = blocks()["dialect-hello"]
    assert framing.frame(b"hello") == block
    assert framing.unframe(block) == b"hello"


def test_the_packed_payload_is_written_from_the_thrift_footer_as_the_page_shows(implementation):
    footer, payload = blocks()["thrift-footer"], blocks()["packed-payload"]
    assert kernels.packed.write(kernels.scan.scan(footer)) == payload


def test_the_modular_payload_is_written_from_the_thrift_footer_as_the_page_shows(implementation):
    footer, payload = blocks()["thrift-footer"], blocks()["modular-payload"]
    assert modular_payload(footer) == payload


def test_the_flat_payload_is_written_from_the_thrift_footer_as_the_page_shows(implementation):
    footer, payload = blocks()["thrift-footer"], blocks()["flat-payload"]
    assert kernels.flat.write(kernels.scan.scan(footer)) == payload


def test_the_flat_payload_of_the_page_is_read(implementation):
    payload = blocks()["flat-payload"]
    kernels.flat.verify(payload)

    class Source:
        size = len(payload)

        @staticmethod
        def read(offset: int, length: int) -> bytes:
            return payload[offset : offset + length]

    with kernels.flat.Reader(Source, 0, len(payload), payload) as reader:
        chunks = reader.column(reader.find_name(b"x")[0])
        assert (reader.num_rows, list(chunks.array("num_values"))) == (3, [3])
        has, min_offset, min_length, max_offset, max_length = chunks.bounds()
        low = chunks.buffer[min_offset[0] : min_offset[0] + min_length[0]]
        high = chunks.buffer[max_offset[0] : max_offset[0] + max_length[0]]
        assert (has, bytes(low), bytes(high)) == (b"\3", b"\1\0\0\0", b"\5\0\0\0")


def test_the_index_is_written_from_the_thrift_footer_and_read_as_the_page_shows(implementation):
    footer, payload = blocks()["thrift-footer"], blocks()["index-payload"]
    assert kernels.index.write(kernels.scan.scan(footer)) == payload

    class Source:
        size = len(footer) + len(payload)

        @staticmethod
        def read(offset: int, length: int) -> bytes:
            return (footer + payload)[offset : offset + length]

    with kernels.index.Reader(Source, 0, len(footer), len(payload), payload) as reader:
        chunks = reader.column(reader.find_name(b"x")[0])
        assert (reader.num_rows, list(chunks.array("num_values"))) == (3, [3])
        assert [chunks.bound_values(bit) for bit in (1, 2)] == [[b"\1\0\0\0"], [b"\5\0\0\0"]]


@pytest.mark.parametrize("name", ["flat-payload", "index-payload"])
def test_offsets_in_comments_are_those_of_the_bytes(name):
    (text,) = re.findall(rf"^```hex {name}\n(.*?)^```", PAGE, re.M | re.S)
    at = 0
    for line in text.splitlines():
        words, _, comment = line.partition("#")
        if comment:
            assert int(comment.split()[0]) == at
        at += sum(int(word[2:]) if word.startswith("0*") else len(word) // 2 for word in words.split())


def test_a_par3_file_ends_as_the_page_shows(implementation):
    data = b"PAR1hello" + blocks()["par3-end"]
    tail = locate(data, len(data))
    assert (tail.form.is_final, tail.footer_offset, tail.footer_length) == (True, 4, 5)
    assert kernels.local.own_block(data, len(data))[:5] == (b"PAR3", 4, 0, 4, 5)


def test_a_parx_file_ends_as_the_page_shows(implementation):
    end = blocks()["parx-end"]
    tail = locate(b"PARXhello" + end, 9 + len(end))
    assert (tail.form.is_final, tail.footer_offset, tail.footer_length) == (True, 4, 5 + 13)
    assert bytes(tail.form.rebuild(b"hello" + end[:-4])) == b"hello"


def test_the_pointer_to_a_jump_table_is_written_as_the_page_shows(implementation):
    struct, pointer = blocks()["jump-table-pointer"] + b"\x04\0", Pointer(1, 4096, 98, 2616)
    assert with_pointer(b"\x15\x04\0", pointer) == struct
    assert (pointer_in(struct), without_pointer(struct)) == (pointer, b"\x15\x04\0")


@pytest.mark.parametrize(
    ("name", "marker", "pieces"),
    [("par3-plain", "spec", ()), ("par3-stack", "thrift", ((2, bytes(range(16))), (1, b"")))],
)
def test_the_record_of_an_extension_is_as_the_page_shows(name, marker, pieces):
    kept = KeptExtension(marker, 0, pieces)
    assert kept.record() == blocks()[name]
    assert parse(blocks()[name], {UUID(bytes=bytes(range(16))): b""}) == kept


def test_the_reference_is_written_as_the_page_shows(implementation):
    block = blocks()["reference"]
    found = kernels.reference.parse(block[:-28], 5124)
    [aside] = found.blocks
    assert (found[:3], tuple(aside)) == ((1000, 200, 0x01020304), (wire.UUID_FLAT_FOOTER.bytes, 1000, 4096, 0x0A0B0C0D))
    assert kernels.extension.trailer(block[:-28], wire.UUID_FOOTER_REFERENCE.bytes) == block[-28:]
    assert base64.b64encode(block).decode() in PAGE


def test_the_documented_copy_of_a_column_is_read(implementation):
    block = blocks()["carried"]
    crcs = 0x18171615, 0x1C1B1A19
    copy = Carried(9, None, 6, 4, 1500, 3000, 1000, 10, 512, 0x0D0C0B0A, 5000, 4000, 0x14131211, (800, 700), crcs)
    assert Carried.from_payload(block[:-28]) == copy
    assert copy.to_payload() + kernels.extension.trailer(block[:-28], wire.UUID_COLUMN_ENCODING.bytes) == block
    assert base64.b64encode(block).decode() in PAGE


def test_the_documented_original_of_an_encoded_file_is_read(implementation):
    block = blocks()["original"]
    ranges = Range(0, 4, 0), Range(4, 4000, 1504), Range(4004, 600, 5504), Range(4604, 396, None)
    original = Original(5000, bytes(range(32)), ranges, Rest(6200, 300, 6, 0x0D0C0B0A), 700, 0x04030201)
    assert Original.from_payload(block[:-28]) == original
    assert original.to_payload() + kernels.extension.trailer(block[:-28], wire.UUID_ORIGINAL.bytes) == block


def test_every_example_of_the_page_is_checked():
    assert set(blocks()) - CHECKED_ELSEWHERE == {
        "extension-spec",
        "extension-thrift",
        "block-hello",
        "thrift-footer",
        "packed-payload",
        "modular-payload",
        "flat-payload",
        "par3-end",
        "par3-plain",
        "par3-stack",
        "parx-end",
        "jump-table-pointer",
        "dialect-hello",
        "index-payload",
        "reference",
        "carried",
        "original",
        "pfor-page",
        "fsst-page",
    }


def test_a_page_of_pfor_is_read_as_the_page_shows(implementation):
    page, values = blocks()["pfor-page"], [100, 101, 103, 100, 102, 101, 100, 1_000_000, 104, 100]
    assert list(memoryview(kernels.pfor.decode(page, 10, wire.PHYSICAL_INT32)).cast("B").cast("i")) == values
    assert kernels.pfor.encode(struct.pack("<10i", *values), 10, wire.PHYSICAL_INT32, vector_size=8) == page


def test_a_page_of_fsst_is_read_as_the_page_shows(implementation):
    page, values = blocks()["fsst-page"], [b"https://a.org/1", b"https://b.org/22", b""]
    offsets, joined = kernels.fsst.decode(page, 3, wire.PHYSICAL_BYTE_ARRAY, 0)
    assert (bytes(offsets), bytes(joined)) == (struct.pack("<4i", 0, 15, 31, 31), b"".join(values))
    assert [kernels.fsst.value(page, i) for i in range(3)] == values


def test_the_encodings_of_extensions_have_the_numbers_and_uuids_of_the_page():
    rows = re.findall(r"^\| (PFOR|FSST) \| (\d+)[^|]*\| `([0-9a-f-]+)`", PAGE, re.M)
    known = [
        (found.name, str(found.id), str(found.uuid)) for found in map(find, (wire.ENCODING_PFOR, wire.ENCODING_FSST))
    ]
    assert rows == known
