"""Writing: the file that pyarrow would write, with its footer in the chosen form, complete or not at all."""

from __future__ import annotations

import gc
import inspect
import io
import os
import signal
import subprocess
import sys
from datetime import date, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import edits, wire
from parquetext.arrow.writing.new_files import DEFAULTS
from parquetext.edits.choice import Choice
from parquetext.errors import Conflict, ParquetextError, Refused

ROOT = Path(__file__).parents[3]
ROWS = 50
TABLE = pa.table(
    {
        "flag": [n % 3 == 0 for n in range(ROWS)],
        "small": pa.array(range(ROWS), pa.int8()),
        "number": pa.array([None, *range(1, ROWS)], pa.int64()),
        "unsigned": pa.array(range(ROWS), pa.uint32()),
        "half": pa.array([n / 2 for n in range(ROWS)], pa.float16()),
        "float": [n / 7 for n in range(ROWS)],
        "text": [f"text {n}" * (n % 5) for n in range(ROWS)],
        "bytes": [bytes([n]) * n for n in range(ROWS)],
        "fixed": pa.array([bytes([n]) * 7 for n in range(ROWS)], pa.binary(7)),
        "price": pa.array([Decimal(n) / 100 for n in range(ROWS)], pa.decimal128(18, 2)),
        "day": [date(2024, 1, 1) + timedelta(n) for n in range(ROWS)],
        "at": pa.array([datetime(2024, 1, 1, n % 24) for n in range(ROWS)], pa.timestamp("us", "Europe/Vienna")),
        "nothing": pa.nulls(ROWS),
        "word": pa.array([f"w{n % 3}" for n in range(ROWS)]).dictionary_encode(),
        "list": [[n, None] * (n % 3) for n in range(ROWS)],
        "struct": [{"x": n, "y": [str(n)]} for n in range(ROWS)],
        "map": pa.array([[(str(n), n)] for n in range(ROWS)], pa.map_(pa.string(), pa.int32())),
    }
).replace_schema_metadata({"made by": "a test"})
OPTIONS = [
    {},
    {"row_group_size": 7},
    {"compression": "none"},
    {"compression": {"text": "zstd"}, "compression_level": None},
    {"use_dictionary": ["text"]},
    {"write_statistics": False},
    {"write_statistics": ["number"]},
    {"version": "1.0"},
    {"data_page_version": "2.0"},
    {"write_page_index": True},
    {"write_page_checksum": True},
    {"store_schema": False},
    {"use_dictionary": False, "column_encoding": {"number": "DELTA_BINARY_PACKED"}},
    {"use_byte_stream_split": ["float"], "use_dictionary": False},
    {"coerce_timestamps": "ms"},
    {"use_deprecated_int96_timestamps": True},
    {"store_decimal_as_integer": True},
    {"data_page_size": 64},
    {"sorting_columns": [pq.SortingColumn(2)]},
    {"max_rows_per_page": 5},
]


def pyarrows(table: pa.Table = TABLE, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **(DEFAULTS | options))
    return sink.getvalue()


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "x.parquet"


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_file_is_pyarrows_with_another_footer(implementation, path, options):
    parquetext.write_table(TABLE, path, form="flat", **options)
    with parquetext.open(path) as file:
        assert file.form == "flat" and not file.findings
    assert pq.read_table(path).equals(pq.read_table(io.BytesIO(pyarrows(**options))))
    assert parquetext.read_table(path, key_values=True).equals(pq.read_table(path), check_metadata=True)
    assert parquetext.verify(path, pages=True, deep=True).ok
    assert edits.upgrade(path, form="flat").outcome == "unchanged"
    edits.strip(path)
    assert path.read_bytes() == pyarrows(**options)


