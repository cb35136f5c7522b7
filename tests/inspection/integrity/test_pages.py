"""The second tier of verification: pages, their checksums and counts, and the bytes between chunks."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.encoding.pages import read_headers
from parquetext.inspection import integrity
from parquetext.inspection.integrity import page_tier
from parquetext.inspection.structure import structure
from parquetext.thrift import read, write


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table({"n": pa.array(range(5000), pa.int64()), "t": [f"v{n % 9}" for n in range(5000)]})
    pq.write_table(table, path, write_page_checksum=True, data_page_size=2048, use_dictionary=["t"])
    return path


def gaps(path) -> list[tuple[int, int]]:
    report = integrity.verify(path, pages=True)
    assert report.ok and not report.findings, report.findings
    assert [(gap["offset"], gap["length"]) for gap in report.as_dict()["gaps"]] == report.gaps
    return report.gaps


def insert(path, at: int, more: bytes, change=lambda fields: None) -> None:
    """Put bytes into a file and update the offsets in its footer."""
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    fields = read("FileMetaData", data[-8 - length : -8])
    for column in fields["row_groups"][0]["columns"]:
        for name in ("data_page_offset", "dictionary_page_offset"):
            if column["meta_data"].get(name, -1) >= at:
                column["meta_data"][name] += len(more)
    change(fields)
    footer = write("FileMetaData", fields)
    path.write_bytes(data[:at] + more + data[at : -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def second_chunk(path) -> int:
    column = pq.read_metadata(path).row_group(0).column(1)
    return column.dictionary_page_offset


def test_written_files_have_no_gaps(implementation, path):
    assert gaps(path) == []
    pq.write_table(pq.read_table(path), path, write_page_index=True, bloom_filter_options={"t": {}})
    assert gaps(path) == []


def test_facts_of_few_columns_are_kept(implementation, tmp_path, monkeypatch):
    kept = []

    class Seen(structure.Structure):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            kept.append(self._column)

    monkeypatch.setattr(structure, "KEPT_COLUMNS", 4)
    monkeypatch.setattr(page_tier, "Structure", Seen)
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({f"c{n}": range(4) for n in range(20)}), path, write_page_index=True)
    assert gaps(path) == []
    (found,) = kept
    assert (found.cache_info().misses, found.cache_info().currsize) == (20, 4)


def test_bytes_between_chunks_are_a_note(implementation, path):
    at = second_chunk(path)
    insert(path, at, b"\0" * 33)
    assert gaps(path) == [(at, 33)]
    insert(path, 4, b"\0" * 7)
    assert gaps(path) == [(4, 7), (at + 7, 33)]
    assert integrity.verify(path).gaps == []


def resize(path, by: int, created_by: str = "another writer") -> None:
    """Let the footer say another size of the first chunk."""

    def change(fields):
        fields["row_groups"][0]["columns"][0]["meta_data"]["total_compressed_size"] += by
        fields["created_by"] = created_by

    insert(path, 4, b"", change)


@pytest.mark.parametrize(
    ("writer", "is_note"),
    [
        ("parquet-mr version 1.2.8 (build 1)", True),
        ("parquet-mr version 1.2.9", False),
        ("parquet-mr version 1.10.0", False),
        ("parquet-cpp-arrow version 1.2.8", False),
    ],
)
def test_sizes_without_the_header_of_the_dictionary_are_a_note_of_old_writers(implementation, path, writer, is_note):
    resize(path, -13, writer)
    size = pq.read_metadata(path).row_group(0).column(0).total_compressed_size
    report = integrity.verify(path, pages=True)
    assert [(finding.kind, finding.is_note) for finding in report.findings] == [("chunk-size", is_note)]
    assert f"its pages take {size + 13} bytes, the footer says {size}" in report.findings[0].message
    assert report.gaps == [] and report.ok == is_note


def test_bytes_after_the_last_value_of_a_chunk_are_a_note(implementation, path):
    at, stray = second_chunk(path), b"\x26\xda" + b"\xff" * 21
    insert(path, at, stray)
    resize(path, len(stray))
    report = integrity.verify(path, pages=True)
    assert [(finding.kind, finding.offset) for finding in report.findings] == [("chunk-size", at + len(stray))]
    assert report.ok and report.gaps == []
    with parquetext.open(path) as file:
        assert sum(file.pages("n")["num_values"].to_pylist()) == 5000


def test_a_page_that_runs_far_over_its_chunk_is_found_with_its_offset(implementation, path):
    resize(path, -113)
    with path.open("rb") as file:
        data = file.read()

    class Source:
        size = len(data)

        def read(self, offset, length):
            return data[offset : offset + length]

    column = pq.read_metadata(path).row_group(0).column(0)
    last = read_headers(Source(), 4, 4 + column.total_compressed_size).end
    found = integrity.verify(path, pages=True).findings
    assert [(finding.kind, finding.offset) for finding in found] == [("page", last)]
    assert "left of its column chunk" in found[0].message


def test_values_that_do_not_add_up_are_found(implementation, path):
    def add(fields):
        fields["row_groups"][0]["columns"][1]["meta_data"]["num_values"] += 1

    insert(path, 4, b"", add)
    found = integrity.verify(path, pages=True).findings
    assert [finding.kind for finding in found] == ["page-values"]
    assert "5000 values, the footer says 5001" in found[0].message
