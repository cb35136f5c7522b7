"""Which split of a file reads a row group of a slice: the one that reads it by the whole footer."""

from __future__ import annotations

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.java_slices import Request

from parquetext import edits, kernels

ROWS, GROUP = 1000, 10  # more row groups than a flat footer's tail block has


@pytest.fixture(scope="module", params=["flat", "nested", "encoded"])
def plain(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("splits") / "plain"
    numbers = np.arange(ROWS) * 0.5
    first = pa.array([{"x": number, "y": [1]} for number in numbers]) if request.param == "nested" else numbers
    columns = {"first": first} | {f"c{number}": numbers * number for number in range(20)}
    pq.write_table(pa.table(columns), path, row_group_size=GROUP)
    if request.param == "encoded":
        edits.encode(path, {"first": "alp", "c3": "alp"})
    return path


def midpoints(footer: bytes) -> list[int]:
    """Return the midpoints of parquet-java: the begin of the first chunk plus half of the row group's size."""
    scan = kernels.scan.scan(footer)
    begins = scan.chunk_begins()[:: scan.leaf_count]
    return [begin + size // 2 for begin, size in zip(begins, scan.row_groups("total_compressed_size"), strict=True)]


def thrift_footer(path) -> bytes:
    data = path.read_bytes()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


@pytest.mark.parametrize("form", ["flat", "index", "packed"])
def test_a_row_group_has_the_midpoint_of_the_whole_footer(ask, plain, form, tmp_path):
    path = tmp_path / form
    shutil.copyfile(plain, path)
    edits.upgrade(path, form=form)
    expected = midpoints(thrift_footer(path))
    answers = ask([Request(path, names, "slice") for names in ([b"c7"], [b"c3"], [b"first"], [b"c1", b"c19"], [])])
    assert len(expected) == ROWS // GROUP
    for answer in answers:
        assert midpoints(answer.footer) == expected


def without_sizes(footer: bytes) -> bytes:
    """The footer of one row group without its total_compressed_size."""
    _, row_group, _ = kernels.thrift.path(footer, (4, 0))
    (size,) = (field for field in kernels.thrift.fields(footer, row_group) if field[0] == 6)  # the last one
    return footer[: size[2]] + footer[size[4] :]


@pytest.mark.parametrize("form", ["flat", "index", "packed"])
def test_row_groups_without_a_size_are_not_sliced(ask, form, tmp_path):
    """A reader sums up the chunks of the whole footer for them."""
    path = tmp_path / "sizes"
    pq.write_table(pa.table({f"c{number}": [number] for number in range(20)}), path)
    footer = without_sizes(thrift_footer(path))
    body = path.read_bytes()[: -8 - len(thrift_footer(path))]
    path.write_bytes(body + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert pq.read_table(path).num_columns == 20
    edits.upgrade(path, form=form)
    (answer,) = ask([Request(path, [b"c7"], "slice")])
    assert answer.reason == "UNSUPPORTED" and "size" in answer.message