@pytest.mark.parametrize("form", ["index", "auto"])
@pytest.mark.parametrize("row_group_size", [20, 2])
def test_the_index_adds_a_part_of_a_large_footer_to_it(implementation, path, form, row_group_size):
    """As docs/writing.md says; `auto` takes it where a second footer would show in the file's size."""
    table = pa.table({f"column_{n}": range(n, n + 20) for n in range(150)})
    original = pyarrows(table, row_group_size=row_group_size)
    parquetext.write_table(table, path, row_group_size, form=form)
    with parquetext.open(path) as file:
        assert file.form == "index" and not file.findings
    footer = int.from_bytes(original[-8:-4], "little")
    assert len(path.read_bytes()) - len(original) < footer * (0.1 if row_group_size == 2 else 0.3)
    assert parquetext.read_table(path, columns=["column_7"]).equals(table.select(["column_7"]))
    deep = implementation == "native"  # the Python kernels decode values in the test above
    assert pq.read_table(path).equals(table) and parquetext.verify(path, deep=deep).ok
    edits.strip(path)
    assert path.read_bytes() == original


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_thrift_form_is_pyarrows_file(path, options):
    parquetext.write_table(TABLE, path, form="thrift", **options)
    assert path.read_bytes() == pyarrows(**options)


def test_a_writer_takes_tables_and_batches_and_metadata_as_pyarrows_does(tmp_path, path):
    def write(kind, where, **options):
        with kind(where, TABLE.schema, compression="zstd", **(DEFAULTS | options)) as writer:
            writer.write_table(TABLE, 20)
            writer.write_batch(TABLE.to_batches()[0], row_group_size=30)
            writer.write(TABLE)
            writer.add_key_value_metadata({"more": "of it"})
        assert not writer.is_open
        return writer

    mine, theirs = write(parquetext.ParquetWriter, path, form="flat"), write(pq.ParquetWriter, tmp_path / "y.parquet")
    assert isinstance(mine, pq.ParquetWriter) and mine.where == path
    with parquetext.open(path) as file:
        assert (file.form, file.num_rows) == ("flat", 3 * ROWS)
        assert list(file.row_groups.num_rows) == [20, 20, 10, 30, 20, 50]
        assert file.key_values[b"more"] == b"of it"
    mine.close()
    edits.strip(path)
    assert path.read_bytes() == theirs.where.read_bytes()


def test_pandas_and_spark_flavors_come_through(path):
    odd = pa.table({"a b;c": [1]})
    parquetext.write_table(odd, path, form="flat", flavor="spark")
    assert pq.read_schema(path).names == ["a_b_c"]


@pytest.mark.parametrize("where", ["placement", "marker"])
def test_placement_and_marker_are_those_of_upgrade(tmp_path, path, where):
    option = {where: {"placement": "after-stop", "marker": "thrift"}[where]}
    parquetext.write_table(TABLE, path, form="flat", **option)
    plain = tmp_path / "plain.parquet"
    plain.write_bytes(pyarrows())
    edits.upgrade(plain, form="flat", **option)
    assert path.read_bytes() == plain.read_bytes()


def test_collected_metadata_makes_a_summary_file(tmp_path):
    collector = []
    for part in range(3):
        parquetext.write_table(TABLE, tmp_path / f"{part}.parquet", form="flat", metadata_collector=collector)
        collector[-1].set_file_path(f"{part}.parquet")
    pq.write_metadata(TABLE.schema, tmp_path / "_metadata", metadata_collector=collector)
    assert pq.read_metadata(tmp_path / "_metadata").num_rows == 3 * ROWS
    assert collector[0].row_group(0).column(0).file_path == "0.parquet"


def test_auto_adds_a_footer_if_it_pays_off(tmp_path):
    small, wide = tmp_path / "small.parquet", tmp_path / "wide.parquet"
    parquetext.write_table(TABLE, small)
    assert small.read_bytes() == pyarrows()
    values = pa.array(os.urandom(8) for _ in range(2500))
    parquetext.write_table(pa.table({f"column {n}": values for n in range(200)}), wide, use_dictionary=False)
    with parquetext.open(wide) as file:
        assert file.form == "packed"


