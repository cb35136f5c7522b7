"""Each registered form keeps its promises: equal facts, rejected damage, and the rebuilt Thrift footer."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.samples import some

import parquetext
from parquetext import edits, extension, kernels, thrift, wire
from parquetext.findings import is_sound
from parquetext.footer.best_form import named_form
from parquetext.footer.chunk_fields import FIELD_NAMES, Fields
from parquetext.footer.form_agreement import compare_form
from parquetext.footer.form_spec import BuildOptions, Checked, FormSpec
from parquetext.footer.forms import BY_NAME, SPECS, THRIFT, add_referred, spec_of
from parquetext.footer.locate import read_tail
from parquetext.storage import open_source
from parquetext.thrift import integer
from parquetext.thrift.values import Unknown

ROWS = 30
TABLE = pa.table(
    {
        "id": range(ROWS),
        "price": [None if n % 3 else n / 7 for n in range(ROWS)],
        "name": [f"a name with the number {n}" for n in range(ROWS)],
        "day": [datetime.date(2024, 1, 1 + n) for n in range(ROWS)],
        "amount": [Decimal(n) / 4 for n in range(ROWS)],
        "tags": [[str(n)] * (n % 3) for n in range(ROWS)],
        "point": [{"x": n, "y": -n} for n in range(ROWS)],
    }
)
FORMS = [pytest.param(spec, id=spec.name) for spec in SPECS]


def written() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, row_group_size=10, write_page_index=True, store_decimal_as_integer=True)
    return sink.getvalue()


ORIGINAL = written()


def with_form(path: Path, spec: FormSpec) -> Path:
    """Write a file in a form."""
    path.write_bytes(ORIGINAL)
    if spec.is_written_alone:
        end = len(ORIGINAL) - 8 - len(footer_of(ORIGINAL))
        payload, trailer, _ = spec.build(kernels.scan.scan(footer_of(ORIGINAL)), BuildOptions(offset=end))
        data = ORIGINAL[len(spec.first_bytes) : end]
        path.write_bytes(spec.first_bytes + data + payload + trailer)
    elif spec.is_final:
        edits.finalize(path, confirm=True)
    elif spec is not THRIFT:
        edits.upgrade(path, form=spec.name)
    return path


@pytest.fixture
def original_scan():
    return kernels.scan.scan(footer_of(ORIGINAL))


def footer_of(data: bytes) -> bytes:
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def checked(path: Path, spec: FormSpec) -> Checked:
    """Return the form of a file as `verify` passes it to the form's check."""
    with open_source(path) as source:
        tail = read_tail(source)
        end = source.read(tail.start, tail.footer_offset - tail.start + tail.footer_length)
    add_referred(tail, end[tail.footer_offset - tail.start :])
    scan = None if tail.is_final else kernels.scan.scan(end[tail.footer_offset - tail.start :])
    return Checked(Bytes(path.read_bytes()), end, tail, spec.find(tail), scan)


class Bytes:
    """A file's bytes as a source."""

    def __init__(self, data: bytes):
        self.data, self.size = data, len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


@pytest.mark.parametrize("spec", FORMS)
def test_every_form_is_located_opened_by_name_and_verified(tmp_path, spec, implementation):
    path = with_form(tmp_path / "x.parquet", spec)
    with parquetext.open(path) as file:
        is_opened = spec.is_preferred or spec.is_written_alone or spec is THRIFT
        assert (file.form == spec.name) == is_opened and file.findings == []
    with parquetext.open(path, form=spec.name) as file:
        assert file.form == spec.name and file.read().equals(TABLE)
    report = parquetext.verify(path, deep=True)
    assert report.ok and spec.name in report.forms


@pytest.mark.parametrize("spec", FORMS)
def test_every_form_gives_the_metadata_of_the_thrift_footer(tmp_path, spec, original_scan, implementation):
    path = with_form(tmp_path / "x.parquet", spec)
    with parquetext.open(path, form=spec.name) as file:
        reader = file._form
        if spec.is_lossless or spec.is_verified:
            assert list(compare_form(original_scan, reader, spec)) == []
        for leaf in range(original_scan.leaf_count):
            stored, found = original_scan.column(leaf), spec.column(reader, leaf)
            for name in ("type", "codec", "num_values", "total_compressed_size", "data_page_offset", "null_count"):
                assert list(found.array(name)) == list(stored.array(name)), name
        assert [list(column.array("num_values")) for column in spec.columns(reader, Fields.PLACEMENT)] == [
            list(original_scan.column(leaf).array("num_values")) for leaf in range(original_scan.leaf_count)
        ]
        of_row_group = spec.row_group(reader, 1, Fields.PLACEMENT)
        assert of_row_group.keys() == {*FIELD_NAMES[Fields.PLACEMENT]}
        assert of_row_group["data_page_offset"] == [
            original_scan.column(leaf).array("data_page_offset")[1] for leaf in range(original_scan.leaf_count)
        ]
        structs = spec.chunk_structs(reader, 0, 1, 2) if spec_of(reader) is spec else None
        assert structs is None or len(structs) == 2


