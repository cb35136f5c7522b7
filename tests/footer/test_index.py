"""Files with an index: opened by it, equal to the Thrift form, which replaces it only if the index is damaged."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.flat_files import with_flat_footer, with_index

import parquetext
from parquetext import edits, kernels
from parquetext.errors import Malformed, ParquetextError
from parquetext.footer.chunk_table import chunk_table
from parquetext.footer.thrift_form import ThriftForm
from parquetext.inspection.integrity.inspection import inspect


@pytest.fixture
def plain(tmp_path) -> Path:
    """Forty columns, a struct and a list among them, in three row groups."""
    rows = [
        {f"column_{n}": n * i for n in range(38)} | {"place": {"x": i / 3, "y": str(i)}, "tags": ["a", str(i)]}
        for i in range(9)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "plain.parquet", row_group_size=3)
    return tmp_path / "plain.parquet"


@pytest.fixture
def indexed(plain) -> Path:
    path = plain.with_name("index.parquet")
    path.write_bytes(with_index(plain.read_bytes()))
    return path


def test_it_opens_by_its_index_and_reads_like_the_plain_file(implementation, plain, indexed):
    with parquetext.open(indexed) as file, parquetext.open(plain) as other:
        assert (file.form, file.findings) == ("index", [])
        assert file.num_rows == 9
        assert file.schema.equals(other.schema, check_metadata=True)
        assert file.to_arrow().equals(other.to_arrow())
        assert file.column("place.y").min.to_pylist() == ["0", "3", "6"]
        assert [column.name for column in file.columns(["column_7", "place.x"])] == ["column_7", "place.x"]
        assert file.key_values == other.key_values
        for columns in (["column_3"], ["place.y", "tags"], None):
            assert file.read(columns).equals(pq.ParquetFile(plain).read(columns=columns))
        assert file.read(filters=[("column_5", ">", 20)]).num_rows == 4


def test_opening_and_one_column_take_a_few_small_reads(implementation, indexed):
    with parquetext.open(indexed) as file:
        file.column("column_11")
        requests, count = file.io_stats
    assert requests <= 7
    assert count < 4096 + 8192


def test_most_columns_are_one_read(implementation, indexed):
    with parquetext.open(indexed) as file:
        file.columns()
        assert file.io_stats.requests <= 2


def test_upgrading_to_the_other_form_replaces_the_block(implementation, plain):
    original = plain.read_bytes()
    assert edits.upgrade(plain, "index").form_after == "index"
    small = plain.stat().st_size
    assert edits.upgrade(plain, "index").outcome == "unchanged"
    result = edits.upgrade(plain, form="flat")
    assert (result.form_before, result.form_after) == ("index", "flat")
    assert edits.upgrade(plain, "index").form_before == "flat"
    assert plain.stat().st_size == small
    edits.strip(plain)
    assert plain.read_bytes() == original


def test_auto_adds_nothing_to_a_small_footer_and_gives_the_reason(implementation, tmp_path):
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "small.parquet")
    result = edits.upgrade(tmp_path / "small.parquet", "auto")
    assert (result.outcome, result.form_after) == ("unchanged", "thrift")
    assert "read whole" in result.message


def test_auto_adds_an_index_if_the_footer_is_a_large_part_of_the_file(implementation, tmp_path):
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({f"c{n}": [n] for n in range(300)}), path)
    result = edits.upgrade(path, "auto")
    assert (result.outcome, result.form_after) == ("upgraded", "index")
    assert result.message.startswith("index: a packed footer of about")
    with parquetext.open(path) as file:
        assert file.form == "index"


@pytest.mark.parametrize(
    ("columns", "data", "form", "why"),
    [
        (2, 0, "nothing", "is read whole in one request"),
        (300, 0, "index", "of the file"),
        (300, 4 << 20, "packed", "column chunks, and the footer is"),
    ],
)
def test_inspection_reports_the_form_that_auto_adds_and_the_reason(tmp_path, columns, data, form, why):
    path = tmp_path / "x.parquet"
    table = pa.table({f"c{n}": [n] for n in range(columns)} | {"data": [random.Random(1).randbytes(data)]})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_statistics=["c1"])
    said = inspect(path).auto
    assert said.startswith(f"{form}: ") and why in said
    assert edits.upgrade(path, "auto").form_after == form.replace("nothing", "thrift")
    assert inspect(path).auto == said


def test_a_damaged_index_falls_back_to_the_thrift_footer_with_a_finding(implementation, indexed):
    data = bytearray(indexed.read_bytes())
    data[-60] ^= 1  # of the tail block
    indexed.write_bytes(data)
    with parquetext.open(indexed) as file:
        assert file.form == "thrift"
        assert [finding.kind for finding in file.findings] == ["index-damaged"]
        assert file.column("column_3").num_values.tolist() == [3, 3, 3]


def test_a_damaged_cell_is_met_later_and_only_then(implementation, indexed, plain):
    data = bytearray(indexed.read_bytes())
    begin = plain.stat().st_size - 9 + 4 + 2  # after marker and length: the cell of the first column
    data[begin + 9] ^= 4
    indexed.write_bytes(data)
    with parquetext.open(indexed) as file:
        file.column("column_30")
        assert file.form == "index"
        assert file.column("column_0").num_values.tolist() == [3, 3, 3]
        assert (file.form, [finding.kind for finding in file.findings]) == ("thrift", ["index-damaged"])


def test_damaged_thrift_bytes_are_an_error_only_for_calls_that_need_them(implementation, indexed):
    data = bytearray(indexed.read_bytes())
    at = data.rindex(b"column_7")  # the path in the last row group's chunk
    data[at] ^= 1
    indexed.write_bytes(data)
    with parquetext.open(indexed) as file:
        file.column("column_6")
        with pytest.raises(Malformed, match="Thrift bytes with checksum") as raised:
            file.column("column_7")
        assert raised.value.file == str(indexed)
        assert raised.value.offset < at
        assert (file.form, file.findings) == ("index", [])


def test_of_two_damaged_names_the_one_of_the_first_leaf_is_reported(implementation, tmp_path):
    names = [f"column_{number:03d}" for number in range(100)]
    path = tmp_path / "two.parquet"
    pq.write_table(pa.table({name: [1] for name in names}), path)
    parquetext.upgrade(path, form="index")
    data = bytearray(path.read_bytes())
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    first, second = (data.index(name, footer) for name in (b"column_010", b"column_060"))
    data[first] ^= 1
    data[second] ^= 1
    path.write_bytes(data)
    with parquetext.open(path, form="index") as file, pytest.raises(Malformed) as raised:
        file._form.find_columns(names[65:55:-1] + names[15:5:-1])
    assert raised.value.offset < first


def test_of_two_forms_the_last_block_counts_and_the_other_one_is_next(implementation, plain):
    flat = with_flat_footer(plain.read_bytes())
    index = with_index(plain.read_bytes())
    begin = plain.stat().st_size - 9 + 4 + 2
    block = index[begin:-9]
    length = int.from_bytes(flat[-8:-4], "little")
    footer = flat[-8 - length : -8]
    position = kernels.extension.find(footer)
    content = footer[position.payload : position.payload + position.length] + block
    length_bytes = kernels.varint.encode(len(content))
    extended = b"".join((footer[: position.header], b"\x08\xff\xff\x01", length_bytes, content, b"\0"))
    path = plain.with_name("both.parquet")
    whole = bytearray(b"".join((flat[: -8 - length], extended, len(extended).to_bytes(4, "little"), b"PAR1")))
    path.write_bytes(whole)
    with parquetext.open(path) as file:
        assert (file.form, file.findings) == ("index", [])
    whole[-60] ^= 1
    path.write_bytes(whole)
    with parquetext.open(path) as file:
        assert (file.form, [finding.kind for finding in file.findings]) == ("flat", ["index-damaged"])
        assert file.column("column_3").num_values.tolist() == [3, 3, 3]


def test_every_footer_of_the_corpus_reads_by_an_index_as_by_a_scan(corpus, expected):
    indexed = 0
    for known in expected:
        if not known["footer"]["parses"]:
            continue
        data = (corpus / known["file"]).read_bytes()
        footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
        try:
            scan = kernels.scan.scan(footer)
            payload = kernels.index.write(scan)
        except ParquetextError:
            continue
        indexed += 1
        form, reader = ThriftForm(footer), open_index(footer, payload)
        assert chunk_table(reader).equals(chunk_table(form)), known["file"]
        leaves, groups = range(form.leaf_count), range(min(form.row_group_count, 3))
        for wanted in (leaves, leaves[:1], leaves[1::2]):
            assert outcome(reader, wanted, groups) == outcome(form, wanted, groups), known["file"]
    assert indexed >= 444


def outcome(form, leaves, groups) -> bytes | tuple:
    """Return a slice, or the error if it is refused."""
    try:
        return form.slice(leaves, groups, key_values=True)
    except ParquetextError as error:
        return type(error), error.code


def open_index(footer: bytes, payload: bytes):
    class File:
        size = len(footer) + len(payload)

        @staticmethod
        def read(offset: int, length: int) -> bytes:
            return (footer + payload)[offset : offset + length]

    return kernels.index.Reader(File, 0, len(footer), len(payload), footer + payload)
