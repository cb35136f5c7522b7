"""The third tier of verification: both engines decode every value, and the results are compared."""

from __future__ import annotations

import struct
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import pages

from parquetext import kernels, thrift, wire
from parquetext._pure.scan import Scan
from parquetext.errors import Unsupported
from parquetext.inspection import integrity
from parquetext.inspection.integrity import deep

pytestmark = pytest.mark.usefixtures("implementation")
OPTIONAL = wire.REPETITION_OPTIONAL


def verify(path) -> integrity.Report:
    return integrity.verify(path, deep=True)


def write(tmp_path, columns, rows: int, **options):
    path = tmp_path / "made.parquet"
    path.write_bytes(pages.parquet_file(columns, rows, **options))
    return path


def integers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def bit_packed(levels: list[int], name: str = "x") -> pages.Column:
    """Definition levels packed as the format says, which pyarrow reads from the other end of each byte."""
    body = integers(*range(sum(levels)))
    packed = pages.levels_msb_first(levels, 1)
    page = pages.data_page(
        body, len(levels), wire.ENCODING_PLAIN, definition=packed, level_encoding=wire.ENCODING_BIT_PACKED
    )
    return pages.Column(name, wire.PHYSICAL_INT32, [page], repetition=OPTIONAL)


def test_files_that_both_engines_read_equally_have_no_findings(tmp_path):
    numbers = struct.pack("<2d", float("nan"), -0.0) + b"\1\0\0\0\0\0\xf8\xff"
    nan = pa.Array.from_buffers(pa.float64(), 3, [None, pa.py_buffer(numbers)])
    table = pa.table(
        {
            "float": nan,
            "half": pa.array([1.5, None, float("nan")], pa.float16()),
            "dictionary": pa.array(["b", "a", "b"]).dictionary_encode(),
            "uuid": pa.array([uuid.uuid5(uuid.NAMESPACE_DNS, "a").bytes, None, bytes(16)], pa.uuid()),
            "map": pa.array([[("a", 1.0)], None, [("b", float("nan")), ("c", None)]], pa.map_("string", "double")),
            "nested": pa.array([{"a": [[1], None]}, None, {"a": []}]),
            "fixed": pa.array([[1.0, float("nan")], None, [2.0, 3.0]], pa.list_(pa.float32(), 2)),
            "null": pa.nulls(3),
        }
    )
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    report = verify(path)
    assert (report.findings, report.rows) == ([], 3)


def test_values_that_the_engines_read_differently_are_found_with_column_and_row(tmp_path):
    path = write(tmp_path, [bit_packed([1] * 8 + [1, 1, 0, 0, 0, 0, 0, 0], "a"), bit_packed([1] * 16, "b")], 16)
    report = verify(path)
    assert not report.ok
    (found,) = report.findings
    assert (found.kind, found.place) == ("engines-differ", "row group 0, column a")
    assert found.message == "row 8: parquetext reads [ 8 ], pyarrow [ null ]"
    assert report.rows == 16


def test_the_first_row_that_differs_counts_from_the_row_group_however_many_batches(tmp_path):
    before = deep.BATCH_ROWS + 464
    path = write(tmp_path, [bit_packed([1] * before + [1] + [0] * 7)], before + 8)
    (found,) = verify(path).findings
    assert found.kind == "engines-differ" and found.message.startswith(f"row {before}: ")


def test_a_page_that_only_pyarrow_refuses_is_a_note(tmp_path):
    element = {"logicalType": {"DECIMAL": {"scale": 0, "precision": 38}}, "converted_type": 5}
    page = pages.data_page((7).to_bytes(17, "big"), 1, wire.ENCODING_PLAIN)
    column = pages.Column(
        "x", wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, [page], type_length=17, element=element | {"scale": 0}
    )
    report = verify(write(tmp_path, [column], 1))
    (found,) = report.findings
    assert report.ok and found.is_note
    assert (found.kind, found.place, report.rows) == ("undecodable", "row group 0", 1)
    assert found.message.startswith("parquetext reads it, pyarrow does not: ")


@pytest.mark.parametrize("table", [{"l": [[1, 2], [None], [3]]}, {"l": [[1], [2], [3]], "n": [1, 2, 3]}])
def test_rows_that_pyarrow_loses_at_a_page_without_values_are_a_note(tmp_path, table):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(table), path, data_page_size=1, row_group_size=1)
    report = verify(path)
    assert report.ok and report.rows == 3
    assert {(found.kind, found.is_note) for found in report.findings} == {("undecodable", True)}
    assert "pyarrow does not: of a list it gives 0 of 1 rows" in report.findings[0].message


