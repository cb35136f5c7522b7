"""Verification finds defects that make pyarrow refuse a footer, and an error of a read gives its position."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of

import parquetext
from parquetext import kernels, thrift, wire
from parquetext.errors import Malformed

TABLE = pa.table({"number": pa.array([1, 2, 3, 4], pa.int32()), "text": ["x", None, "z", "w"]})
MOST_UNSEEN = 0.01  # of the flips that pyarrow refuses


@pytest.fixture
def path(tmp_path) -> Path:
    pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=2)
    return tmp_path / "t.parquet"


def rewrite(path: Path, change) -> int:
    """Change the footer's fields; return the begin of the new one."""
    data = path.read_bytes()
    old = footer_of(data)
    fields = thrift.read("FileMetaData", old)
    change(fields)
    new = thrift.write("FileMetaData", fields)
    path.write_bytes(data[: -8 - len(old)] + new + len(new).to_bytes(4, "little") + b"PAR1")
    return len(data) - 8 - len(old)


def forget_codec(fields: dict) -> None:
    del fields["row_groups"][1]["columns"][1]["meta_data"]["codec"]


def metadata_offset(path: Path, footer: int) -> int:
    steps = [wire.FILE_META_DATA_ROW_GROUPS, 1, wire.ROW_GROUP_COLUMNS, 1, wire.COLUMN_CHUNK_META_DATA]
    return footer + kernels.thrift.path(footer_of(path.read_bytes()), steps)[1]


def test_a_missing_field_is_a_finding_with_its_offset(path, implementation):
    footer = rewrite(path, forget_codec)
    report = parquetext.verify(path)
    assert not report.ok
    assert [(found.kind, found.offset, found.place) for found in report.findings] == [
        ("missing-field", metadata_offset(path, footer), "row group 1, column text")
    ]
    assert "a ColumnMetaData without codec (field 4)" in report.findings[0].message


@pytest.mark.parametrize("form", ["thrift", "index"])
@pytest.mark.parametrize("read", ["read", "iter_batches"])
def test_reading_a_struct_without_a_required_field_gives_its_position(path, form, read, implementation):
    footer = rewrite(path, forget_codec)
    if form != "thrift":
        parquetext.upgrade(path, form=form)
        footer = path.stat().st_size - 8 - len(footer_of(path.read_bytes()))  # it follows the index now
    with parquetext.open(path) as file:
        assert file.form == form
        assert file.read(["number"]).column("number").to_pylist() == [1, 2, 3, 4]
        with pytest.raises(Malformed, match=r"codec \(field 4\)") as error:
            list(getattr(file, read)(["text"]))
        assert (error.value.file, error.value.offset) == (str(path), metadata_offset(path, footer))


def test_a_name_that_is_no_utf8_is_a_finding(path, implementation):
    footer = rewrite(path, lambda fields: fields["schema"][1].update(name="n\udcffmber"))
    named = [found for found in parquetext.verify(path).findings if found.kind == "schema"]
    assert [found.offset for found in named] == [path.read_bytes().index(b"n\xffmber")]
    assert named[0].offset > footer


def test_a_schema_that_pyarrow_refuses_is_a_finding(path, implementation):
    rewrite(path, lambda fields: fields["schema"][2].update(type=77))
    assert "schema" in {found.kind for found in parquetext.verify(path).findings}


def test_a_broken_arrow_schema_is_a_finding(path, implementation):
    rewrite(path, lambda fields: fields["key_value_metadata"][0].update(value="/////8gA"))
    assert [found.kind for found in parquetext.verify(path).findings] == ["arrow-schema"]


def test_columns_that_differ_only_by_name_are_checked_once(tmp_path, implementation, monkeypatch):
    from parquetext.inspection.integrity import schema_check

    pq.write_table(pa.table({f"c{n}": [1] for n in range(50)} | {"s": [{"x": 1}]}), tmp_path / "wide.parquet")
    scan = kernels.scan.scan(footer_of((tmp_path / "wide.parquet").read_bytes()))
    assert schema_check._telling_leaves(scan.data, scan) == [0, 10, 50]  # of one digit, of two, of the struct


def test_deep_verification_of_names_that_are_no_utf8_gives_findings(path, implementation):
    rewrite(path, lambda fields: fields["schema"][1].update(name="n\udcffmber"))
    kinds = {found.kind for found in parquetext.verify(path, deep=True).findings}
    assert {"schema", "unreadable"} <= kinds


def test_flips_that_pyarrow_refuses_do_not_pass(path, tmp_path):
    data, flipped_path = path.read_bytes(), tmp_path / "flipped.parquet"
    start = len(data) - 8 - len(footer_of(data))
    refused, passed = 0, []
    for flip in range(0, 8 * (len(data) - 8 - start), 5):
        flipped = bytearray(data)
        flipped[start + (flip >> 3)] ^= 1 << (flip & 7)
        flipped_path.write_bytes(flipped)
        try:
            pq.ParquetFile(flipped_path).close()
        except (pa.ArrowException, OSError, ValueError):
            refused += 1
            passed += [flip] if parquetext.verify(flipped_path).ok else []
    assert refused > 400
    assert len(passed) <= MOST_UNSEEN * refused, passed
