"""Verification reports every defect of a file, and nothing for files without defects."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parquetext import edits, extension, wire
from parquetext.footer.locate import read_tail
from parquetext.inspection import integrity
from parquetext.storage import LocalSource

ROWS = 4000


@pytest.fixture
def path(tmp_path) -> str:
    """An upgraded file of two row groups, its pages under checksums."""
    path = str(tmp_path / "t.parquet")
    table = pa.table(
        {
            "n": pa.array(range(ROWS), pa.int64()),
            "text": pa.array([f"value {n % 11}" if n % 5 else None for n in range(ROWS)]),
            "nested": pa.array([{"a": n, "b": [n] * (n % 3)} for n in range(ROWS)]),
        }
    )
    pq.write_table(table, path, row_group_size=ROWS // 2, write_page_checksum=True, data_page_size=4096)
    edits.upgrade(path, form="flat")
    return path


def kinds(report: integrity.Report) -> set[str]:
    return {finding.kind for finding in report.findings}


def read_blocks(path: str) -> list:
    with LocalSource(path) as source:
        return read_tail(source).blocks


def flip(path: str, offset: int) -> None:
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 0x10]))


@pytest.mark.parametrize("tier", [{}, {"pages": True}, {"deep": True}])
def test_a_sound_file_has_no_findings_in_any_tier(implementation, path, tier):
    report = integrity.verify(path, **tier)
    assert report.ok, report.findings
    assert report.forms == ["thrift", "flat"]
    assert report.checked_bytes > 0
    assert (report.pages > 0) == bool(tier)
    assert report.rows == (ROWS if "deep" in tier else None)


@pytest.mark.parametrize(  # of the trailer as text
    ("position", "kind"), [(9 + 17, "unknown-block"), (9 + 22, "extension-unread")], ids=["UUID", "size"]
)
def test_a_trailer_that_is_no_longer_one_is_found(implementation, path, position, kind):
    flip(path, os.path.getsize(path) - position)
    assert kinds(integrity.verify(path)) == {kind}


def test_a_flipped_bit_in_the_record_of_the_original_is_found(implementation, path):
    edits.encode(path, {"n": "delta_binary_packed"})
    assert integrity.verify(path).ok
    data = Path(path).read_bytes()
    [text] = [block for block in read_blocks(path) if block.uuid == wire.UUID_ORIGINAL]
    for offset in (text.payload + 30, text.payload + text.size - 60):
        Path(path).write_bytes(data)
        flip(path, offset)
        assert "block-checksum" in kinds(integrity.verify(path))


def test_a_file_without_our_footer_is_sound_too(implementation, path):
    edits.strip(path)
    report = integrity.verify(path, deep=True)
    assert report.ok, report.findings
    assert report.forms == ["thrift"]


def test_a_flipped_bit_in_the_flat_block_is_found_with_its_offset(implementation, path):
    size = len(Path(path).read_bytes())
    flip(path, size - 600)
    report = integrity.verify(path)
    assert kinds(report) & {"block-checksum", "reference-damaged"}
    assert all(finding.offset is not None and finding.offset <= size for finding in report.findings)


def test_a_flipped_bit_in_a_page_is_found_by_the_second_tier_only(implementation, path):
    chunk = pq.read_metadata(path).row_group(1).column(0)
    position = chunk.dictionary_page_offset + chunk.total_compressed_size // 2
    flip(path, position)
    assert integrity.verify(path).ok
    report = integrity.verify(path, pages=True)
    assert kinds(report) & {"page-checksum", "page"}
    finding = report.findings[0]
    assert finding.place == "row group 1, column n"
    assert finding.offset <= position


def test_a_flat_footer_of_another_file_is_found_by_comparing_the_forms(implementation, path, tmp_path):
    """A footer whose checksums all hold, but which speaks of other values."""
    from parquetext import extension, wire
    from parquetext.footer.locate import read_tail
    from parquetext.storage import open_source

    other = str(tmp_path / "other.parquet")
    table = pq.read_table(path)
    pq.write_table(
        table.set_column(0, "n", pa.array(range(1, ROWS + 1), pa.int64())),
        other,
        row_group_size=ROWS // 2,
        write_page_checksum=True,
        data_page_size=4096,
    )
    edits.upgrade(other, form="flat")
    with open_source(other) as source:
        block = next(block for block in read_tail(source).blocks if block.uuid == wire.UUID_FLAT_FOOTER)
        payload = source.read(block.payload, block.length)
    edits.strip(path)
    with open_source(path) as source:
        tail = read_tail(source)
        head, footer = source.read(0, tail.footer_offset), source.read(tail.footer_offset, tail.footer_length)
    wrong = extension.append_block(footer, wire.UUID_FLAT_FOOTER, payload)
    with open(path, "wb") as file:
        file.write(head + wrong + len(wrong).to_bytes(4, "little") + b"PAR1")
    assert integrity.verify(path).ok
    assert "forms-differ" in kinds(integrity.verify(path, deep=True))


def test_a_flat_footer_that_differs_only_in_the_rebuilt_thrift_bytes_is_found(implementation, path):
    """The tables agree; page counts in encoding_stats do not."""
    from parquetext import extension, kernels, thrift, wire

    edits.strip(path)
    data = Path(path).read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    other = thrift.read("FileMetaData", footer)
    other["row_groups"][1]["columns"][0]["meta_data"]["encoding_stats"][0]["count"] += 1
    payload = kernels.flat.write(kernels.scan.scan(thrift.write("FileMetaData", other)))
    wrong = extension.append_block(footer, wire.UUID_FLAT_FOOTER, payload)
    Path(path).write_bytes(data[: -8 - length] + wrong + len(wrong).to_bytes(4, "little") + b"PAR1")
    assert integrity.verify(path).ok
    (finding,) = integrity.verify(path, deep=True).findings
    assert (finding.kind, finding.place) == ("forms-differ", "flat footer")


@pytest.mark.parametrize("placement", ["aside", "in-struct"])
@pytest.mark.parametrize("deep", [False, True])
def test_a_packed_footer_of_an_older_thrift_footer_is_found(implementation, path, placement, deep):
    """Another program changes a count and copies the unknown fields; an in-struct block has no other witness."""
    from parquetext import thrift

    edits.upgrade(path, form="packed", placement=placement)
    data = Path(path).read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer, report = data[start:-8], integrity.verify(path, deep=deep)
    assert report.ok
    struct = extension.strip(footer)
    newer = thrift.read("FileMetaData", struct)
    newer["row_groups"][0]["columns"][0]["meta_data"]["statistics"]["null_count"] += 1
    wrong = thrift.write("FileMetaData", newer)[:-1] + footer[len(struct) - 1 :]
    Path(path).write_bytes(data[:start] + wrong + len(wrong).to_bytes(4, "little") + b"PAR1")
    findings = [finding for finding in integrity.verify(path, deep=deep).findings if finding.place == "packed footer"]
    assert [finding.kind for finding in findings] == ["forms-differ"]
    assert "rebuilt" in findings[0].message


def test_compact_statistics_are_sound_in_every_tier(implementation, path, tmp_path):
    other = str(tmp_path / "long.parquet")
    pq.write_table(pa.table({"text": [f"a text of some length, number {n}" for n in range(9)]}), other)
    sizes = []
    for stats in ("full", "compact"):
        sizes.append(edits.upgrade(other, stats=stats, form="flat").bytes_after)
        assert integrity.verify(other, deep=True).ok
    assert sizes[1] < sizes[0]


def test_a_file_that_is_not_parquet_is_a_finding_not_a_crash(implementation, tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"no parquet at all, really")
    report = integrity.verify(str(path))
    assert kinds(report) == {"tail"}
    assert "25 bytes" in report.findings[0].message


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        integrity.verify(str(tmp_path / "none.parquet"))


def test_stray_bytes_and_signatures_are_reported(implementation, path):
    edits.strip(path)
    data = Path(path).read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    for stray in (b"x" * 5, b"s" * 28):
        with open(path, "wb") as file:
            file.write(data[:-8] + stray + (length + len(stray)).to_bytes(4, "little") + b"PAR1")
        finding = next(finding for finding in integrity.verify(path).findings if finding.kind == "stray-bytes")
        assert finding.offset == len(data) - 8
        assert ("signature" in finding.message) == (len(stray) == 28)


def test_the_corpus_walks_as_expected(corpus, expected, tmp_path):
    """Page walks and checksums agree with the known properties of files that are neither encrypted nor fuzzed."""
    wrong = {}
    for file in expected:
        known = file["footer"]["parses"] and file.get("page_walk_ok") is not None
        if not known or file["class"] in ("fuzz", "encrypted") or file["size"] > 2_000_000:
            continue
        report = integrity.verify(str(corpus / file["file"]), pages=True)
        walk_failed = bool(kinds(report) & {"page", "chunk-range", "chunk-size"})
        bad_crc = sum(finding.kind == "page-checksum" for finding in report.findings)
        known_crc = file.get("crc", {}).get("bad", 0)
        if walk_failed == file["page_walk_ok"] or (file["page_walk_ok"] and bad_crc != known_crc):
            wrong[file["file"]] = (file["page_walk_ok"], [str(finding) for finding in report.findings][:3], known_crc)
    assert not wrong


def test_verification_changes_nothing(path, tmp_path):
    copy = shutil.copy(path, tmp_path / "copy.parquet")
    integrity.verify(path, deep=True)
    assert Path(path).read_bytes() == Path(copy).read_bytes()


@pytest.mark.parametrize("form", ["flat", "index"])
@pytest.mark.parametrize("placement", ["aside", "in-struct", "after-stop"])
def test_a_flipped_bit_of_a_blocks_uuid_is_a_finding(path, form, placement):
    edits.strip(path)
    edits.upgrade(path, form=form, placement=placement)
    data = Path(path).read_bytes()
    uuid = data.rindex({"flat": wire.UUID_FLAT_FOOTER, "index": wire.UUID_FOOTER_INDEX}[form].bytes)
    message = {"aside": ("reference-damaged", "not the one")}.get(placement, ("unknown-block", "a damaged UUID"))
    for byte in range(uuid, uuid + 16, 3):
        flip(path, byte)
        report = integrity.verify(path)
        assert not report.ok
        assert any(found.kind == message[0] and message[1] in found.message for found in report.findings)
        flip(path, byte)
    assert integrity.verify(path).ok
