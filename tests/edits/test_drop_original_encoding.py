"""drop_original_encoding: columns are their copies in ALP, and the chunks that were copied are gone."""

from __future__ import annotations

import struct
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.copied_files import copies
from support.samples import examples
from support.typer_runner import CliRunner

import parquetext
from parquetext import sidecar, wire
from parquetext.cli.app import app
from parquetext.encoding import registry
from parquetext.errors import Damaged, Refused
from parquetext.inspection.integrity import verify

ROWS, GROUP = 5000, 900
NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000001))[0]
TABLE = pa.table(
    {
        "id": range(ROWS),
        "price": pa.array([None if row % 7 == 0 else row * 37 % 9999 / 100 for row in range(ROWS)]),
        "list": [[row * 0.25, None, -0.0, NAN] if row % 3 else None for row in range(ROWS)],
        "single": pa.array([row % 50 / 2 for row in range(ROWS)], pa.float32()),
        "text": [f"text {row % 9}" for row in range(ROWS)],
    }
)
NATIVE = ("RLE", "UNKNOWN")  # as pyarrow says ALP
ALP = {"price": "alp", "list": "alp", "single": "alp"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path, row_group_size=GROUP, write_page_index=True, compression="zstd")
    return path


def encodings(path, leaf: int) -> set[tuple[str, ...]]:
    footer = pq.read_metadata(path)
    return {footer.row_group(group).column(leaf).encodings for group in range(footer.num_row_groups)}


def bits(table: pa.Table) -> list:
    """Values that are equal only where all of their bits are."""
    return [column.combine_chunks().cast(column.type).to_pylist().__repr__() for column in table.columns]


@pytest.mark.parametrize("columns", [["price"], ["list"], ["id", "single"], None])
def test_columns_become_their_copies_and_the_others_stay(path, columns):
    parquetext.encode(path, ALP)
    before = path.stat().st_size
    dropped = set(ALP) & set(columns or ALP)
    result = parquetext.drop_original_encoding(path, columns, confirm=True)
    assert result.outcome == "dropped" and result.bytes_after == path.stat().st_size < before
    assert bits(parquetext.read_table(path, engine="parquetext")) == bits(TABLE)
    for leaf, name in enumerate(TABLE.column_names):
        assert (encodings(path, leaf) == {NATIVE}) == (name in dropped), name
    others = [name for name in TABLE.column_names if name not in dropped]
    assert bits(pq.read_table(path, columns=others)) == bits(TABLE.select(others))
    found = pq.read_table(path, columns=["id", "text"], filters=[("id", "=", 4321)])
    assert found.to_pylist() == [{"id": 4321, "text": "text 1"}]
    assert verify(path, pages=True).ok
    assert sum(segment["length"] for segment in parquetext.layout(path).parts.to_pylist()) == path.stat().st_size
    with pytest.raises(OSError):
        pq.read_table(path, columns=sorted(dropped))


def test_row_groups_contain_their_sizes(path):
    parquetext.encode(path, ALP)
    parquetext.drop_original_encoding(path, confirm=True)
    footer = pq.read_metadata(path)
    for number in range(footer.num_row_groups):
        group = footer.row_group(number)
        chunks = [group.column(leaf) for leaf in range(group.num_columns)]
        assert group.total_byte_size == sum(chunk.total_uncompressed_size for chunk in chunks)
        assert group.num_rows == chunks[1].num_values


@pytest.mark.parametrize("form", ["flat", "index"])
def test_our_footers_and_sidecars_are_rebuilt(path, form):
    parquetext.upgrade(path, form=form)
    parquetext.encode(path, {"price": "alp"})
    sidecar.build(path)
    assert parquetext.drop_original_encoding(path, confirm=True).form_after == form
    with parquetext.open(path) as file:
        assert file.form == form
        assert set(file.columns(["price"])[0].encodings) == {1 << wire.ENCODING_RLE | 1 << wire.ENCODING_ALP}
        assert bits(file.read(engine="parquetext")) == bits(TABLE)
    assert verify(path, pages=True).ok


