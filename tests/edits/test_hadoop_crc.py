"""Hadoop's checksum files through the verbs: killed at any system call, verified, and read by Spark in tests/spark."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest
from support.hadoop import checksummed, crc_of, reads, write_checksummed
from support.kills import kill_at_every_call
from support.parquet_bytes import parquet_bytes

import parquetext
from parquetext import edits
from parquetext.inspection import integrity

ORIGINAL = parquet_bytes()
VERBS = {"upgrade": {"form": "flat"}, "finalize": {"confirm": True}, "restore": {}, "strip": {}}
WAYS = {
    "upgrade-replaced": ("upgrade", {"form": "flat"}),
    "upgrade-in-place": ("upgrade", {"form": "flat", "in_place": True}),
    "write": ("write", {"form": "flat", "use_dictionary": False}),
}
NEW = {"new": [4, 5], "text": ["a", "b"]}


@pytest.fixture
def path(tmp_path) -> Path:
    return write_checksummed(tmp_path / "part-0.parquet", ORIGINAL)


@pytest.mark.parametrize("in_place", [False, True], ids=["replaced", "in place"])
def test_checksums_go_there_and_back_with_the_file(path, in_place):
    before = crc_of(path).read_bytes()
    for verb, options in VERBS.items():
        assert getattr(edits, verb)(path, **options, in_place=in_place).outcome != "unchanged"
        assert reads(path), verb
    assert path.read_bytes() == ORIGINAL and crc_of(path).read_bytes() == before


def test_a_dry_run_and_a_change_of_nothing_leave_them(path):
    before = crc_of(path).stat()
    assert edits.upgrade(path, "flat", dry_run=True).outcome == "would-upgrade"
    assert edits.strip(path).outcome == "unchanged"
    assert (crc_of(path).stat().st_ino, crc_of(path).stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_mismatching_checksums_are_reported_and_match_after_strip(path):
    crc_of(path).rename(path.with_name("kept"))
    edits.upgrade(path, "flat")
    path.with_name("kept").rename(crc_of(path))  # as versions that knew nothing of them have left it
    result = edits.strip(path)
    assert ".part-0.parquet.crc does not fit the file before this change" in result.message
    assert path.read_bytes() == ORIGINAL and reads(path)


def test_a_file_that_is_written_over_gets_its_own(path):
    parquetext.write_table(pa.table(NEW), path)
    assert reads(path) and crc_of(path).read_bytes() == checksummed(path.read_bytes())


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> tuple[Path, dict]:
    """A folder of files with checksums whose change was killed, and how often which call was reached."""
    folder = tmp_path_factory.mktemp("killed")
    old = folder / "old.parquet"
    old.write_bytes(ORIGINAL)
    Path(f"{old}.crc").write_bytes(checksummed(ORIGINAL))
    cases = [
        {"name": name, "verb": verb, "file": str(old), "table": NEW, "options": options}
        for name, (verb, options) in WAYS.items()
    ]
    return folder, kill_at_every_call(folder, cases)


@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS)
def test_a_kill_at_any_call_leaves_a_file_that_hadoop_reads(killed, name):
    folder, kills = killed
    contents, without = set(), 0
    for call, count in kills[name].items():
        for k in range(1, count + 2):
            path = folder / f"{name}-{call}-{k}" / "x.parquet"
            without += not crc_of(path).exists()
            torn = name == "upgrade-in-place" and path.with_name(".x.parquet.parquetext-journal").exists()
            assert reads(path) or torn
            edits.recover(path)
            contents.add(path.read_bytes())
            assert reads(path)
            assert set(os.listdir(path.parent)) == {"x.parquet", ".x.parquet.crc"}
    assert len(contents) == 2 and ORIGINAL in contents and without > 1


def findings(path: Path, **tiers) -> list[str]:
    return [
        finding.message for finding in integrity.verify(path, **tiers).findings if finding.kind == "hadoop-checksum"
    ]


class TestVerify:
    def test_checksums_that_fit_are_no_finding(self, path):
        assert integrity.verify(path).ok and integrity.verify(path, pages=True).ok

    def test_too_few_checksums_are_a_finding(self, path):
        crc_of(path).write_bytes(checksummed(ORIGINAL)[:-4])
        report = integrity.verify(path)
        assert not report.ok
        [message] = findings(path)
        assert f"the file {len(ORIGINAL)} bytes: Hadoop's readers, Spark's among them, fail" in message

    def test_a_footer_that_does_not_have_its_checksum_is_a_finding_with_its_offset(self, path):
        sums = bytearray(checksummed(ORIGINAL))
        sums[-1] ^= 1
        crc_of(path).write_bytes(sums)
        [finding] = integrity.verify(path).findings
        assert (finding.offset, finding.place) == (len(ORIGINAL) // 512 * 512, ".part-0.parquet.crc")

    def test_the_data_is_compared_with_the_tier_of_pages(self, path):
        sums = bytearray(checksummed(ORIGINAL))
        sums[8] ^= 1
        crc_of(path).write_bytes(sums)
        assert findings(path) == []
        assert "the bytes 0 to 512" in findings(path, pages=True)[0]

    def test_a_file_that_is_no_parquet_file_any_more_is_compared_too(self, path):
        path.write_bytes(ORIGINAL[:-1] + b"?")
        assert {finding.kind for finding in integrity.verify(path).findings} == {"tail", "hadoop-checksum"}

    def test_more_checksums_than_chunks_are_a_note_for_hadoop_reads_past_them(self, path):
        crc_of(path).write_bytes(checksummed(ORIGINAL) + bytes(4))
        report = integrity.verify(path, pages=True)
        assert report.ok and "chunks of 512 bytes" in report.findings[0].message

    def test_a_crc_that_is_not_a_checksum_file_is_a_finding(self, path):
        crc_of(path).write_bytes(b"nothing of Hadoop's")
        assert "no checksum file: Hadoop's readers" in findings(path)[0]

    def test_one_that_is_no_file_is_a_note(self, path):
        crc_of(path).unlink()
        crc_of(path).mkdir()
        report = integrity.verify(path)
        assert report.ok and report.findings[0].kind == "hadoop-checksum"
