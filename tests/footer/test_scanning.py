"""The public scan: of a path, of a file's bytes, of a footer's bytes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of

from parquetext import footer
from parquetext.errors import Malformed, ParquetextError


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": range(10), "b": [str(n) for n in range(10)]}), path, row_group_size=4)
    return path


def test_a_path_a_file_and_a_footer_give_the_same_scan(implementation, path):
    file = path.read_bytes()
    scans = [footer.scan(source) for source in (path, str(path), file, bytearray(file), footer_of(file))]
    for scan in scans:
        assert (scan.num_rows, scan.leaf_count, scan.row_group_count) == (10, 2, 3)
        assert list(scan.chunks("num_values")) == [4, 4, 4, 4, 2, 2]
        assert bytes(scan.data) == footer_of(file)


def test_errors_name_the_file_and_count_from_its_start(path):
    file = path.read_bytes()
    start = len(file) - 8 - len(footer_of(file))
    path.write_bytes(file[:start] + b"\x0e" + file[start + 1 :])
    with pytest.raises(Malformed, match=f"{path.name}: unknown Thrift compact type 14 .at offset {start}"):
        footer.scan(path)


def test_bytes_that_are_no_footer(implementation):
    for data in (b"", b"PAR1", b"PAR1PAR1", b"\xff\xff\xff\x7fPAR1", b"\0\0\0\0PARE", b"no footer"):
        with pytest.raises(ParquetextError):
            footer.scan(data)


def test_contradictions_are_reported_or_raised(implementation):
    data = b"\x15\x02\x00"
    assert "required field 2 is absent" in str(footer.scan(data).problem)
    with pytest.raises(Malformed, match="required field 2 is absent"):
        footer.scan(data, strict=True)


def test_every_footer_of_the_corpus_that_parses_is_scanned(corpus, expected):
    paths = [corpus / entry["file"] for entry in expected if entry["footer"]["parses"]]
    assert len(paths) == 466
    for path in paths:
        assert footer.scan(path).end == footer.scan(path.read_bytes()).end > 0
