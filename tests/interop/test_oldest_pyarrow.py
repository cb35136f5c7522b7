"""The oldest pyarrow that the package allows: it writes, reads, plans and filters there as pyarrow itself does."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from interop.test_reader_versions import need
from support.readers import OLDEST_PYARROW

import parquetext

ROOT = Path(__file__).parents[2]
PROGRAM = """
import pickle, sys
import pyarrow as pa, pyarrow.compute as pc, pyarrow.dataset as ds, pyarrow.parquet as pq
import parquetext

assert pa.__version__ == sys.argv[1], pa.__version__
table = pa.table(
    {
        "n": pa.array(range(90), pa.int64()),
        "word": [None if n % 7 == 0 else str(n % 5) for n in range(90)],
        "s": [{"x": n, "y": [n] * (n % 3)} for n in range(90)],
        "k": [n // 45 for n in range(90)],
    },
    metadata={"made by": "a test"},
)
for write in (pq.write_table, parquetext.write_table):
    write(table, "x.parquet", row_group_size=20)
    for given in (
        {},
        {"columns": ["word", "s"]},
        {"columns": ["s.x"], "filters": [("n", ">", 70)]},
        {"columns": {"m": pc.field("n") + 1}, "filters": pc.field("word") == "3"},
        {"schema": pa.schema([("n", pa.int32()), ("none", pa.string())])},
        {"read_dictionary": ["word"], "memory_map": True, "use_threads": False},
        {"thrift_string_size_limit": 10_000, "page_checksum_verification": True},
    ):
        found, expected = parquetext.read_table("x.parquet", **given), pq.read_table("x.parquet", **given)
        assert found.equals(expected) and found.schema == expected.schema, given
    assert parquetext.read_table("x.parquet", engine="parquetext").equals(table)
    assert parquetext.read_schema("x.parquet").equals(pq.read_schema("x.parquet"), check_metadata=True)
    with parquetext.ParquetFile("x.parquet") as file:
        assert file.read().equals(table)
        assert pa.Table.from_batches(file.iter_batches(7)).equals(table)
        assert file.metadata.row_group(1).column(0).statistics.min == 20
parquetext.write_to_dataset(table, "lake", partition_cols=["k"])
hive = ds.partitioning(flavor="hive")
for partitioning in ("hive", hive, ds.HivePartitioning.discover(infer_dictionary=True)):
    ours, theirs = (make("lake", partitioning=partitioning) for make in (parquetext.dataset, ds.dataset))
    assert ours.schema == theirs.schema
    for filter in (None, (pc.field("n") > 40) & (pc.field("k") == 0)):
        assert ours.to_table(filter=filter).equals(theirs.to_table(filter=filter))
        assert ours.head(3, filter=filter).equals(theirs.head(3, filter=filter))
    assert pickle.loads(pickle.dumps(ours)).count_rows() == 90
form = ds.ParquetFileFormat(dictionary_columns=["word"], pre_buffer=False, use_buffered_stream=True)
ours, theirs = (make("lake", format=form, partitioning=hive) for make in (parquetext.dataset, ds.dataset))
assert ours.to_table().equals(theirs.to_table()) and ours.schema == theirs.schema
assert ours.to_pyarrow().to_table().equals(theirs.to_table())
assert parquetext.read_table("lake").equals(pq.read_table("lake"))
assert parquetext.ParquetDataset("lake").read().equals(pq.ParquetDataset("lake").read())
print("as pyarrow")
"""


def test_everything_works_there(request, tmp_path):
    need(request, OLDEST_PYARROW)
    positions = [OLDEST_PYARROW.folder, Path(parquetext.__file__).parents[1]]
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM, OLDEST_PYARROW.version],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, positions))},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "as pyarrow\n", done.stderr


def test_it_is_the_one_that_the_package_asks_for():
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert f"pyarrow>={OLDEST_PYARROW.version.removesuffix('.0.0')}" in asked
