"""`upgrade` to a jump table: the file that `strip` restores, the pointer beside other forms, and refusals."""

from __future__ import annotations

import io
from pathlib import Path
from uuid import UUID

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of
from support.jump_tables import index_of

import parquetext
from parquetext import extension, kernels, thrift
from parquetext.errors import Refused, Unsupported
from parquetext.footer.jump_table.pointer import Pointer, pointer_in, with_pointer

pytestmark = pytest.mark.usefixtures("implementation")
ROWS = 90
TABLE = pa.table(
    {
        "id": range(ROWS),
        "text": [f"text {n}" if n % 7 else None for n in range(ROWS)],
        "point": [{"x": n, "tags": [str(n)]} for n in range(ROWS)],
    }
)
FOREIGN = UUID("00010203-0405-0607-0809-0a0b0c0d0e0f")


def plain_bytes(**options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, **{"row_group_size": 30, "write_page_index": True, **options})
    return sink.getvalue()


PLAIN = plain_bytes()


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "x.parquet"
    path.write_bytes(PLAIN)
    return path


def with_footer(data: bytes, footer: bytes) -> bytes:
    """The bytes of a file with another Thrift footer."""
    return data[: -8 - len(footer_of(data))] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def with_fields(data: bytes, last: bytes) -> bytes:
    """The bytes of a file whose Thrift footer ends in another field."""
    return with_footer(data, footer_of(data)[:-1] + last + b"\0")


def test_the_pointer_is_the_first_field_and_the_index_precedes_the_footer(path):
    result = parquetext.upgrade(path, form="jump-table")
    assert (result.outcome, result.form_after) == ("upgraded", "jump-table") and "fastparquet" in result.message
    data, before = path.read_bytes(), footer_of(PLAIN)
    footer, start = footer_of(data), len(PLAIN) - 8 - len(before)
    length = len(data) - 8 - len(footer) - start
    assert pointer_in(footer) == Pointer(1, start, length, len(footer))
    assert footer[27:] == b"\x05\x02" + before[1:] and data[:start] == PLAIN[:start]
    assert kernels.thrift.struct_end(data[start : start + length]) == length


def test_other_readers_read_the_values(path):
    parquetext.upgrade(path, form="jump-table")
    assert pq.read_table(path).equals(TABLE)
    assert duckdb.sql(f"select sum(id), count(text) from '{path}'").fetchall() == [(4005, TABLE["text"].length() - 13)]
    assert pl.read_parquet(path)["id"].to_list() == TABLE["id"].to_pylist()


@pytest.mark.parametrize("options", [{}, {"store_schema": False}, {"row_group_size": 1}, {"write_statistics": False}])
def test_strip_restores_the_file_byte_for_byte(path, options):
    original = plain_bytes(**options)
    path.write_bytes(original)
    parquetext.upgrade(path, form="jump-table")
    upgraded = path.read_bytes()
    assert parquetext.upgrade(path, form="jump-table").outcome == "unchanged" and path.read_bytes() == upgraded
    result = parquetext.strip(path)
    assert (result.form_before, result.form_after) == ("jump-table", "thrift") and path.read_bytes() == original


@pytest.mark.parametrize("table", [TABLE.slice(0, 0), TABLE.select(["id"])], ids=["no rows", "one column"])
def test_small_tables_have_jump_tables(path, table):
    pq.write_table(table, path)
    original = path.read_bytes()
    parquetext.upgrade(path, form="jump-table")
    with parquetext.open(path) as file:
        assert file.form == "jump-table" and file.read().equals(table)
    assert parquetext.verify(path, deep=True).findings == []
    parquetext.strip(path)
    assert path.read_bytes() == original


@pytest.mark.parametrize("placement", ["aside", "in-struct"])
@pytest.mark.parametrize("form", ["flat", "index", "packed"])
@pytest.mark.parametrize("is_first", [True, False])
def test_it_is_beside_another_form_in_either_order(path, form, placement, is_first):
    def add_form() -> None:
        parquetext.upgrade(path, form=form, placement=placement)

    if is_first:
        add_form()
    parquetext.upgrade(path, form="jump-table")
    if not is_first:
        add_form()
    data = path.read_bytes()
    assert pointer_in(footer_of(data)).metadata_length == len(footer_of(data))
    assert parquetext.upgrade(path, form="jump-table").outcome == "unchanged"
    add_form()
    assert path.read_bytes() == data
    report = parquetext.verify(path, deep=True)
    assert (report.findings, report.forms) == ([], ["thrift", form, "jump-table"])
    for name in (form, "jump-table"):
        with parquetext.open(path, form=name) as file:
            assert file.form == name and file.read().equals(TABLE)
    assert parquetext.open(path).form == form
    parquetext.strip(path)
    assert path.read_bytes() == PLAIN


