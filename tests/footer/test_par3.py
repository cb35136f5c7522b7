"""A file with only a flat footer (magic PAR3): read like any other, and its damage is final."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.flat_files import as_par3
from support.parx_files import assert_metadata_equal

import parquetext
from parquetext import footer, kernels
from parquetext.errors import Damaged, ParquetextError, Unsupported
from parquetext.inspection import integrity
from parquetext.inspection.integrity.inspection import inspect

pytestmark = pytest.mark.usefixtures("implementation")
ROWS = 900
TABLE = pa.table(
    {
        **{f"n{i}": pa.array(range(i, i + ROWS), pa.int64()) for i in range(60)},
        "text": [f"text {i}" if i % 7 else None for i in range(ROWS)],
        "place": [{"x": i / 3, "tags": ["a", str(i)]} for i in range(ROWS)],
        "when": pa.array(range(ROWS), pa.duration("us")),
    }
)


def plain_bytes() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, row_group_size=300, write_page_checksum=True, write_page_index=True)
    return sink.getvalue()


PLAIN = plain_bytes()


@pytest.fixture
def path(tmp_path) -> str:
    path = tmp_path / "alone.parquet"
    path.write_bytes(as_par3(PLAIN))
    return str(path)


def flip(path: str, at: int) -> None:
    data = bytearray(Path(path).read_bytes())
    data[at] ^= 4
    Path(path).write_bytes(data)


def test_metadata_and_schema_are_those_of_the_thrift_footer(path, tmp_path):
    (tmp_path / "plain.parquet").write_bytes(PLAIN)
    with parquetext.open(path) as ours, parquetext.open(tmp_path / "plain.parquet") as thrift:
        assert_metadata_equal(ours, thrift, "par3")
        assert thrift.num_rows == ROWS
        for name in ("n7", "text", "place.x", ("place", "tags", "list", "element")):
            a, b = ours.column(name), thrift.column(name)
            assert (a.min_bytes.to_list(), a.max_bytes.to_list()) == (b.min_bytes.to_list(), b.max_bytes.to_list())
            assert (list(a.data_page_offset), list(a.null_count)) == (list(b.data_page_offset), list(b.null_count))


def test_either_magic_is_accepted_at_the_beginning(path):
    data = Path(path).read_bytes()
    assert data[:4] == b"PAR1"
    Path(path).write_bytes(b"PAR3" + data[4:])
    with parquetext.open(path) as file:
        assert (file.form, file.findings) == ("par3", [])
        assert file.read().equals(TABLE)
    assert integrity.verify(path, deep=True).ok
    assert parquetext.restore(path).outcome == "restored"
    assert pq.read_table(path).equals(TABLE)


def test_values_are_those_that_pyarrow_reads_with_the_thrift_footer(path):
    assert parquetext.read_table(path).equals(TABLE)
    assert parquetext.read_table(path, columns=[("place", "x"), "n3"]).equals(
        pq.ParquetFile(io.BytesIO(PLAIN)).read(columns=["place.x", "n3"])
    )
    filters = [("n5", ">", 700), ("text", "!=", "text 800")]
    assert parquetext.read_table(path, filters=filters).equals(pq.read_table(io.BytesIO(PLAIN), filters=filters))
    assert parquetext.read_schema(path).equals(TABLE.schema)


def test_footers_that_cannot_be_sliced_raise(path, monkeypatch):
    class Refusing:
        def __init__(self, form):
            self._form = form

        def __getattr__(self, name):
            return getattr(self._form, name)

        def slice(self, *_, **__):
            raise Unsupported("not to be sliced")

    with parquetext.open(path) as file:
        monkeypatch.setattr(file, "_form", Refusing(file._form))
        with pytest.raises(Unsupported, match="restore") as error:
            file.read(["n3"])
        assert error.value.file == path


def test_one_column_costs_the_tail_a_bucket_and_its_cell(path):
    with parquetext.open(path) as file:
        assert file.column("n33").leaf == 33
        assert file.io_stats.requests <= 3 and file.io_stats.bytes < 8192


def test_any_filesystem(path, tmp_path):
    filesystem = pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())
    with parquetext.open((filesystem, "alone.parquet")) as file:
        assert (file.form, file.column("n33").leaf, file.findings) == ("par3", 33, [])
        assert file.io_stats.requests <= 3
        assert file.read().equals(TABLE)


def test_existing_readers_report_that_it_is_not_parquet(path):
    with pytest.raises(pa.ArrowInvalid, match="magic bytes not found"):
        pq.read_table(path)


@pytest.mark.parametrize(
    ("back", "message"),
    [
        (6, "length, .* has the checksum"),
        (10, "length, .* has the checksum"),
        (30, "{end - 18}|checksum"),
    ],
)
def test_damage_at_the_end_is_an_error_that_names_the_place(path, back, message):
    size = os.path.getsize(path)
    flip(path, size - back)
    with pytest.raises(Damaged) as error:
        parquetext.open(path)
    assert error.value.file == path and size - 100 < error.value.offset < size
    assert str(path) in str(error.value)


def test_damage_in_a_columns_cell_is_final_for_that_column_alone(path):
    with parquetext.open(path) as file:
        at = Path(path).read_bytes().index(b"n33", len(PLAIN) - len(PLAIN) // 3)
        other = file.column("n2").max.to_pylist()
    flip(path, at)
    with parquetext.open(path) as file:
        with pytest.raises(Damaged, match="checksum") as error:
            file.column("n33")
        assert error.value.file == path and abs(error.value.offset - at) < 2048
        assert (file.form, file.column("n2").max.to_pylist()) == ("par3", other)


@pytest.mark.parametrize("tier", [{}, {"pages": True}, {"deep": True}])
def test_verification_goes_through_all_tiers(path, tier):
    report = integrity.verify(path, **tier)
    assert report.ok, report.findings
    assert report.forms == ["par3"]
    assert report.checked_bytes > 0 and (report.pages > 0) == bool(tier)
    assert report.rows == (ROWS if "deep" in tier else None)


def test_verification_finds_damage_in_footer_and_pages(path):
    flip(path, 200)
    assert "page-checksum" in {finding.kind for finding in integrity.verify(path, pages=True).findings}
    flip(path, os.path.getsize(path) - 600)
    assert {finding.kind for finding in integrity.verify(path, deep=True).findings} == {
        "block-checksum",
        "flat-damaged",
    }


def test_inspection_shows_form_and_sizes(path):
    fields = inspect(path)
    [block] = fields.blocks
    assert (fields.form, fields.rows, fields.columns, fields.findings) == ("par3", ROWS, 64, [])
    assert fields.footer_bytes == block.bytes == fields.file_bytes - fields.footer_offset - 16
    assert (fields.thrift_bytes, fields.marker) == (None, "none")


def test_operations_on_thrift_bytes_name_restore(path):
    for source in (path, Path(path).read_bytes()):
        with pytest.raises(ParquetextError, match="restore"):
            footer.scan(source)


def test_the_command_line_shows_it(path):
    if kernels.implementation() != "native":
        pytest.skip("once is enough")
    done = subprocess.run(
        [sys.executable, "-m", "parquetext", "inspect", path],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert "par3" in done.stdout
