"""Layouts of files that claim more than they are: time and memory follow the bytes that are there."""

from __future__ import annotations

import random
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import flat_footers as thrift

import parquetext

MEBIBYTE = 1 << 20
MEASURE = """
import resource, sys
import parquetext
good, *others = sys.argv[1:]
parquetext.layout(good)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in others:
    parquetext.layout(path)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def grown(good, others) -> int:
    """KiB by which a process grows that lays these files out, after one that is sound."""
    command = [sys.executable, "-c", MEASURE, str(good), *map(str, others)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.parquet"
    pq.write_table(pa.table({"n": [1, 2]}), path, write_statistics=False, store_schema=False)
    return path


def test_small_files_take_little_memory_for_any_claim(tmp_path, good):
    data, chance, paths = good.read_bytes(), random.Random(5), []
    assert len(data) <= 500
    for number in range(150):
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 6)):
            changed[chance.randrange(len(changed))] = chance.choice((0, 0x7F, 0xFF, chance.randrange(256)))
        paths.append(tmp_path / f"{number}.parquet")
        paths[-1].write_bytes(changed)
    assert grown(good, paths) < 64 * 1024


def test_small_files_of_fuzzers_take_little_memory(corpus, expected, good):
    paths = [corpus / entry["file"] for entry in expected if entry["class"] == "fuzz"]
    small = [path for path in paths if path.stat().st_size <= 500]
    assert len(small) > 20
    assert grown(good, small) < 64 * 1024


def test_chunks_that_all_claim_the_same_pages_are_walked_a_few_times_only(tmp_path):
    page = bytes.fromhex("150015001500 2c 1500 1500 1506 1506 00 00".replace(" ", ""))
    count, chunks = 400, 2000
    body = b"PAR1" + page * count
    columns = [thrift.chunk(thrift.metadata(1, [b"n"], data_page=4, compressed=len(page) * count))]
    footer = thrift.footer(
        [thrift.element(b"root", children=1), thrift.element(b"n", type=1)],
        [thrift.row_group(columns, num_rows=0) for _ in range(chunks)],
    )
    path = tmp_path / "overlapping.parquet"
    path.write_bytes(body + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    layout = parquetext.layout(path)
    assert sum(layout.parts["length"].to_pylist()) == layout.size
    assert layout.pages.num_rows * len(page) < 6 * layout.size
    assert not layout.ok
    assert len(layout.findings) < 400


def test_a_gap_full_of_magics_is_looked_at_in_time(tmp_path, good):
    data = good.read_bytes()
    length = int.from_bytes(data[-8:-4], "little") + 8
    path = tmp_path / "magics.parquet"
    path.write_bytes(data[:-length] + b"\xee" + b"PAR1" * (MEBIBYTE // 2) + data[-length:])
    layout = parquetext.layout(path)
    assert layout.unclaimed == 1 + 2 * MEBIBYTE


def test_paths_of_a_deep_schema_are_shown_by_their_ends(tmp_path):
    depth = 300
    elements = [thrift.element(b"g" * 50, children=1) for _ in range(depth)] + [thrift.element(b"leaf", type=1)]
    footer = thrift.footer(elements, [])
    path = tmp_path / "deep.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    (name,) = parquetext.layout(path).columns["path"].to_pylist()
    assert name.startswith("…")
    assert name.endswith(".leaf")
    assert len(name) < 1100