def test_the_dialect_is_beside_it(path):
    parquetext.upgrade(path, form="jump-table")
    parquetext.upgrade(path, form="arrow")
    assert parquetext.verify(path).forms == ["thrift", "arrow", "jump-table"]
    parquetext.strip(path, kinds=parquetext.footer.forms.BY_NAME["arrow"].uuid)
    data = path.read_bytes()
    assert pointer_in(footer_of(data)).metadata_length == len(footer_of(data)) and b"ARROW1" not in data[-40:]
    parquetext.strip(path)
    assert path.read_bytes() == PLAIN


def test_blocks_of_other_programs_stay(path):
    footer = extension.append_block(footer_of(PLAIN), FOREIGN, b"of another program")
    original = with_footer(PLAIN, footer)
    path.write_bytes(original)
    parquetext.upgrade(path, form="jump-table")
    parquetext.upgrade(path, form="flat")
    assert b"of another program" in path.read_bytes() and parquetext.verify(path, deep=True).ok
    parquetext.strip(path)
    assert path.read_bytes() == original


def test_a_damaged_index_is_replaced(path):
    parquetext.upgrade(path, form="jump-table")
    good = path.read_bytes()
    damaged = bytearray(good)
    damaged[len(PLAIN) - 8 - len(footer_of(PLAIN)) + 8] ^= 1
    path.write_bytes(damaged)
    assert parquetext.upgrade(path, form="jump-table").outcome == "upgraded" and path.read_bytes() == good


@pytest.mark.parametrize("begin", [4, 100, 1000])
@pytest.mark.parametrize("form", ["flat", "modular", "jump-table", None])
def test_data_to_which_a_pointer_leads_are_not_removed(path, form, begin):
    footer = footer_of(PLAIN)
    at, length = len(PLAIN) - 8 - len(footer), len(footer) + 28
    path.write_bytes(with_footer(PLAIN, with_pointer(footer, Pointer(1, begin, at - begin, length))))
    if form is not None:
        parquetext.upgrade(path, form=form)
        assert pq.read_table(path).equals(TABLE) and parquetext.verify(path, deep=True).ok
        assert parquetext.upgrade(path, form=form).outcome == "unchanged"
    parquetext.strip(path)
    assert path.read_bytes() == PLAIN


def test_data_in_a_sound_index_are_not_removed(path):
    """Pages in an unknown field of the index are data, though the index is a struct."""
    before, footer = PLAIN[:4], footer_of(PLAIN)
    fields = thrift.read("FileMetaData", footer)
    index, data = index_of(footer)[:-1], PLAIN[4 : -8 - len(footer)]
    head = index + b"\x38" + kernels.varint.encode(len(data))
    for group in fields["row_groups"]:
        for chunk in group["columns"]:
            metadata = chunk["meta_data"]
            for name in ("data_page_offset", "dictionary_page_offset"):
                if name in metadata:
                    metadata[name] += len(head)
            for name in [name for name in chunk if "index" in name]:
                del chunk[name]
    footer = thrift.write("FileMetaData", fields)
    whole = head + data + b"\0"
    pointer = with_pointer(footer, Pointer(1, len(before), len(whole), len(footer) + 28))
    stripped = before + whole + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    path.write_bytes(before + whole + pointer + len(pointer).to_bytes(4, "little") + b"PAR1")
    assert pq.read_table(path).equals(TABLE)
    parquetext.strip(path)
    assert path.read_bytes() == stripped and pq.read_table(path).equals(TABLE)


def test_finalize_and_restore_keep_it(path):
    parquetext.upgrade(path, form="jump-table")
    before = path.read_bytes()
    parquetext.finalize(path, confirm=True)
    assert parquetext.open(path).form == "par3" and parquetext.verify(path, deep=True).ok
    parquetext.restore(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("field", "message"),
    [(b"\x05\x14\x04", "an i32, format_major_version"), (b"\x08\x14\x01x", "field 10 of the footer is in use")],
    ids=["i32", "binary"],
)
def test_a_footer_that_uses_field_10_is_refused(path, field, message):
    data = with_fields(PLAIN, field)
    path.write_bytes(data)
    with pytest.raises(Refused, match=message) as error:
        parquetext.upgrade(path, form="jump-table")
    assert error.value.file == str(path) and path.read_bytes() == data
    assert parquetext.open(path).findings == [] and parquetext.open(path).form == "thrift"


