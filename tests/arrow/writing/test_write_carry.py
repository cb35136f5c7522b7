"""Writing with copies of columns in other encodings, in one go."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import ColumnError, ParquetextError, Refused, Unsupported
from parquetext.storage.new_file import NewFile

CHANCE = random.Random(3)
ROWS = 2000
TABLE = pa.table(
    {
        "id": range(ROWS),
        "price": [round(CHANCE.random() * 1000, 2) if row % 9 else None for row in range(ROWS)],
        "word": [f"word {row % 7}" for row in range(ROWS)],
        "part": [{"x": row % 5, "y": [row / 4]} for row in range(ROWS)],
    }
)
CARRY = {"price": "alp", "id": "delta_binary_packed", "part.x": "pfor"}


@pytest.fixture
def path(tmp_path) -> Path:
    (tmp_path / "target").mkdir()
    return tmp_path / "target" / "x.parquet"


@pytest.mark.parametrize("form", ["thrift", "flat", "index"])
@pytest.mark.parametrize("codec", [None, "zstd"])
def test_the_file_is_equal_to_that_of_encode(implementation, path, form, codec):
    parquetext.write_table(TABLE, path, 700, form=form)
    original = path.read_bytes()
    parquetext.encode(path, CARRY, codec=codec)
    other = path.with_name("y.parquet")
    parquetext.write_table(TABLE, other, 700, form=form, carry=CARRY, carry_codec=codec)
    assert other.read_bytes() == path.read_bytes()
    with parquetext.open(other) as file:
        assert (file.form, [*file.findings]) == (form, [])
        assert file.read(engine="parquetext").equals(TABLE)
        assert not file.findings
    parquetext.strip(other)
    assert other.read_bytes() == original


@pytest.mark.parametrize("placement", ["aside", "in-struct", "after-stop"])
def test_the_footers_placement_is_kept(path, placement):
    parquetext.write_table(TABLE, path, form="flat", placement=placement, carry=CARRY)
    parquetext.write_table(TABLE, path.with_name("y.parquet"), form="flat", placement=placement)
    parquetext.encode(path.with_name("y.parquet"), CARRY)
    assert path.read_bytes() == path.with_name("y.parquet").read_bytes()


def test_batches_and_streams_give_equal_files(path):
    stream = io.BytesIO()
    for where in (path, stream):
        with parquetext.ParquetWriter(where, TABLE.schema, carry=CARRY) as writer:
            for batch in TABLE.to_batches(900):
                writer.write_batch(batch)
    assert stream.getvalue() == path.read_bytes()
    assert pq.ParquetFile(path).num_row_groups == 3


def test_a_table_without_rows_has_nothing_to_encode(path):
    parquetext.write_table(TABLE[:0], path, form="thrift", carry=CARRY)
    sink = io.BytesIO()
    pq.write_table(TABLE[:0], sink)
    assert path.read_bytes() == sink.getvalue()


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (ColumnError, {"carry": {"nothing": "alp"}}),
        (Unsupported, {"carry": {"price": "no such"}}),
        (ParquetextError, {"carry": {"price": "alp"}, "carry_codec": "lzo"}),
        (ParquetextError, {"carry": {}}),
        (Refused, {"carry": {"price": "alp"}, "encryption_properties": object()}),
    ],
)
def test_impossible_copies_are_an_error_before_anything_is_written(path, error, options):
    with pytest.raises(error):
        parquetext.ParquetWriter(path, TABLE.schema, **options)
    assert not [*path.parent.iterdir()]


def test_an_encoding_that_serves_other_types_leaves_the_name_as_it_was(path):
    path.write_bytes(b"before")
    with pytest.raises(Unsupported, match="word"):
        parquetext.write_table(TABLE, path, carry={"word": "alp"})
    assert [(file.name, file.read_bytes()) for file in path.parent.iterdir()] == [("x.parquet", b"before")]


def test_the_name_appears_when_the_file_is_complete(path, monkeypatch):
    names = []

    def put(file, data, at):
        names.append([each.name for each in path.parent.iterdir() if not each.name.startswith(".")])
        original(file, data, at)

    original = NewFile.put
    monkeypatch.setattr(NewFile, "put", put)
    parquetext.write_table(TABLE, path, carry=CARRY)
    assert names and not any(names)
    assert [file.name for file in path.parent.iterdir()] == ["x.parquet"]


def test_a_writer_that_fails_leaves_nothing(path):
    with pytest.raises(ZeroDivisionError), parquetext.ParquetWriter(path, TABLE.schema, carry=CARRY) as writer:
        writer.write_table(TABLE)
        raise ZeroDivisionError
    assert not [*path.parent.iterdir()]


def test_filesystems_get_the_bytes_of_a_local_file(path):
    memory = pytest.importorskip("fsspec").filesystem("memory")
    memory.mkdirs("/carried", exist_ok=True)
    for where, options in ((path, {}), ("/carried/x.parquet", {"filesystem": memory})):
        parquetext.write_table(TABLE, where, carry=CARRY, **options)
    assert memory.cat("/carried/x.parquet") == path.read_bytes()
    assert memory.ls("/carried", detail=False) == ["/carried/x.parquet"]
    memory.rm("/carried", recursive=True)