def test_a_footer_that_readers_would_fail_on_is_refused_forced_or_not_added(path, monkeypatch):
    monkeypatch.setattr(wire, "MAX_EXTENSION_BYTES", 1000)
    monkeypatch.setattr(import_module("parquetext.edits.upgrade"), "choices", lambda _: [Choice("flat", "chosen")])
    with pytest.raises(Refused, match="more than 1000"):
        parquetext.write_table(TABLE, path, form="flat", placement="in-struct")
    assert os.listdir(path.parent) == []
    parquetext.write_table(TABLE, path, placement="in-struct")
    assert path.read_bytes() == pyarrows()
    parquetext.write_table(TABLE, path, form="flat", placement="in-struct", ignore="size")
    with parquetext.open(path) as file:
        assert file.form == "flat"


@pytest.mark.parametrize(
    "wrong",
    [
        {"form": "par3"},
        {"form": "flat", "marker": "none"},
        {"ignore": "everything"},
        {"form": "flat", "placement": "before"},
        {"no_such_option": 1},
    ],
)
def test_a_wrong_argument_is_an_error_and_nothing_is_there(path, wrong):
    with pytest.raises((ParquetextError, TypeError)):
        parquetext.write_table(TABLE, path, **wrong)
    assert os.listdir(path.parent) == []


def test_a_stream_takes_no_filesystem():
    with pytest.raises(ParquetextError, match="file-like"):
        parquetext.write_table(TABLE, io.BytesIO(), filesystem=pafs.LocalFileSystem())


class Broken(Exception):
    pass


@pytest.mark.parametrize("before", [None, b"what was there"], ids=["new", "existing"])
def test_an_exception_leaves_the_name_as_it_was(path, before):
    if before:
        path.write_bytes(before)
    collector = []
    with pytest.raises(Broken), parquetext.ParquetWriter(path, TABLE.schema, metadata_collector=collector) as writer:
        writer.write_table(TABLE)
        assert (path.read_bytes() if before else path.exists()) == (before or False), "not seen before it is whole"
        raise Broken
    with pytest.raises(ValueError, match="schema"), parquetext.ParquetWriter(path, TABLE.schema) as writer:
        writer.write_table(pa.table({"other": [1]}))
    assert os.listdir(path.parent) == ([path.name] if before else [])
    assert not before or path.read_bytes() == before
    assert not collector


def test_a_writer_that_was_not_closed_leaves_nothing_and_warns(path):
    writer = parquetext.ParquetWriter(path, TABLE.schema)
    writer.write_table(TABLE)
    with pytest.warns(ResourceWarning, match="not closed"):
        del writer
        gc.collect()
    assert os.listdir(path.parent) == []


