"""Files of the form PARX: read like any other, written only as new files, and never changed."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.changes import changes_of
from support.every_verb import PYTHON
from support.footers import footer_of
from support.parx_files import as_parx, assert_metadata_equal, parx_end
from support.paths_omitted import without_paths

import parquetext
from parquetext import catalog, edits, sidecar
from parquetext.arrow.writing.rewriting import rewrite_file
from parquetext.catalog.footers import read_footer
from parquetext.errors import Damaged, Malformed, ParquetextError, Refused, Unsupported
from parquetext.footer.best_form import best_form
from parquetext.footer.locate import locate
from parquetext.footer.scanning import has_sound_footer
from parquetext.inspection.integrity import inspection
from parquetext.storage import open_source

pytestmark = pytest.mark.usefixtures("implementation")
ROWS = 900
TABLE = pa.table(
    {
        **{f"n{i}": pa.array(range(i, i + ROWS), pa.int64()) for i in range(40)},
        "text": [f"text {i}" if i % 7 else None for i in range(ROWS)],
        "point": [{"x": i / 3, "tags": ["a", str(i)]} for i in range(ROWS)],
    }
)
ENCRYPTED, PATHS_OMITTED, PREVIEW = 1, 2, 4


def plain_bytes() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, row_group_size=300, write_page_checksum=True, write_page_index=True)
    return sink.getvalue()


PLAIN = plain_bytes()
PARX = as_parx(PLAIN)


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "x.parquet"
    path.write_bytes(PARX)
    return path


# ---- reading


def test_metadata_and_schema_are_those_of_the_thrift_footer(path, tmp_path):
    (tmp_path / "plain.parquet").write_bytes(PLAIN)
    with parquetext.open(path) as ours, parquetext.open(tmp_path / "plain.parquet") as thrift:
        assert_metadata_equal(ours, thrift, "parx")
        assert thrift.num_rows == ROWS


def test_values_are_those_that_pyarrow_reads_with_the_thrift_footer(path):
    assert parquetext.read_table(path).equals(TABLE)
    filters = [("n5", ">", 700), ("text", "!=", "text 800")]
    assert parquetext.read_table(path, filters=filters).equals(pq.read_table(io.BytesIO(PLAIN), filters=filters))
    assert parquetext.dataset(str(path)).to_table(columns=["n3"]).equals(TABLE.select(["n3"]))
    assert parquetext.open(PARX).read(["text"]).equals(TABLE.select(["text"]))
    rows = pa.Table.from_batches(catalog.batches_of([str(path)]))
    assert rows.num_rows == 3 * 43 and rows.column("error").null_count == rows.num_rows


def test_a_remote_file_takes_one_request_if_its_footer_fits_in_the_first(path, tmp_path):
    filesystem = pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())
    with parquetext.open((filesystem, "x.parquet")) as file:
        assert (file.form, file.column("n33").leaf) == ("parx", 33)
        assert file.io_stats.requests <= 2
        assert file.read().equals(TABLE)


def test_metadata_without_path_in_schema_are_read_by_the_schema(path, tmp_path):
    path.write_bytes(as_parx(without_paths(PLAIN), PATHS_OMITTED))
    with parquetext.open(path) as file:
        assert file.column("point.tags.list.element").leaf == 42
        assert file.read().equals(TABLE)
    assert parquetext.read_metadata(path).row_group(0).column(41).path_in_schema == "point.x"
    assert parquetext.verify(path, deep=True).findings == []
    assert rewrite_file(path, tmp_path / "new.parquet", form="thrift").rows == ROWS
    assert pq.read_table(tmp_path / "new.parquet").equals(TABLE)


def test_preview_features_are_read_as_far_as_the_metadata_are_known(path):
    path.write_bytes(as_parx(PLAIN, PREVIEW, version=3))
    assert parquetext.read_table(path).equals(TABLE)


@pytest.mark.parametrize(("flags", "preview"), [(PREVIEW, " with preview features"), (0, "")])
def test_metadata_that_cannot_be_parsed_are_an_error_that_names_version_and_preview(path, flags, preview):
    path.write_bytes(b"PARX" + bytes(20) + parx_end(b"\x15\x04\x77", flags, version=9))
    with pytest.raises(Malformed, match=f"major version 9{preview}") as error:
        parquetext.open(path)
    assert error.value.file == str(path) and 24 <= error.value.offset <= 27


# ---- flags, lengths, checksums


@pytest.mark.parametrize(("flags", "bits"), [(1 << 3 | 1 << 31, "bits 3, 31"), (1 << 3, "bit 3")])
def test_unknown_flags_are_refused_by_their_numbers_before_the_checksum_is_checked(path, flags, bits):
    data = bytearray(as_parx(PLAIN, flags))
    data[-5] ^= 1
    path.write_bytes(data)
    with pytest.raises(Unsupported, match=f"set: {bits} of {flags:#010x}") as error:
        parquetext.open(path)
    assert (error.value.file, error.value.offset) == (str(path), len(data) - 13)
    report = parquetext.verify(path)
    assert [finding.kind for finding in report.findings] == ["tail"] and bits in str(report.findings[0])


def test_an_encrypted_footer_is_refused_by_the_name_of_the_flag(path):
    path.write_bytes(as_parx(PLAIN, ENCRYPTED | PATHS_OMITTED))
    for use in (parquetext.open, parquetext.read_table, parquetext.upgrade):
        with pytest.raises(Unsupported, match=r"encrypted .flag ENCRYPTED_FOOTER, bit 0"):
            use(path)
    assert not parquetext.verify(path).ok
    assert "encrypted" in str(inspection.inspect(path).findings)
    assert "encrypted" in str(parquetext.layout(path).findings)


@pytest.mark.parametrize("length", [0, len(PARX) - 20, len(PARX), 0xFFFFFFFF])
def test_a_length_that_does_not_fit_in_the_file_is_malformed(path, length):
    data = bytearray(PARX)
    data[-17:-13] = length.to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(Malformed, match=f"length of {length} bytes does not fit") as error:
        parquetext.open(path)
    assert (error.value.offset, error.value.found) == (len(PARX) - 17, length)


@pytest.mark.parametrize("size", range(4, 22))
def test_a_file_that_is_too_short_is_malformed(size):
    with pytest.raises(ParquetextError, match=r"few|needed|fit"):
        locate(bytes(size - 4) + b"PARX", size)


@pytest.mark.parametrize("back", [5, 9, 17, 200, 5000])
def test_damage_is_an_error_with_both_checksums_and_it_is_final(path, back):
    data = bytearray(PARX)
    data[-back] ^= 4
    path.write_bytes(data)
    with pytest.raises((Damaged, Malformed, Unsupported)) as error:
        parquetext.open(path)
    assert error.value.file == str(path)
    with open_source(path) as source:
        assert not has_sound_footer(source)
    assert not parquetext.verify(path).ok


def test_every_use_of_a_damaged_footer_checks_it(path):
    data = bytearray(PARX)
    at = len(data) - 40
    data[at] ^= 1
    path.write_bytes(data)
    checksum = zlib.crc32(bytes(data[-17 - len(footer_of(PLAIN)) : -8]))
    for use in (parquetext.read_table, sidecar.build, read_footer):
        with pytest.raises(Damaged, match=f"checksum {checksum:#010x}"):
            use(path)
    [finding] = parquetext.verify(path).findings
    assert (finding.kind, finding.offset) == ("parx-damaged", len(data) - 8)
    assert parquetext.verify(path).checked_bytes == len(footer_of(PLAIN)) + 13


class Changed:
    """A file that another program changes between the reads of its tail and of its footer."""

    def __init__(self, before: bytes, after: bytes):
        self.size, self._before, self._after = len(before), before, after

    def read_tail(self, first_read: int) -> tuple[int, bytes]:
        return self.size - 50, self._before[-50:]

    def read(self, offset: int, length: int) -> bytes:
        return self._after[offset : offset + length]


@pytest.mark.parametrize(("flags", "message"), [(1 << 3, "bit 3"), (ENCRYPTED, "encrypted")])
def test_flags_that_are_set_after_the_tail_was_read_are_refused(flags, message):
    source = Changed(PARX, as_parx(PLAIN, flags))
    with pytest.raises(Unsupported, match=message) as error:
        best_form(source)
    assert (error.value.offset, error.value.found) == (len(PARX) - 13, flags)
    assert best_form(Changed(PARX, PARX))[0] == "parx"


def test_a_truncated_file_is_named_by_its_first_bytes(path):
    path.write_bytes(PARX[:-1])
    with pytest.raises(Malformed, match=r"begins as a Parquet file .b'PARX'"):
        parquetext.open(path)


# ---- verification, inspection, layout


@pytest.mark.parametrize("tier", [{}, {"pages": True}, {"deep": True}])
def test_verification_goes_through_all_tiers(path, tier):
    report = parquetext.verify(path, **tier)
    assert (report.findings, report.forms) == ([], ["parx"])
    assert (report.pages > 0) == bool(tier) and report.rows == (ROWS if "deep" in tier else None)


def test_verification_reports_absent_paths_without_the_flag(path):
    path.write_bytes(as_parx(without_paths(PLAIN)))
    [finding] = parquetext.verify(path).findings
    assert finding.kind == "paths-without-flag" and "129 column chunks" in finding.message


def test_inspection_and_layout_show_the_form(path):
    fields, metadata = inspection.inspect(path), len(footer_of(PLAIN))
    [block] = fields.blocks
    assert (fields.form, fields.rows, fields.findings, block.kind) == ("parx", ROWS, [], "PARX footer")
    assert block.offset + metadata + 17 == fields.file_bytes
    parts = {part["name"]: part for part in parquetext.layout(path).parts.to_pylist() if part["kind"] == "parx-footer"}
    assert {name: part["length"] for name, part in parts.items()} == {
        "metadata": metadata,
        "length, flags, version, checksum": 13,
    }


# ---- writing


def test_a_file_is_written_in_the_form_with_its_magic_at_both_ends(path):
    parquetext.write_table(TABLE, path, form="parx", row_group_size=300)
    data = path.read_bytes()
    length = int.from_bytes(data[-17:-13], "little")
    assert data[:4] == data[-4:] == b"PARX" and data[-13:-8] == bytes([0, 0, 0, 0, 2])
    assert int.from_bytes(data[-8:-4], "little") == zlib.crc32(data[-17 - length : -8])
    assert parquetext.read_table(path).equals(TABLE) and parquetext.verify(path, deep=True).ok
    thrift = data[-17 - length : -17]
    again = b"PAR1" + data[4 : -17 - length] + thrift + length.to_bytes(4, "little") + b"PAR1"
    assert pq.read_table(io.BytesIO(again)).equals(TABLE)


def test_streams_objects_and_layouts_by_use_are_written_too(tmp_path):
    stream, filesystem = io.BytesIO(), pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())
    parquetext.write_table(TABLE, stream, form="parx")
    parquetext.write_table(TABLE, "o.parquet", filesystem=filesystem, form="parx", optimize_for="random_access")
    for data in (stream.getvalue(), (tmp_path / "o.parquet").read_bytes()):
        assert data[:4] == b"PARX" and parquetext.open(data).form == "parx"
        assert parquetext.read_table(data).equals(TABLE)


def test_copies_and_encryption_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(Refused, match="cannot have copies"):
        parquetext.write_table(TABLE, tmp_path / "c.parquet", form="parx", copies={"n1": "plain"})
    with pytest.raises(Refused, match="encrypted file"):
        parquetext.write_table(TABLE, tmp_path / "c.parquet", form="parx", encryption_properties=object())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "write",
    [
        lambda path, new: edits.upgrade(path, form="parx"),
        lambda path, new: edits.merge([path], new, form="parx"),
        lambda path, new: list(edits.split(path, new.parent / "parts", form="parx")),
        lambda path, new: rewrite_file(path, new, form="parx"),
        lambda path, new: parquetext.write_to_dataset(TABLE, new, form="parx"),
    ],
    ids=["upgrade", "merge", "split", "rewrite", "write_to_dataset"],
)
def test_commands_that_promise_to_be_lossless_never_convert_to_it(tmp_path, write):
    path = tmp_path / "plain.parquet"
    path.write_bytes(PLAIN)
    with pytest.raises(ParquetextError, match="'parx' cannot be written here"):
        write(path, tmp_path / "new.parquet")
    assert path.read_bytes() == PLAIN and list(tmp_path.iterdir()) == [path]


# ---- changes


@pytest.mark.parametrize("change", changes_of("n1"))
def test_changes_are_refused_with_the_remedy_and_leave_the_file(path, change):
    with pytest.raises(Refused, match="rewrite --form thrift") as error:
        changes_of("n1")[change](path)
    assert error.value.file == str(path) and path.read_bytes() == PARX
    assert [each.name for each in path.parent.iterdir()] == ["x.parquet"]


@pytest.mark.parametrize("verb", PYTHON)
def test_every_verb_works_or_gives_a_clear_error(path, tmp_path, verb, implementation):
    if implementation != "native":
        pytest.skip("once is enough")
    new = tmp_path / "new"
    new.mkdir()
    try:
        PYTHON[verb](str(path), new)
    except ParquetextError as error:
        assert "rewrite --form thrift" in str(error)


def test_a_sidecar_plans_reads_of_the_file(path):
    sidecar.build(path)
    assert parquetext.read_table(path, filters=[("n1", ">", 890)]).equals(TABLE.slice(890))