@pytest.mark.parametrize("form", ["packed", "index", "modular", "jump-table"])
def test_row_groups_without_one_chunk_per_leaf_are_unsupported(path, form):
    fields = thrift.read("FileMetaData", footer_of(PLAIN))
    fields["row_groups"][1]["columns"].pop()
    footer = thrift.write("FileMetaData", fields)
    data = with_footer(PLAIN, footer)
    path.write_bytes(data)
    with pytest.raises(Unsupported, match="a row group has 3 column chunks, the schema 4 leaves") as error:
        parquetext.upgrade(path, form=form)
    at = len(data) - 8 - len(footer) + kernels.scan.scan(footer).row_groups("columns_offset")[1]
    assert (error.value.file, error.value.offset) == (str(path), at)
    assert (error.value.expected, error.value.found) == (4, 3) and path.read_bytes() == data


def test_a_group_without_children_is_unsupported(path):
    pq.write_table(pa.table({"a": [1]}).select([]), path)
    data = path.read_bytes()
    with pytest.raises(Unsupported, match="a group without children") as error:
        parquetext.upgrade(path, form="jump-table")
    assert len(data) - 8 - len(footer_of(data)) < error.value.offset < len(data) - 8
    assert (error.value.expected, error.value.found) == (1, 0) and path.read_bytes() == data


@pytest.mark.parametrize("change", [{"type": 6}, {"path_in_schema": ["other"]}, {"type": None}], ids=str)
def test_a_chunk_that_contradicts_the_schema_is_unsupported(path, change):
    fields = thrift.read("FileMetaData", footer_of(PLAIN))
    metadata = fields["row_groups"][1]["columns"][2]["meta_data"]
    metadata.update(change)
    if change == {"type": None}:
        del metadata["type"]
    data = with_footer(PLAIN, thrift.write("FileMetaData", fields))
    path.write_bytes(data)
    with pytest.raises(Unsupported, match="row group 1, leaf 2: a column chunk that contradicts"):
        parquetext.upgrade(path, form="jump-table")
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "change",
    [
        parquetext.add_page_index,
        lambda path: parquetext.encode(path, {"id": "plain"}),
        lambda path: parquetext.drop_original_encoding(path, confirm=True),
        lambda path: parquetext.finalize(path, confirm=True, extensions={FOREIGN: b"x"}),
    ],
    ids=["add_page_index", "encode", "drop_original_encoding", "finalize with extensions"],
)
def test_changes_of_the_struct_are_refused(path, change):
    parquetext.upgrade(path, form="jump-table")
    before = path.read_bytes()
    with pytest.raises(Refused, match="strip the file first"):
        change(path)
    assert path.read_bytes() == before


def test_an_encoded_file_gets_none(path):
    parquetext.encode(path, {"id": "pfor"})
    before = path.read_bytes()
    with pytest.raises(Refused, match="records its state from before"):
        parquetext.upgrade(path, form="jump-table")
    assert path.read_bytes() == before


def test_merge_and_split_drop_it_unless_it_is_requested(path, tmp_path):
    parquetext.upgrade(path, form="jump-table")
    for form in ("thrift", "jump-table"):
        merged = tmp_path / f"{form}.parquet"
        parquetext.merge([path, path], merged, form=form)
        assert parquetext.open(merged).form == form and parquetext.verify(merged, deep=True).findings == []
        assert parquetext.read_table(merged).num_rows == 2 * ROWS
    [part] = parquetext.split(path, tmp_path / "parts", files=1, form="thrift")
    assert pointer_in(footer_of(Path(part.path).read_bytes())) is None


def test_a_change_in_place_is_taken_back_too(path):
    parquetext.upgrade(path, form="jump-table", in_place=True)
    parquetext.upgrade(path, form="flat", in_place=True)
    assert parquetext.verify(path, deep=True).forms == ["thrift", "flat", "jump-table"]
    parquetext.strip(path, in_place=True)
    assert path.read_bytes() == PLAIN and [each.name for each in path.parent.iterdir()] == ["x.parquet"]


def test_a_dry_run_names_the_readers_and_changes_nothing(path):
    result = parquetext.upgrade(path, form="jump-table", dry_run=True)
    assert result.outcome == "would-upgrade" and "fastparquet" in result.message and path.read_bytes() == PLAIN


def test_copies_of_columns_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(Refused, match="cannot have copies"):
        parquetext.write_table(TABLE, tmp_path / "x.parquet", form="jump-table", copies={"id": "plain"})
    assert list(tmp_path.iterdir()) == []


def test_writers_write_it(tmp_path):
    stream = io.BytesIO()
    parquetext.write_table(TABLE, stream, form="jump-table")
    assert parquetext.open(stream.getvalue()).form == "jump-table"
    parquetext.write_to_dataset(TABLE, tmp_path / "lake", form="jump-table")
    [file] = (tmp_path / "lake").iterdir()
    assert parquetext.verify(file, deep=True).forms == ["thrift", "jump-table"]
    assert parquetext.dataset(str(tmp_path / "lake")).to_table().equals(TABLE)
