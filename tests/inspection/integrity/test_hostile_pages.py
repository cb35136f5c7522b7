"""Small files that claim much: verified, laid out, listed and read in little memory, and refused in the end."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.hostile_pages import LARGEST_FILE, TIMES, hostile_files, repeating_file

import parquetext
from parquetext.errors import ParquetextError

MOST_KIB = 64 << 10
MEASURE = """
import resource, sys
import parquetext, pyarrow.parquet
from parquetext.inspection import integrity
from parquetext.errors import ParquetextError


def pages(path):
    with parquetext.open(path) as file:
        for column in file.parquet_schema.paths:
            file.pages(column)


def batches(path):
    with parquetext.open(path) as file:
        for batch in file.iter_batches(engine="parquetext"):
            pass


VERBS = {
    "layout": parquetext.layout,
    "pages": pages,
    "verify pages": lambda path: integrity.verify(path, pages=True),
    "verify deep": lambda path: integrity.verify(path, deep=True),
    "batches": batches,
    "table": lambda path: parquetext.read_table(path, engine="parquetext"),
}
names, good, *others = sys.argv[1:]
before = 0
for path in [good, *others]:
    for name in names.split(","):
        try:
            VERBS[name](path)
        except ParquetextError:
            assert path != good
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = before or (grown if path == good and name == names.split(",")[-1] else 0)
        if before:
            print(grown - before, name, path, flush=True)
"""
VERBS = "layout", "pages", "verify pages", "verify deep", "batches"


def assert_little(tmp_path, paths, *verbs: str) -> None:
    """No file, whichever is first, makes the process grow by more than 64 MiB over the need of a sound one."""
    good = tmp_path / "good.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["a", "b"]}), good, compression="zstd")
    command = [sys.executable, "-c", MEASURE, ",".join(verbs), str(good), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]
    worst = next((line for line in done.stdout.splitlines() if int(line.split()[0]) >= MOST_KIB), None)
    assert worst is None, worst


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder, paths = tmp_path_factory.mktemp("hostile"), {}
    for number, (name, data) in enumerate(hostile_files()):
        assert len(data) <= LARGEST_FILE, name
        paths[name] = folder / f"{number} {name.replace('/', ' ')}.parquet"
        paths[name].write_bytes(data)
    return paths


def test_files_that_claim_much_are_checked_and_read_in_little_memory(tmp_path, hostile):
    assert len(hostile) > 40
    assert_little(tmp_path, hostile.values(), *VERBS, "table")


@pytest.mark.slow
def test_a_long_text_in_many_rows_comes_in_batches_of_few(tmp_path):
    path = tmp_path / "repeating.parquet"
    path.write_bytes(repeating_file())
    assert path.stat().st_size < LARGEST_FILE
    assert_little(tmp_path, [path], "layout", "pages", "batches")
    with parquetext.open(path) as file:
        batches = list(file.iter_batches(engine="parquetext"))
    assert sum(batch.num_rows for batch in batches) == TIMES and len(batches) > 1


def test_small_files_of_texts_come_in_batches_of_the_requested_size(tmp_path):
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"s": [f"text {n % 7}" for n in range(1_000)]}), path)
    with parquetext.open(path) as file:
        assert [batch.num_rows for batch in file.iter_batches(batch_size=300, engine="parquetext")] == [300] * 3 + [100]


@pytest.mark.slow
def test_files_that_claim_missing_data_are_refused(hostile):
    for name, path in hostile.items():
        with pytest.raises(ParquetextError) as caught:
            parquetext.read_table(path, engine="parquetext", decoded_size_limit=1 << 62)
        assert "row group 0, column" in str(caught.value), name


def test_files_of_fuzzers_are_checked_and_read_in_little_memory(tmp_path, corpus, expected):
    paths = [corpus / entry["file"] for entry in expected if entry["class"] == "fuzz"]
    small = [path for path in paths if path.stat().st_size <= LARGEST_FILE]
    assert len(small) > 20
    assert_little(tmp_path, small, *VERBS, "table")
