"""Columns in ALP: real files of two other writers, nulls and lists, both page versions, and every door of the package.

pyarrow, DuckDB and Polars do not read them.
"""

from __future__ import annotations

import csv
import gzip
import struct
from pathlib import Path

import duckdb
import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.alp import KINDS, Vector, alp_page
from support.pages import Column, data_page, data_page_v2, levels, parquet_file

import parquetext
from parquetext import kernels, wire
from parquetext.errors import Malformed

ALP = wire.ENCODING_ALP
VALUES = [0.5, 1.5, 2.5, 7.0, None, 9.75, None, 3.0]
PAGE = alp_page([Vector([50, 150, 250, 700, 975, 300], 0, 10, 2, 0)], KINDS["double"])
THERE = levels([value is not None for value in VALUES], 1)
# Files by Arrow C++ 23 and parquet-java 1.18 and their values, in a folder beside the corpus.
FILES = {
    "alp_arade": ("alp_arade", np.float64),
    "alp_java_arade": ("alp_arade", np.float64),
    "alp_float_arade": ("alp_float_arade", np.float32),
    "alp_java_float_arade": ("alp_float_arade", np.float32),
}


@pytest.fixture(scope="session")
def alp_files(corpus) -> Path:
    folder = corpus.parent / "encodings" / "alp"
    if not folder.is_dir():
        pytest.skip("no folder encodings/alp beside the corpus: ALP files of other writers are not read")
    return folder


@pytest.fixture
def path(tmp_path) -> Path:
    """A file of one optional column in ALP, in pages of both versions."""
    pages = [
        data_page(PAGE, 8, ALP, definition=THERE),
        data_page_v2(PAGE, 8, ALP, definition=THERE, nulls=2, is_compressed=False),
        data_page(b"", 3, ALP, definition=levels([0] * 3, 1)),
    ]
    path = tmp_path / "alp.parquet"
    column = Column("x", wire.PHYSICAL_DOUBLE, pages, repetition=wire.REPETITION_OPTIONAL)
    path.write_bytes(parquet_file([column], 19))
    return path


@pytest.mark.parametrize("name", FILES)
def test_files_of_other_writers_are_read_bit_for_bit(implementation, alp_files, name):
    values, dtype = FILES[name]
    with gzip.open(alp_files / f"{values}_expect.csv.gz", "rt") as text:
        rows = list(csv.reader(text))
    table = parquetext.read_table(alp_files / f"{name}.parquet", engine="parquetext")
    assert table.column_names == rows[0] and table.num_rows == len(rows) - 1 == 15_000
    for number, column in enumerate(table.columns):
        expected = np.array([float(row[number]) for row in rows[1:]]).astype(dtype)
        assert column.to_numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["alp_arade", "alp_float_arade"])
def test_pages_are_no_larger_than_those_of_another_writer(alp_files, name):
    type = wire.PHYSICAL_FLOAT if "float" in name else wire.PHYSICAL_DOUBLE
    path = alp_files / f"{name}.parquet"
    with parquetext.open(path) as file:
        theirs = [sum(file.pages(column).column("uncompressed_size").to_pylist()) for column in file.schema.names]
    for column, size in zip(parquetext.read_table(path, engine="parquetext").columns, theirs, strict=True):
        values = column.to_numpy().tobytes()
        page = kernels.encode.encode(ALP, type, 0, values, len(column))
        assert len(page) <= 1.02 * size
        assert bytes(kernels.encoding.decode(ALP, type, 0, page, len(column))[0]) == values


def test_nulls_take_no_values(implementation, path):
    assert parquetext.read_table(path, engine="parquetext").to_pydict() == {"x": VALUES * 2 + [None] * 3}


def test_floats_in_lists(implementation, tmp_path):
    """Two lists of three, one of none, one of one; leaf `l.list.element`."""
    page = alp_page([Vector([1, 2, 3, 4, 5, 6, 7], 0, 3, 1, 0)], KINDS["float"])
    entries = [(0, 2), (1, 2), (1, 2), (0, 2), (1, 2), (1, 2), (0, 0), (0, 2)]
    body = data_page(
        page, 8, ALP, repetition=levels([r for r, _ in entries], 1), definition=levels([d // 2 for _, d in entries], 1)
    )
    path = tmp_path / "lists.parquet"
    path.write_bytes(parquet_file([Column("l", wire.PHYSICAL_FLOAT, [body], repetition=wire.REPETITION_REPEATED)], 4))
    found = parquetext.read_table(path, engine="parquetext").column(0).to_pylist()
    expected = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [], [0.7]]
    assert found == [[struct.unpack("<f", struct.pack("<f", n))[0] for n in some] for some in expected]


def test_other_readers_refuse_them_and_auto_takes_our_decoder(path):
    for read in (pq.read_table, polars.read_parquet, lambda path: duckdb.read_parquet(str(path)).fetchall()):
        with pytest.raises((OSError, pa.ArrowException, polars.exceptions.PanicException, duckdb.Error)):
            read(path)
    assert parquetext.read_table(path, engine="auto").column("x").to_pylist() == VALUES * 2 + [None] * 3
    with pytest.raises((OSError, pa.ArrowException)):
        parquetext.read_table(path, engine="pyarrow")


def test_rows_in_the_middle_are_read_without_earlier_vectors(implementation, tmp_path):
    vectors = [Vector([n * 7 % 1001 for n in range(1024)], 3, 10, 1, 0) for _ in range(5)]
    path = tmp_path / "vectors.parquet"
    page = data_page(alp_page(vectors, KINDS["double"]), 5120, ALP)
    path.write_bytes(parquet_file([Column("x", wire.PHYSICAL_DOUBLE, [page])], 5120))
    whole = parquetext.read_table(path, engine="parquetext").column("x").to_pylist()
    with parquetext.open(path) as file:
        batches = list(file.iter_batches(batch_size=700, engine="parquetext"))
    assert [value for batch in batches for value in batch.column("x").to_pylist()] == whole


def test_pages_layout_and_verify_name_the_encoding(implementation, path, alp_files):
    for file in (path, alp_files / "alp_java_arade.parquet"):
        with parquetext.open(file) as opened:
            assert set(opened.pages(opened.schema.names[0]).column("encoding").to_pylist()) == {"ALP"}
            rows = opened.num_rows
        assert parquetext.verify(file, pages=True).ok
        deep = parquetext.verify(file, deep=True)
        assert deep.ok and deep.rows == rows
        assert [finding.message.split(":")[0] for finding in deep.findings] == ["parquetext reads it, pyarrow does not"]
        assert set(parquetext.layout(file).pages["encoding"].to_pylist()) == {"ALP"}


def test_damage_is_reported_with_its_offset_in_the_page(implementation, tmp_path):
    damaged = PAGE[:11] + bytes([19]) + PAGE[12:]
    path = tmp_path / "damaged.parquet"
    path.write_bytes(parquet_file([Column("x", wire.PHYSICAL_DOUBLE, [data_page(damaged, 6, ALP)])], 6))
    with pytest.raises(Malformed, match=r"column x.*ALP") as caught:
        parquetext.read_table(path, engine="parquetext")
    assert caught.value.code == wire.ALP_NUMBER
