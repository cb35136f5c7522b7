"""Findings of verify about copies in other encodings, and about the file before they were made."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from support.copied_files import TABLE, change_blocks, copied_file, copies
from support.footers import footer_of
from support.parquet_bytes import with_footer

import parquetext
from parquetext import edits, extension, kernels, wire
from parquetext.footer.form_spec import Memory
from parquetext.footer.locate import read_tail
from parquetext.inspection.integrity import verify
from parquetext.inspection.integrity.copy_checks import check_copies, check_copy_pages
from parquetext.inspection.integrity.report import Report
from parquetext.rewrite.recorded import recorded_original
from parquetext.storage import LocalSource


@pytest.fixture
def path(tmp_path):
    return copied_file(tmp_path / "x.parquet")


def kinds(path, **tier) -> set[str]:
    """The kinds of findings that are no notes."""
    return {finding.kind for finding in verify(path, **tier).findings if not finding.is_note}


@pytest.mark.parametrize("codec", ["none", "zstd"])
@pytest.mark.parametrize("form", ["thrift", "flat", "index", "aside"])
def test_a_file_with_copies_is_sound_and_has_no_gaps(implementation, tmp_path, form, codec):
    path = copied_file(tmp_path / "x.parquet", codec=codec, write_page_index=True)
    if form != "thrift":
        edits.upgrade(
            path, form="flat" if form == "aside" else form, placement="aside" if form == "aside" else "in-struct"
        )
    report = verify(path, deep=True)
    assert (report.findings, report.gaps) == ([], [])


def test_copies_of_a_flat_footer_alone_are_checked(path):
    edits.finalize(path, confirm=True)
    assert verify(path, deep=True).ok
    whole = bytearray(path.read_bytes())
    whole[copies(copied_file(path.with_name("y.parquet")))[0].offset + 60] ^= 1
    path.write_bytes(whole)
    assert kinds(path) == set()
    assert kinds(path, pages=True) == {"copy-checksum", "page-checksum"}


def test_bytes_are_checked_with_pages_alone(path):
    one = copies(path)[0]
    whole = bytearray(path.read_bytes())
    whole[one.offset + 60] ^= 1
    path.write_bytes(whole)
    assert verify(path).findings == []
    [page, body, whole] = verify(path, pages=True).findings
    assert (page.kind, page.offset) == ("copy-checksum", one.offset)
    assert page.place == "row group 0, column price, copy in byte_stream_split, page 0"
    assert (body.kind, body.offset) == ("page-checksum", one.offset)
    assert (whole.kind, whole.place) == ("copy-checksum", "row group 0, column price, copy in byte_stream_split")


FEW = TABLE.select(["price"]).slice(0, 20)
STEP = 7  # bits; all of them with --long


def unfound_flips(path, begin: int, end: int, step: int, **tier) -> list[int]:
    """The bits of [begin, end) that flip without a finding."""
    whole, unfound = bytearray(path.read_bytes()), []
    for bit in range(8 * begin, 8 * end, step):
        whole[bit // 8] ^= 1 << bit % 8
        path.write_bytes(whole)
        if verify(path, **tier).ok:
            unfound.append(bit)
        whole[bit // 8] ^= 1 << bit % 8
    path.write_bytes(whole)
    assert verify(path, **tier).ok
    return unfound


def original_block(path):
    with LocalSource(str(path)) as source:
        [block] = read_tail(source).blocks
    return block


def without_original(path) -> None:
    """Remove the record of the original file."""
    whole = path.read_bytes()
    footer = parquetext.extension.strip(footer_of(whole))
    begin = len(whole) - 8 - len(footer_of(whole))
    path.write_bytes(whole[:begin] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def metadata(path) -> bytes:
    scan = parquetext.kernels.scan.scan(footer_of(path.read_bytes()))
    [offset], [length] = scan.chunks("metadata_offset"), scan.chunks("metadata_length")
    return bytes(scan.data[offset : offset + length])


def check_flips(tmp_path, step: int) -> None:
    path = copied_file(tmp_path / "x.parquet", {"price": "byte_stream_split"}, FEW)
    [copy], block = copies(path), original_block(path)
    assert unfound_flips(path, copy.offset, copy.end, step, pages=True) == []
    assert unfound_flips(path, block.payload, block.payload + block.size, step) == []
    for is_recorded in (True, False):  # from the footer's record in the original's block, and from each block alone
        if not is_recorded:
            without_original(path)
        text = bytes(parquetext.extension.find(metadata(path)))
        begin = path.read_bytes().index(text)
        assert unfound_flips(path, begin, begin + len(text), step) == []


def test_bits_of_copies_and_of_blocks_that_flip_are_found(tmp_path):
    check_flips(tmp_path, STEP)


def test_all_bits_of_copies_and_of_blocks_that_flip_are_found(long, tmp_path):
    check_flips(tmp_path, 1)


def test_every_bit_of_a_copy_that_flips_is_found(tmp_path):
    path = copied_file(tmp_path / "x.parquet", {"price": "byte_stream_split"}, FEW)
    whole, report = bytearray(path.read_bytes()), Report("", "pages")
    scan = parquetext.kernels.scan.scan(footer_of(bytes(whole)))
    [copy] = check_copies(scan, ["price"], 0, len(whole), report)
    for bit in range(8 * copy.facts.offset, 8 * copy.facts.end):
        whole[bit // 8] ^= 1 << bit % 8
        message = Report("", "pages")
        check_copy_pages(Memory(bytes(whole)), [copy], message)
        assert not message.ok, bit
        whole[bit // 8] ^= 1 << bit % 8


CHANGES = {
    "chunk_offset": ("copy-outdated", "copy-outdated"),
    "chunk_length": ("copy-outdated", "copy-outdated"),
    "num_values": ("copy-outdated", "copy-outdated"),
    "rows_per_page": ("copy-facts", "copy-facts"),
    "crc": (None, "copy-checksum"),
    "chunk_crc": (None, "copy-checksum"),
    "uncompressed_length": (None, "copy-facts"),
    "null_count": (None, "copy-facts"),
}


@pytest.mark.parametrize("fact", CHANGES)
def test_a_block_with_other_values_is_found(path, fact):
    by_default, with_pages = CHANGES[fact]

    def change(copy):
        value = 700 if fact == "rows_per_page" else getattr(copy, fact) ^ 1
        return replace(copy, **{fact: value})

    change_blocks(path, change)
    assert kinds(path) == {"original-lost", by_default} - {None}
    assert with_pages in kinds(path, pages=True)


def test_page_checksums_and_lengths_of_a_block_are_compared(path):
    change_blocks(path, lambda copy: replace(copy, page_crcs=(copy.page_crcs[0] ^ 1, *copy.page_crcs[1:])))
    assert kinds(path, pages=True) == {"original-lost", "copy-checksum"}


def test_a_copy_in_another_encoding_than_in_its_block_is_found(path):
    change_blocks(path, lambda copy: replace(copy, encoding=0))
    assert kinds(path) == {"original-lost"}
    assert kinds(path, pages=True) == {"original-lost", "copy-page"}


def test_an_encoding_for_other_types_is_found(path):
    change_blocks(path, lambda copy: replace(copy, encoding=parquetext.wire.ENCODING_RLE))
    assert "copy-facts" in kinds(path)


def test_copies_in_unknown_encodings_are_notes(path):
    change_blocks(path, lambda copy: replace(copy, encoding=1 << 20, uuid=UUID(int=7), codec=99))
    report = verify(path)
    assert {finding.kind for finding in report.findings if finding.is_note} == {"copy-unknown"}
    assert kinds(path) == {"original-lost"}


def test_a_copy_outside_of_the_data_is_found(path):
    size = path.stat().st_size
    change_blocks(path, lambda copy: replace(copy, offset=size))
    assert kinds(path) == {"original-lost", "copy-range"}
    assert kinds(path, pages=True) >= {"copy-range"}


def test_copies_that_overlap_each_other_or_a_chunk_are_found(path):
    first = copies(path)[0].offset
    change_blocks(path, lambda copy: replace(copy, offset=first))
    assert kinds(path) == {"original-lost", "chunk-overlap"}
    change_blocks(path, lambda copy: replace(copy, offset=copy.chunk_offset))
    assert kinds(path, pages=True) >= {"chunk-overlap", "copy-checksum"}


def test_a_block_of_a_later_version_is_a_note(path):
    whole = path.read_bytes()
    footer = footer_of(whole)
    scan = parquetext.kernels.scan.scan(footer)
    at, length = scan.chunks("metadata_offset")[1], scan.chunks("metadata_length")[1]
    metadata = footer[at : at + length]
    [copy] = parquetext.encoding.carried.copies_of(metadata)
    later = bytes([2]) + copy.to_payload()[1:]
    changed = parquetext.extension.replace(metadata, later, uuid=parquetext.wire.UUID_COLUMN_ENCODING)
    footer = footer[:at] + changed + footer[at + length :]
    begin = len(whole) - 8 - len(footer_of(whole))
    path.write_bytes(whole[:begin] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    [note] = [finding for finding in verify(path).findings if finding.kind == "copy-damaged"]
    assert note.is_note and "version 2" in note.message


def test_a_chunk_that_is_not_the_copied_one_is_found(path):
    one = copies(path)[0]
    whole = bytearray(path.read_bytes())
    whole[one.chunk_offset + 60] ^= 1
    path.write_bytes(whole)
    assert verify(path).ok
    [message] = [finding for finding in verify(path, pages=True).findings if finding.kind == "copy-checksum"]
    assert (message.offset, "the chunk has the checksum" in message.message) == (one.chunk_offset, True)


def recorded(path):
    with LocalSource(str(path)) as source:
        return recorded_original(source, read_tail(source)).original


def test_the_rest_of_the_original_is_checked_with_pages(path):
    rest = recorded(path).rest
    whole = bytearray(path.read_bytes())
    whole[rest.offset + rest.length // 2] ^= 1
    path.write_bytes(whole)
    assert verify(path).ok
    assert kinds(path, pages=True) == {"original-lost"}


def test_an_original_that_cannot_be_restored_is_found(path):
    """A byte of a page without a checksum, in a chunk without a copy; the page still decompresses."""
    whole = path.read_bytes()
    scan = parquetext.kernels.scan.scan(footer_of(whole))
    header = parquetext.kernels.page.header(whole, scan.chunk_begins()[0])
    body = header.offset + header.header_size
    for at in range(body + header.compressed_size // 2, body + header.compressed_size):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        if verify(path, pages=True).ok:
            break
    assert verify(path, pages=True).ok
    assert "original-lost" in kinds(path, deep=True)
    assert any("SHA-256" in finding.message for finding in verify(path, deep=True).findings)


def test_a_footer_that_another_program_has_changed_is_found(path):
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"parquet-cpp-arrow", b"parquet-cpp-arroW"))
    [message] = verify(path).findings
    assert (message.kind, "strip refuses" in message.message) == ("original-lost", True)


def test_ranges_of_the_original_must_be_within_the_file(path):
    whole = path.read_bytes()
    footer = footer_of(whole)
    original = recorded(path)
    beyond = replace(original, rest=replace(original.rest, offset=len(whole)))
    changed = parquetext.extension.replace(footer, beyond.to_payload(), uuid=parquetext.wire.UUID_ORIGINAL)
    begin = len(whole) - 8 - len(footer)
    path.write_bytes(whole[:begin] + changed + len(changed).to_bytes(4, "little") + b"PAR1")
    assert kinds(path) == {"original-lost"}


def test_several_copies_of_a_column_are_all_checked(path):
    edits.encode(path, {"price": "byte_stream_split"}, codec="zstd")
    report = verify(path, deep=True)
    assert (report.findings, report.gaps) == ([], [])
    for copy in copies(path):
        whole = bytearray(path.read_bytes())
        whole[copy.end - 1] ^= 128
        flipped = path.with_name("flipped.parquet")
        flipped.write_bytes(whole)
        assert "copy-checksum" in kinds(flipped, pages=True)


def test_a_flat_footer_without_its_copies_is_found(path):
    """Its table is made from the Thrift footer; one that says something else has readers read other bytes."""
    data = path.read_bytes()
    footer = footer_of(data)
    payload = kernels.flat.write(kernels.scan.scan(footer), extensions=[])
    path.write_bytes(with_footer(data, extension.append_block(footer, wire.UUID_FLAT_FOOTER, payload)))
    assert kinds(path) == set()
    assert kinds(path, deep=True) == {"forms-differ"}
    edits.upgrade(path, form="flat", placement="in-struct")
    assert kinds(path, deep=True) == set()
