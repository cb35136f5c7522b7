"""Rows of a local file: of each column chunk no more is read and decompressed than the values up to the last row that
is wanted, and of a dictionary no more than the values that they have."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.own_codecs import CODECS

import parquetext
from parquetext import kernels

ROWS = 40_000
IO_COUNTERS = Path("/proc/self/io")


@pytest.fixture(scope="module")
def table() -> pa.Table:
    chance = np.random.default_rng(16)
    holes = chance.random(ROWS) < 0.2
    numbers = chance.integers(0, 10**12, ROWS)
    words = [f"word {number:04d}" for number in range(3000)]
    return pa.table(
        {
            "id": np.arange(ROWS),
            "number": numbers,
            "double": pa.array(chance.random(ROWS), mask=holes),
            "few": pa.array(chance.integers(0, 50, ROWS).astype("int32"), mask=holes),
            "sorted": np.sort(numbers),
            "fixed": pa.array([b"%016d" % number for number in numbers], pa.binary(16)),
            "text": pa.array(words).take(pa.array(chance.integers(0, len(words), ROWS), mask=holes)),
            "flag": pa.array(chance.random(ROWS) < 0.5, mask=holes),
            "none": pa.nulls(ROWS, pa.float32()),
        }
    )


def rows_of(path, first: int, count: int, **options) -> pa.Table:
    filters = [("id", ">=", first), ("id", "<", first + count)]
    return parquetext.read_table(path, filters=filters, engine="parquetext", **options)


@pytest.mark.parametrize("compression", CODECS)
@pytest.mark.parametrize("seed", range(4))
def test_rows_at_any_place_are_those_that_were_written(tmp_path, table, compression, seed):
    chance, path = random.Random(seed), tmp_path / "x.parquet"
    pq.write_table(
        table,
        path,
        compression=compression,
        data_page_version=("1.0", "2.0")[seed % 2],
        data_page_size=chance.choice([1000, 30_000, 1 << 20]),
        row_group_size=chance.choice([ROWS, 15_000]),
        use_dictionary=(True, ["number", "few", "text"], False, True)[seed],
        dictionary_pagesize_limit=chance.choice([100_000, 1 << 22]),
    )
    for _ in range(8):
        first, count = chance.randrange(ROWS), chance.choice([1, 50, 3000, 20_000])
        assert rows_of(path, first, count).equals(table.slice(first, count))


@pytest.mark.parametrize("compression", CODECS)
def test_scattered_rows_are_those_that_were_written(tmp_path, table, compression):
    pq.write_table(table, tmp_path / "x.parquet", compression=compression)
    few = [("number", "<", 10**10), ("id", "<", 9000)]
    assert parquetext.read_table(tmp_path / "x.parquet", filters=few, engine="parquetext").equals(
        pq.read_table(tmp_path / "x.parquet", filters=few)
    )


@pytest.mark.parametrize("encoding", ["PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BINARY_PACKED", "RLE"])
def test_values_of_other_encodings_are_those_that_were_written(tmp_path, table, encoding):
    of = {"PLAIN": "number", "BYTE_STREAM_SPLIT": "double", "DELTA_BINARY_PACKED": "number", "RLE": "flag"}[encoding]
    options = {"use_dictionary": False, "column_encoding": {of: encoding}}
    pq.write_table(table.select(["id", of]), tmp_path / "x.parquet", **options)
    for first in (0, 100, 20_000):
        assert rows_of(tmp_path / "x.parquet", first, 70).equals(table.select(["id", of]).slice(first, 70))


def test_an_index_to_the_end_of_a_dictionary_brings_all_of_it(tmp_path):
    """A writer may sort its dictionary: the first row's value may be the last one."""
    values = pa.array(np.arange(20_000) * 1000)
    backwards = pa.DictionaryArray.from_arrays(pa.array(np.arange(20_000)[::-1].astype("int32")), values)
    pq.write_table(pa.table({"id": np.arange(20_000), "x": backwards}), tmp_path / "x.parquet", store_schema=False)
    found = rows_of(tmp_path / "x.parquet", 10, 5)
    assert found["x"].to_pylist() == [(19_999 - row) * 1000 for row in range(10, 15)]


