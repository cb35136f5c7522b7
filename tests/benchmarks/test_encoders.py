"""The measurement of encoders compares the same work, and both sides write the same values."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from benchmarks import alp, copies, encoders, experimental
from benchmarks.workspace import Workspace
from parquetext import read_table


@pytest.mark.usefixtures("long")
def test_every_type_and_encoding_is_compared_with_pyarrow():
    groups = list(encoders.measure(values=300, rounds=1))
    subjects = [group[0].subject for group in groups]
    assert len(subjects) == len(set(subjects)) == 17
    assert all([row.contender for row in group] == ["parquetext", "pyarrow"] for group in groups)
    assert all(group[1].ratio and group[1].target == 0.8 for group in groups)
    assert [group[0].subject for group in encoders.measure(300, 1, only="bool RLE")] == ["bool RLE, 300 values"]


@pytest.mark.parametrize("kind", encoders.ENCODINGS)
def test_columns_have_the_requested_number_of_values(kind):
    for distinct in (0, 10):
        column = encoders._column(kind, 1000, distinct)
        assert len(column) == 1000 and not column.null_count
        column.validate(full=True)


def test_alp_is_compared_by_speed_and_size(tmp_path):
    groups = list(alp.measure(Workspace(tmp_path), 1, values=20_000))
    assert [(group[0].case, group[0].subject[8:18]) for group in groups] == [
        (case, f"{positions} decimals")
        for positions in (2, 3, 4)
        for case in ("decode to Arrow", "size of a file", "encode")
    ]
    table = read_table(tmp_path / "alp.parquet", engine="parquetext")
    assert table.column("x").equals(pq.read_table(tmp_path / "alp-zstd.parquet").column("x"))
    sizes = [row for group in groups for row in group if row.case == "size of a file" and row.target]
    assert len(sizes) == 6 and all(row.met for row in sizes)


def test_encodings_of_extensions_are_compared_by_size_and_speed():
    groups = list(experimental.measure(rounds=1))
    assert [group[0].subject for group in groups] == [
        "INT32 keys with outliers",
        "INT64 keys with outliers",
        "URLs",
        "log lines",
    ]
    sizes = [row for group in groups for row in group if row.case == "size of a page" and row.target]
    assert [row.contender for row in sizes] == ["DELTA_BINARY_PACKED"] * 2 + ["PLAIN"] * 2
    assert all(row.met for row in sizes)
    assert all(any(row.case == "decode a page" and row.target and row.ratio for row in group) for group in groups)


def test_copies_are_measured_over_http_when_written_and_when_ignored(tmp_path):
    groups = list(copies.measure(Workspace(tmp_path), 1, rows=40_000))
    assert [(group[0].case, len(group)) for group in groups] == [
        ("one column over HTTP", 3),
        ("bytes fetched over HTTP", 3),
        ("encode", 2),
        ("read beside copies, CPU", 2),
    ]
    by_copy, by_chunk, by_pyarrow = groups[1]
    assert by_copy.contender == "parquetext, by the copy"
    chunks = [
        pq.read_metadata(tmp_path / "copies-plain-40000.parquet").row_group(group).column(0) for group in range(8)
    ]
    size = sum(chunk.total_compressed_size for chunk in chunks)
    assert by_copy.value < by_chunk.value and by_pyarrow.value >= size
    assert by_chunk.value >= size > by_copy.value