@pytest.mark.parametrize("spec", FORMS)
def test_the_default_slice_of_every_form_is_a_footer_of_the_projection(tmp_path, spec, implementation):
    path = with_form(tmp_path / "x.parquet", spec)
    with parquetext.open(path, form=spec.name) as file:
        leaves = [0, 2, 5]
        footer = spec.slice(file._form, leaves, [2, 0])
        ours, theirs = (kernels.scan.scan(found) for found in (footer, file._form.slice(leaves, [2, 0])))
    for name in (*FIELD_NAMES[Fields.PLACEMENT][:2], "num_values", "data_page_offset", "total_compressed_size"):
        assert list(ours.chunks(name)) == list(theirs.chunks(name)), name
    data = ORIGINAL[: -8 - len(footer_of(ORIGINAL))] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    expected = TABLE.select(["id", "name", "tags"])
    assert pq.read_table(io.BytesIO(data)).equals(pa.concat_tables([expected.slice(20), expected.slice(0, 10)]))


@pytest.mark.parametrize("spec", FORMS)
def test_promises_of_bounds_names_and_page_indexes_hold(tmp_path, spec, implementation):
    path = with_form(tmp_path / "x.parquet", spec)
    with parquetext.open(path, form=spec.name) as file:
        column = file.column("id")
        if spec.has_bounds:
            assert column.min.to_pylist() == [0, 10, 20] and column.max.to_pylist() == [9, 19, 29]
        if spec.has_names:
            assert file._form.find_name(b"price") == [1]
        if spec.has_page_index:
            assert all(offset > 0 for offset in column.offset_index_offset)
        assert spec.has_slots or dict(file.extensions) == {}


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.is_verified], ids=lambda spec: spec.name)
def test_every_flipped_bit_of_a_verified_form_is_rejected(tmp_path, spec):
    """Without --long two bits of each byte are flipped."""
    path = with_form(tmp_path / "x.parquet", spec)
    form = checked(path, spec)
    assert is_sound(spec.check(form))
    begin, end = form.block.payload - form.tail.start, bytearray(form.end)
    for position in range(begin, begin + form.block.length):
        for bit in some(range(8), 4, position):
            end[position] ^= 1 << bit
            form.end, form.source = bytes(end), None
            assert not is_sound(list(spec.check(form))), (position - begin, bit)
            end[position] ^= 1 << bit


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.is_lossless], ids=lambda spec: spec.name)
def test_a_lossless_form_gives_the_thrift_footer_back(tmp_path, spec, implementation):
    form = with_form(tmp_path / "x.parquet", spec)
    payload = footer_of(ORIGINAL) if spec is THRIFT else bytes(checked(form, spec).payload)
    assert bytes(spec.rebuild(payload)) == extension.strip(footer_of(ORIGINAL)) == footer_of(ORIGINAL)


UNKNOWN = {77: Unknown(wire.TYPE_I32, integer(5)), 78: Unknown(wire.TYPE_BINARY, b"\x03abc")}


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.is_lossless], ids=lambda spec: spec.name)
def test_a_lossless_form_gives_unknown_fields_of_every_struct_back(spec, implementation):
    fields = thrift.read("FileMetaData", footer_of(ORIGINAL))
    structs = [fields, fields["schema"][2], *fields["key_value_metadata"]]
    for group in (fields["row_groups"][0], fields["row_groups"][2]):
        chunk = group["columns"][3]
        structs += [group, chunk, chunk["meta_data"], chunk["meta_data"]["statistics"]]
    for struct in structs:
        struct |= UNKNOWN
    footer = thrift.write("FileMetaData", fields)
    assert footer.count(b"\x03abc") == len(structs)
    payload = footer if spec is THRIFT else spec.build(kernels.scan.scan(footer), BuildOptions()).payload
    assert bytes(spec.rebuild(payload)) == footer


@pytest.mark.parametrize("spec", [spec for spec in SPECS if not spec.is_written_alone], ids=lambda spec: spec.name)
def test_the_way_back_gives_the_original_file(tmp_path, spec, implementation):
    path = with_form(tmp_path / "x.parquet", spec)
    if spec.is_final:
        edits.restore(path)
    edits.strip(path)
    assert path.read_bytes() == ORIGINAL


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.is_written_alone], ids=lambda spec: spec.name)
def test_a_form_that_new_files_have_alone_is_written_by_the_writer(tmp_path, spec, implementation):
    path = tmp_path / "x.parquet"
    parquetext.write_table(TABLE, path, form=spec.name)
    data = path.read_bytes()
    assert data.startswith(spec.first_bytes) and data.endswith(spec.magic)
    with parquetext.open(path) as file:
        assert file.form == spec.name and file.read().equals(TABLE)
    for change in (edits.strip, edits.restore, edits.upgrade):
        with pytest.raises(parquetext.errors.Refused, match="parquetext rewrite"):
            change(path)
    assert path.read_bytes() == data


def test_a_form_that_is_not_in_the_file_is_an_error(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(ORIGINAL)
    for name in BY_NAME.keys() - {THRIFT.name}:
        with open_source(path) as source, pytest.raises(parquetext.errors.Unsupported, match="no block of the"):
            named_form(source, name)