def test_a_file_that_pyarrow_does_not_open_is_decoded_by_our_decoder(tmp_path):
    depth = 110
    schema = [{"name": "schema", "num_children": 1}]
    schema += [{"repetition_type": 0, "name": "g", "num_children": 1} for _ in range(depth)]
    schema += [{"type": wire.PHYSICAL_INT32, "repetition_type": 0, "name": "x"}]
    page = pages.data_page(integers(1, 2), 2, wire.ENCODING_PLAIN)
    column = pages.Column("g." * depth + "x", wire.PHYSICAL_INT32, [page])
    report = verify(write(tmp_path, [column], 2, schema=schema))
    assert [(found.kind, found.is_note) for found in report.findings] == [("schema", False), ("unreadable", True)]
    assert report.rows == 2


def test_pages_that_only_our_decoder_finds_malformed_are_a_finding(tmp_path):
    values = [pages.data_page(integers(*part), len(part), wire.ENCODING_PLAIN) for part in ((1,), (2, 3))]
    dictionary = pages.dictionary_page(integers(7), 1)
    column = pages.Column("x", wire.PHYSICAL_INT32, [values[0], dictionary, values[1]])
    report = verify(write(tmp_path, [column], 3))
    [finding] = report.findings
    assert finding.kind == "undecodable" and not report.ok
    assert "pyarrow reads it, parquetext does not: row group 0, column x: a dictionary page after" in finding.message
    assert report.rows == 3


def test_pages_that_neither_engine_reads_have_both_errors_and_the_offset(tmp_path):
    page = pages.data_page(integers(1, 2), 3, wire.ENCODING_PLAIN)
    report = verify(write(tmp_path, [pages.Column("x", wire.PHYSICAL_INT32, [page])], 3))
    (found,) = report.findings
    assert (found.kind, found.is_note, report.rows) == ("undecodable", False, 0)
    assert "; parquetext: row group 0, column x, page 0: " in found.message and found.offset is not None


def test_a_codec_that_neither_engine_knows_is_a_finding(tmp_path):
    page = pages.data_page(integers(1), 1, wire.ENCODING_PLAIN)
    report = verify(write(tmp_path, [pages.Column("x", wire.PHYSICAL_INT32, [page], codec=wire.CODEC_LZO)], 1))
    assert [finding.kind for finding in report.findings] == ["undecodable"]
    assert "codec LZO is not read" in report.findings[0].message


def test_pages_unknown_to_our_decoder_are_left_to_pyarrow(tmp_path, monkeypatch):
    def refuse(*_):
        raise Unsupported("a type that is not read")
        yield

    monkeypatch.setattr(deep, "_ours", refuse)
    page = pages.data_page(integers(1), 1, wire.ENCODING_PLAIN)
    report = verify(write(tmp_path, [pages.Column("x", wire.PHYSICAL_INT32, [page])], 1))
    (found,) = report.findings
    assert report.ok and found.is_note and (found.kind, report.rows) == ("undecodable", 1)
    assert found.message.endswith("a type that is not read")


def test_chunks_in_another_file_are_not_decoded(tmp_path):
    page = pages.data_page(integers(1), 1, wire.ENCODING_PLAIN)
    path = write(tmp_path, [pages.Column("x", wire.PHYSICAL_INT32, [page])], 1)
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    fields = thrift.read("FileMetaData", data[-8 - length : -8])
    chunk = fields["row_groups"][0]["columns"][0]
    fields["row_groups"][0]["columns"][0] = {"file_path": "other.parquet"} | chunk
    footer = thrift.write("FileMetaData", fields)
    path.write_bytes(data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    report = verify(path)
    assert report.findings == [] and (report.chunks_elsewhere, report.rows) == (1, None)


def test_many_values_without_compiled_kernels_are_decoded_by_pyarrow_alone(tmp_path, implementation, monkeypatch):
    monkeypatch.delenv(kernels.PURE_VARIABLE, raising=False)
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": pa.nulls(1_000_001, pa.int8())}), path)
    report = verify(path)
    assert report.ok and report.rows == 1_000_001
    assert [finding.kind for finding in report.findings] == ["decoded-once"] * (implementation == "pure")


def test_members_of_all_chunks_are_copied_once_and_not_for_each_chunk(tmp_path, monkeypatch):
    """With a copy for each chunk, the time would grow with the square of their number."""
    copied = []

    def recorded(member, original):
        def call(self, name):
            if sys._getframe(1).f_globals["__name__"].startswith("parquetext.inspection"):
                copied.append((member, name))
            return original(self, name)

        return call

    for member in ("chunks", "elements", "places", "row_groups"):
        monkeypatch.setattr(Scan, member, recorded(member, getattr(Scan, member)))
    kernels.use("pure")
    counts = []
    for rows in (2, 8):
        path = tmp_path / f"{rows}.parquet"
        table = pa.table({"x": range(rows), "y": range(rows)})
        pq.write_table(table, path, row_group_size=1, write_page_index=True)
        copied.clear()
        assert verify(path).ok
        counts.append(len(copied))
    assert 0 < counts[0] == counts[1]
