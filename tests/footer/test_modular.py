"""The modular footer of the public proposal: beside the Thrift footer, alone, and the facts that it drops."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.changes import changes_of
from support.corpus_files import readable
from support.footers import footer_of
from support.modular_files import (
    FILE,
    FLAT,
    SPEC,
    TABLE,
    alone,
    assembled,
    modular_payload,
    modules_of,
    node_facts,
    whole_file,
    written,
)

import parquetext
from parquetext import edits, extension, kernels, sidecar, wire
from parquetext.arrow.writing.rewriting import rewrite_file
from parquetext.errors import ParquetextError, Refused, Unsupported
from parquetext.footer.form_agreement import compare_form
from parquetext.footer.forms import SPECS
from parquetext.footer.locate import locate
from parquetext.footer.model import GROUP
from parquetext.inspection.integrity.inspection import inspect

MOST_BYTES = 1 << 20


@pytest.fixture
def path(tmp_path) -> Path:
    (tmp_path / "x.parquet").write_bytes(FILE)
    return tmp_path / "x.parquet"


# ---- beside the Thrift footer -------------------------------------------------------------------------------------


def test_upgrade_adds_the_block_aside_and_says_that_it_is_experimental(path, implementation):
    result = parquetext.upgrade(path, form="modular")
    assert result.outcome == "upgraded" and "experimental" in result.message
    assert {dropped.field for dropped in result.omitted} >= {"ColumnMetaData.encodings", "ColumnChunk.file_offset"}
    assert pq.read_table(path).equals(TABLE)
    inspected = inspect(path)
    assert inspected.placement == "aside" and inspected.form == "thrift"
    assert any("size_statistics" in fact for fact in inspected.drops)
    again = parquetext.upgrade(path, form="modular")
    assert again.outcome == "unchanged" and again.bytes_after == result.bytes_after
    parquetext.strip(path)
    assert path.read_bytes() == FILE


def test_it_is_read_on_request_only(path, implementation):
    parquetext.upgrade(path, form="modular")
    with parquetext.open(path) as file:
        assert file.form == "thrift" and file.findings == []
    with parquetext.open(path, form="modular") as file:
        assert file.form == "modular" and not file.is_final
        assert file.read().equals(TABLE) and file.read(columns=["point"]).equals(TABLE.select(["point"]))
        assert file.column("id").min.to_pylist() == [0, 10, 20, 30, 40, 50]
        assert file.column("price").null_count.tolist() == [6, 7, 7, 6, 7, 7]
        assert file.row_groups[2].num_rows == 10


def test_it_replaces_a_thrift_footer_that_is_damaged(path):
    parquetext.upgrade(path, form="modular")
    data = bytearray(path.read_bytes())
    data[locate(bytes(data), len(data)).footer_offset] ^= 0xFF
    path.write_bytes(data)
    with parquetext.open(path) as file:
        assert file.form == "modular" and [finding.kind for finding in file.findings] == ["thrift-damaged"]
        assert file.read().equals(TABLE)


@pytest.mark.parametrize("forms", [("arrow", "modular"), ("modular", "arrow")])
def test_it_replaces_damaged_footers_of_two_other_forms(path, forms):
    for form in forms:
        parquetext.upgrade(path, form=form)
    data = bytearray(path.read_bytes())
    data[locate(bytes(data), len(data)).footer_offset] ^= 0xFF
    data[bytes(data).rindex(wire.UUID_ARROW_DIALECT.bytes) - 200] ^= 0xFF
    path.write_bytes(data)
    with parquetext.open(path) as file:
        assert file.form == "modular" and file.read().equals(TABLE)
        assert [finding.kind for finding in file.findings] == ["thrift-damaged", "dialect-damaged"]


@pytest.mark.parametrize("other", ["flat", "index", "packed", "arrow", "jump-table"])
def test_it_stays_beside_other_forms(path, other):
    for names in (("modular", other), (other, "modular")):
        path.write_bytes(FILE)
        for name in (*names, *names):
            parquetext.upgrade(path, form=name)
        report = parquetext.verify(path, deep=True)
        assert report.ok and {*report.forms} == {"thrift", "modular", other}, names
        for name in names:
            assert parquetext.upgrade(path, form=name).outcome == "unchanged", name
        with parquetext.open(path, form="modular") as file:
            assert file.read().equals(TABLE)
        parquetext.strip(path)
        assert path.read_bytes() == FILE


def test_finalize_and_restore_keep_it(path):
    parquetext.upgrade(path, form="modular")
    before = path.read_bytes()
    edits.finalize(path, confirm=True)
    assert edits.restore(path).outcome == "restored" and path.read_bytes() == before


def test_adding_a_page_index_writes_it_again(path):
    parquetext.upgrade(path, form="modular")
    edits.add_page_index(path)
    assert parquetext.verify(path).ok
    with parquetext.open(path, form="modular") as file:
        assert file.read().equals(TABLE)


def test_auto_never_chooses_it(path):
    assert SPEC.refusal(None) is not None
    order = [spec.name for spec in SPECS]
    assert order.index("modular") > order.index("arrow")
    assert parquetext.upgrade(path, form="auto").outcome in ("unchanged", "upgraded")
    with parquetext.open(path) as file:
        assert file.form != "modular"


def test_verify_reports_a_difference_from_the_thrift_footer(path):
    other = written(TABLE.slice(0, 50))
    footer, payload = footer_of(FILE), modular_payload(footer_of(other))
    struct_with = extension.append_block(footer, SPEC.uuid, payload)
    path.write_bytes(FILE[: -8 - len(footer)] + struct_with + len(struct_with).to_bytes(4, "little") + b"PAR1")
    report = parquetext.verify(path)
    assert not report.ok and any(finding.kind == "forms-differ" for finding in report.findings)


# ---- alone --------------------------------------------------------------------------------------------------------


def test_write_table_writes_it_alone(tmp_path, implementation):
    path = tmp_path / "x.parquet"
    parquetext.write_table(TABLE, path, form="modular", row_group_size=10)
    data = path.read_bytes()
    assert data.startswith(b"PAR1") and data.endswith(b"MFP1")
    with pytest.raises(pa.ArrowInvalid):
        pq.read_table(path)
    with parquetext.open(path) as file:
        assert file.form == "modular" and file.is_final and file.findings == []
        assert file.read().equals(TABLE)
        assert file.schema.equals(TABLE.schema)
        assert file.read(columns=["name", "tags"], row_groups=[5, 0]).num_rows == 20
    assert parquetext.read_table(path, filters=[("id", ">=", 55)])["id"].to_pylist() == [55, 56, 57, 58, 59]
    report = parquetext.verify(path, deep=True)
    assert report.ok and report.forms == ["modular"] and report.checked_bytes == 0
    assert "unclaimed" not in {finding.kind for finding in parquetext.layout(path).findings}


@pytest.mark.parametrize("verb", changes_of("id"))
def test_no_verb_changes_a_file_that_has_it_alone(path, verb):
    path.write_bytes(alone(FILE))
    with pytest.raises(Refused, match="parquetext rewrite"):
        changes_of("id")[verb](path)
    assert path.read_bytes() == alone(FILE)


def test_a_sidecar_plans_reads_of_the_file(path):
    path.write_bytes(alone(FILE))
    sidecar.build(path)
    assert parquetext.read_table(path, filters=[("id", ">", 57)]).equals(TABLE.slice(58))


def test_verbs_that_write_new_files_keep_the_thrift_footer_beside_it(path, tmp_path):
    for name, write in {
        "merge": lambda new: edits.merge([path], new, form="modular"),
        "rewrite": lambda new: rewrite_file(path, new, form="modular"),
        "dataset": lambda new: parquetext.write_to_dataset(
            TABLE, new.parent, form="modular", basename_template="dataset{i}.parquet"
        ),
    }.items():
        new = tmp_path / f"{name}.parquet"
        write(new)
        new = new if new.exists() else tmp_path / "dataset0.parquet"
        assert new.read_bytes().endswith(b"PAR1") and pq.read_table(new).equals(TABLE), name


@pytest.mark.parametrize("form", ["modular", "arrow", "jump-table", "flat", "thrift"])
def test_rewrite_reports_the_form_that_was_asked_for(path, tmp_path, form):
    assert rewrite_file(path, tmp_path / "new.parquet", form=form).form == form


def test_a_rewritten_file_has_a_thrift_footer(path, tmp_path):
    path.write_bytes(alone(FILE))
    rewrite_file(path, tmp_path / "y.parquet", form="thrift")
    assert pq.read_table(tmp_path / "y.parquet").equals(TABLE)


def test_both_decoders_read_its_slices(implementation):
    with parquetext.open(alone(FILE)) as file:
        for engine in ("pyarrow", "parquetext"):
            assert file.read(columns=["id", "name"], engine=engine).equals(TABLE.select(["id", "name"])), engine
        footer = file._form.slice(range(file.num_columns), [1, 0], key_values=True)
    end = len(FILE) - 8 - len(footer_of(FILE))
    data = FILE[:end] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    assert pq.read_table(io.BytesIO(data)).equals(pa.concat_tables([TABLE.slice(10, 10), TABLE.slice(0, 10)]))


def test_the_rebuilt_thrift_footer_has_allnode_facts(implementation):
    rebuilt = SPEC.rebuild(modular_payload(footer_of(FILE)))
    ours, theirs = (
        pq.read_metadata(io.BytesIO(FILE[: -8 - len(footer_of(FILE))] + _ended(each)))
        for each in (rebuilt, footer_of(FILE))
    )
    assert ours.schema.equals(theirs.schema) and ours.metadata == theirs.metadata
    for number in range(ours.num_row_groups):
        for leaf in range(ours.num_columns):
            one, other = (each.row_group(number).column(leaf) for each in (ours, theirs))
            for name in ("path_in_schema", "num_values", "total_compressed_size", "data_page_offset", "compression"):
                assert getattr(one, name) == getattr(other, name)
            assert one.statistics == other.statistics
        assert ours.row_group(number).total_byte_size == theirs.row_group(number).total_byte_size


def _ended(footer: bytes) -> bytes:
    return footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("base", [0, 1])
def test_offsets_may_be_absolute_or_relative(base, implementation):
    start = len(FILE) - 8 - len(footer_of(FILE))
    modules = modules_of(modular_payload(footer_of(FILE)))
    del modules[2]  # its offsets would have to change, too
    with parquetext.open(alone(FILE)) as file:
        counts = file.version, len(file.row_groups), file.num_columns, file.num_rows
    payload = assembled(modules, counts, start, base * start)
    with parquetext.open(whole_file(FILE, payload)) as file:
        assert file.read().equals(TABLE) and file.column("id").min.to_pylist() == [None] * 6


# ---- facts --------------------------------------------------------------------------------------------------------


def test_files_of_the_corpus(corpus, expected, implementation):
    files = [path for path in readable(corpus, expected) if path.stat().st_size < MOST_BYTES]
    for path in files if implementation == "native" else files[::8]:
        footer = extension.strip(footer_of(path.read_bytes()))
        scan = kernels.scan.scan(footer)
        try:
            payload = modular_payload(footer)
        except Unsupported as error:
            assert "modular footer" in error.message or not scan.regular, path
            continue
        SPEC.verify_payload(payload)
        form = SPEC.open_payload(payload)
        assert list(compare_form(scan, form, SPEC)) == [], path
        for leaf in range(scan.leaf_count):
            found = SPEC.open_payload(payload)  # without a schema that has been read before
            node = form.node(leaf)
            assert leaf in found.find_name(node.path), path
            assert node_facts(found.node(leaf)) == node_facts(node), path


def test_a_name_of_a_flat_schema_is_found_without_reading_the_schema(implementation):
    form = SPEC.open_payload(modular_payload(footer_of(written(FLAT))))
    assert form.find_name(b"name") == [2] and form.node(2).path == b"name"
    assert form.column(2).array("num_values")[0] == 10
    assert "_skeleton" not in form.__dict__
    assert form.find_name(b"nothing") == [] and form.find_name(b"NAME") == []


def test_names_of_groups_and_names_with_dots_are_found(implementation):
    form = SPEC.open_payload(modular_payload(footer_of(FILE)))
    assert form.find_name(b"point") == [GROUP | 3] or form.find_name(b"point")[0] & GROUP
    assert form.find_name(b"point.y.z") == form.find_name(b"point\0y\0z") == [6]
    dotted = SPEC.open_payload(modular_payload(footer_of(written(pa.table({"a.b": [1], "c": [2]})))))
    assert dotted.find_name(b"a.b") == [0]


def test_exactness_of_bounds_is_kept_and_unknown_if_it_is_not_stored(implementation):
    metadata = pq.read_metadata(io.BytesIO(FILE)).row_group(0).column(0).statistics
    form = SPEC.open_payload(modular_payload(footer_of(FILE)))
    scan = kernels.scan.scan(footer_of(FILE))
    bits = 0xF << 14
    for leaf in range(scan.leaf_count):
        stored, found = scan.column(leaf), form.column(leaf)
        for present, other in zip(stored.array("present"), found.array("present"), strict=True):
            assert metadata is not None and present & bits == other & bits


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"x": pa.array([], pa.int64())}),
        pa.table({"x": [1]}),
        pa.table({"x": pa.array([None, None], pa.string())}),
        pa.table({f"c{n}": [n] for n in range(300)}),
        pa.table({"x": [b"\xff" * 40, b"\xff" * 41]}),
    ],
    ids=["no rows", "one value", "only nulls", "300 columns", "long bounds"],
)
@pytest.mark.parametrize("is_alone", [True, False])
def test_small_and_ragged_files(tmp_path, table, is_alone, implementation):
    path, data = tmp_path / "x.parquet", written(table)
    path.write_bytes(alone(data) if is_alone else data)
    if not is_alone:
        parquetext.upgrade(path, form="modular")
    with parquetext.open(path, form="modular") as file:
        assert file.read().equals(table)
    deep = implementation == "native" or table.num_columns == 1
    assert parquetext.verify(path, deep=deep).ok


def test_a_file_without_row_groups(implementation):
    sink = io.BytesIO()
    pq.ParquetWriter(sink, FLAT.schema).close()
    with parquetext.open(alone(sink.getvalue())) as file:
        assert file.read().equals(FLAT.slice(0, 0)) and len(file.row_groups) == 0


def test_an_error_lists_each_form_that_can_be_written_once(tmp_path):
    with pytest.raises(ParquetextError, match="'par3' cannot be written here: use one of") as error:
        parquetext.write_table(TABLE, tmp_path / "x.parquet", form="par3")
    names = error.value.message.partition("use one of ")[2].split(", ")
    assert len(names) == len({*names}) and {"modular", "parx", "thrift"} <= {*names}