def test_copies_of_dropped_chunks_are_removed_and_others_stay(path):
    parquetext.encode(path, {"price": "byte_stream_split", "text": "fsst"})
    parquetext.encode(path, {"price": "alp"})
    parquetext.drop_original_encoding(path, confirm=True)
    assert [copy.uuid.hex[:8] for copy in copies(path)] == ["c3331ac8"] * -(-ROWS // GROUP)
    assert verify(path, deep=True).ok


def test_strip_has_nothing_to_restore(path):
    parquetext.encode(path, ALP)
    parquetext.drop_original_encoding(path, confirm=True)
    assert parquetext.strip(path).outcome == "unchanged"
    assert bits(parquetext.read_table(path, engine="parquetext")) == bits(TABLE)


def test_columns_are_dropped_only_on_request(path):
    parquetext.encode(path, ALP)
    before = path.read_bytes()
    with pytest.raises(Refused, match="pyarrow"):
        parquetext.drop_original_encoding(path)
    assert parquetext.drop_original_encoding(path, dry_run=True).outcome == "would-drop"
    done = CliRunner().invoke(app, ["encode", str(path), "--drop-original"])
    assert done.exit_code == 2 and "DuckDB" in done.stderr and "--yes" in done.stderr
    assert path.read_bytes() == before


def test_a_file_without_copies_in_alp_stays_as_it_is(path):
    parquetext.encode(path, {"price": "byte_stream_split"})
    before = path.read_bytes()
    assert parquetext.drop_original_encoding(path, confirm=True).outcome == "unchanged"
    assert path.read_bytes() == before


def test_a_copy_with_other_values_takes_no_columns_place(path, monkeypatch):
    monkeypatch.setattr("parquetext.rewrite.recode._compare", lambda *_: None)
    known = registry.find(wire.ENCODING_ALP)

    def encode(values, count, type, type_length):
        return known.encode(bytes(values)[:-8] + struct.pack("<d", 1.5), count, type, type_length)

    monkeypatch.setitem(registry._known, wire.ENCODING_ALP, replace(known, encode=encode))
    parquetext.encode(path, {"list": "alp"})
    before = path.read_bytes()
    with pytest.raises(Damaged, match=r"row group 0, column list.* other values"):
        parquetext.drop_original_encoding(path, confirm=True)
    assert path.read_bytes() == before


def test_another_programs_footer_is_not_mistaken_for_that_of_encode(path):
    parquetext.encode(path, {"price": "alp"})
    data = path.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - size : -8].replace(b"parquet-cpp-arrow", b"parquet-cpp-other", 1)
    path.write_bytes(data[: -8 - size] + footer + data[-8:])
    with pytest.raises(Refused, match="another program"):
        parquetext.drop_original_encoding(path, confirm=True)


def test_the_command_drops_the_old_bytes_of_columns(path):
    runner = CliRunner()
    assert runner.invoke(app, ["encode", str(path), "--column", "price", "--encoding", "alp"]).exit_code == 0
    done = runner.invoke(app, ["encode", str(path), "--drop-original", "--yes", "--column", "price"])
    assert done.exit_code == 0 and "readers without ALP" in done.output.replace("\n", " ")
    assert encodings(path, 1) == {NATIVE}
    refused = runner.invoke(app, ["encode", str(path), "--drop-original", "--yes", "--encoding", "alp"])
    assert refused.exit_code == 2


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.none() | st.floats(width=64), min_size=1, max_size=60), st.integers(1, 25), st.booleans())
def test_any_values_are_kept(tmp_path_factory, values, rows_of_group, is_first):
    path = tmp_path_factory.mktemp("any") / "x.parquet"
    columns = {"x": pa.array(values, pa.float64()), "n": range(len(values))}
    table = pa.table(columns if is_first else dict(reversed(columns.items())))
    pq.write_table(table, path, row_group_size=rows_of_group)
    parquetext.encode(path, {"x": "alp"})
    parquetext.drop_original_encoding(path, confirm=True)
    found = parquetext.read_table(path, engine="parquetext")
    assert found["x"].combine_chunks().view(pa.int64()).equals(table["x"].combine_chunks().view(pa.int64()))
    assert found["n"].equals(table["n"])