KILLED = """
import os, signal, sys, pyarrow as pa, parquetext
writer = parquetext.ParquetWriter(sys.argv[1], pa.schema({"a": pa.int64()}), form="flat")
writer.write_table(pa.table({"a": list(range(100_000))}))
if sys.argv[2] == "closing":
    from parquetext.storage.operations import Operations
    Operations.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    writer.close()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("moment", ["writing", "closing"])
@pytest.mark.parametrize("before", [None, pyarrows()], ids=["new", "existing"])
def test_a_kill_leaves_the_name_as_it_was_and_the_next_one_cleans_up(path, before, moment):
    if before:
        path.write_bytes(before)
    done = subprocess.run([sys.executable, "-c", KILLED, path, moment], env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == -signal.SIGKILL
    assert len(os.listdir(path.parent)) == 1 + bool(before), "a hidden file stays behind"
    assert path.exists() == bool(before) and (not before or path.read_bytes() == before)
    if moment == "writing":
        assert edits.recover(path).message == "removed an unfinished new file"
        assert os.listdir(path.parent) == ([path.name] if before else [])
    parquetext.write_table(TABLE, path)
    assert os.listdir(path.parent) == [path.name]


def test_concurrent_writers_of_one_name_conflict(path):
    path.write_bytes(pyarrows())
    with parquetext.ParquetWriter(path, TABLE.schema, form="flat") as writer:
        with pytest.raises(Conflict):
            parquetext.write_table(TABLE, path)
        with pytest.raises(Conflict):
            edits.upgrade(path, form="flat")
        writer.write_table(TABLE)
    assert parquetext.read_table(path).equals(TABLE)


def test_encrypted_files_are_pyarrows_own(path):
    with pytest.raises(Refused, match="encrypted"):
        parquetext.write_table(TABLE, path, form="flat", encryption_properties=object())
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("form", ["thrift", "flat"])
def test_file_objects_get_the_bytes_and_stay_open(path, form):
    parquetext.write_table(TABLE, path, form=form)
    expected = path.read_bytes()
    sink = io.BytesIO()
    parquetext.write_table(TABLE, sink, form=form)
    assert sink.getvalue() == expected
    buffer = pa.BufferOutputStream()
    parquetext.write_table(TABLE, buffer, form=form)
    assert buffer.getvalue() == expected
    with open(path, "wb") as raw:
        parquetext.write_table(TABLE, raw, form=form)
        assert not raw.closed
    assert path.read_bytes() == expected


def test_an_exception_writes_no_footer_to_a_file_object(path):
    sink = io.BytesIO()
    with pytest.raises(Broken), parquetext.ParquetWriter(sink, TABLE.schema, form="flat") as writer:
        writer.write_table(TABLE)
        raise Broken
    del writer
    gc.collect()
    assert sink.getvalue().startswith(b"PAR1") and not sink.getvalue().endswith(b"PAR1")


def test_paths_are_uris_and_filesystems_too(tmp_path):
    local, fsspecs = pafs.LocalFileSystem(), pytest.importorskip("fsspec").filesystem("file")
    names = [
        f"file://{tmp_path}/a",
        (local, f"{tmp_path}/b"),
        (pafs.SubTreeFileSystem(str(tmp_path), local), "c"),
        (fsspecs, f"{tmp_path}/e"),
    ]
    for where in names:
        parquetext.write_table(TABLE, where, form="flat")
    parquetext.write_table(TABLE, f"{tmp_path}/d", form="flat", filesystem=local)
    assert len({(tmp_path / name).read_bytes() for name in "abcde"}) == 1
    assert sorted(os.listdir(tmp_path)) == list("abcde")


@pytest.mark.parametrize("form", ["thrift", "flat"])
def test_a_filesystem_of_fsspec_gets_the_bytes_of_a_local_file(path, form):
    memory = pytest.importorskip("fsspec").filesystem("memory")
    memory.mkdirs("/lake", exist_ok=True)
    parquetext.write_table(TABLE, path, form=form)
    parquetext.write_table(TABLE, "/lake/x.parquet", filesystem=memory, form=form)
    assert memory.cat("/lake/x.parquet") == path.read_bytes()
    assert parquetext.read_table("/lake/x.parquet", filesystem=memory).equals(TABLE)
    with pytest.raises(Broken), parquetext.ParquetWriter((memory, "/lake/y.parquet"), TABLE.schema) as writer:
        writer.write_table(TABLE)
        raise Broken
    assert memory.ls("/lake", detail=False) == ["/lake/x.parquet"]
    memory.rm("/lake", recursive=True)


@pytest.mark.parametrize("name", ["write_table", "ParquetWriter"])
def test_the_parameters_are_pyarrows(name):
    """In pyarrow's order, with pyarrow's defaults, but for page indexes."""
    theirs = inspect.signature(getattr(pq, name)).parameters
    ours = inspect.signature(getattr(parquetext, name)).parameters
    assert list(ours)[: len(theirs) - 1] == list(theirs)[:-1]
    different = {each for each in list(theirs)[:-1] if ours[each].default != theirs[each].default}
    assert different == {"write_page_index"}


def test_positional_and_named_options_write_pyarrows_file(tmp_path):
    table = pa.table({"a": [1.5, 2.5], "t": pa.array([1000, 2000], pa.timestamp("us"))})
    options = {
        "coerce_timestamps": "ms",
        "use_byte_stream_split": ["a"],
        "use_dictionary": False,
        "write_page_index": False,
    }
    for path, write in [(tmp_path / "ours", parquetext.write_table), (tmp_path / "theirs", pq.write_table)]:
        write(table, path, 1, "1.0", compression="zstd", data_page_version="2.0", **options)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