@pytest.mark.skipif(not IO_COUNTERS.exists(), reason="the system does not count the bytes that a process reads")
@pytest.mark.parametrize("compression", CODECS)
def test_the_first_rows_take_a_part_of_the_bytes(tmp_path, table, compression):
    if kernels.implementation() != "native":
        pytest.skip("the twin reads pages as a whole")
    path, columns = tmp_path / "x.parquet", ["number", "double", "sorted", "fixed"]
    pq.write_table(table.select(["id", *columns]), path, compression=compression, dictionary_pagesize_limit=1 << 22)
    sizes = {name: stored_bytes(path, name) for name in ["id", *columns]}
    rows_of(path, 0, 400, columns=columns)
    before = bytes_read()
    rows_of(path, 0, 400, columns=columns)
    others = bytes_read() - before - sizes["id"]  # the filter's column is read as a whole
    blocks = 0.7 if compression == "zstd" else 0.3  # a block of Zstandard stands for 128 KiB, a third of a column here
    assert others < sum(sizes[name] for name in columns) * blocks


@pytest.mark.parametrize("compression", [codec for codec in CODECS if codec != "none"])
def test_damage_after_the_last_requested_row_is_not_read(tmp_path, table, compression):
    if kernels.implementation() != "native":
        pytest.skip("the twin reads pages as a whole")
    path = tmp_path / "x.parquet"
    pq.write_table(table.select(["id", "number"]), path, compression=compression, dictionary_pagesize_limit=1 << 22)
    number = pq.read_metadata(path).row_group(0).column(1)
    data = bytearray(path.read_bytes())
    ends = number.data_page_offset, number.dictionary_page_offset + number.total_compressed_size
    for end in ends:
        data[end - 20 : end] = b"\xff" * 20
    path.write_bytes(data)
    assert rows_of(path, 100, 50).equals(table.select(["id", "number"]).slice(100, 50))


def test_a_truncated_literal_is_not_parsed_as_elements(tmp_path):
    """32 bytes in front of a Snappy block's end, where elements begin again, the next byte looks like one."""
    numbers = np.random.default_rng(1).integers(-(2**62), 2**62, 6148)
    numbers[-4] = numbers[-4] & ~0xFF | 60
    rows = np.concatenate([numbers, np.repeat(numbers[0], 20_000)])
    table = pa.table({"id": np.arange(len(rows)), "n": rows})
    pq.write_table(table, tmp_path / "x.parquet", compression="snappy", dictionary_pagesize_limit=1 << 20)
    for count in (6146, 6148, 6500):
        assert rows_of(tmp_path / "x.parquet", 0, count).equals(table.slice(0, count))


@pytest.mark.skipif(not IO_COUNTERS.exists(), reason="the system does not count how often a process reads")
@pytest.mark.parametrize("compression", CODECS)
@pytest.mark.parametrize("name", ["text", "number"])
def test_a_file_is_read_in_few_pieces(tmp_path, compression, name):
    if kernels.implementation() != "native":
        pytest.skip("the twin reads pages as a whole")
    rows, path = 300_000, tmp_path / "x.parquet"
    column = [f"{row:011d}" for row in range(rows)] if name == "text" else np.repeat(np.arange(rows // 4) * 7919, 4)
    options = {"use_dictionary": name == "number", "data_page_size": 1 << 26, "dictionary_pagesize_limit": 1 << 24}
    pq.write_table(pa.table({"id": np.arange(rows), name: column}), path, compression=compression, **options)
    rows_of(path, 0, 200_000)
    before = counted("syscr")
    assert rows_of(path, 0, 200_000).num_rows == 200_000
    assert counted("syscr") - before < 300


def bytes_read() -> int:
    return counted("rchar")


def counted(what: str) -> int:
    """Return the bytes that this process has read so far, as the system counts them."""
    return int(IO_COUNTERS.read_text().split(f"{what}: ")[1].split()[0])


def stored_bytes(path, name: str) -> int:
    group = pq.read_metadata(path).row_group(0)
    columns = map(group.column, range(group.num_columns))
    return next(column.total_compressed_size for column in columns if column.path_in_schema == name)
