"""Files of systems that record their sizes are refused by every verb, wherever in the system's folder they are."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import parquet_bytes

import parquetext
from parquetext import edits, sidecar
from parquetext.arrow.writing.rewriting import rewrite_file
from parquetext.errors import Refused
from parquetext.sidecar.table_formats import table_above, tables_among

ORIGINAL = parquet_bytes()
DUCKLAKE_NAME = "ducklake-0198f0a5-9d3c-7c1e-8b1f-1d2c3b4a5968.parquet"

# The files and folders that tell each system, and a data file; folders end with a slash.
SYSTEMS = {
    "Delta Lake": (["_delta_log/"], "day=1/x.parquet"),
    "Hudi": ([".hoodie/hoodie.properties"], "day=1/x.parquet"),
    "Iceberg": (["metadata/v3.metadata.json"], "data/day=1/x.parquet"),
    "Spark Structured Streaming": (["_spark_metadata/0"], "day=1/part-00000-x.snappy.parquet"),
    "Paimon": (["snapshot/snapshot-1", "schema/schema-0", "manifest/"], "dt=1/bucket-0/data-x-0.parquet"),
    "GreptimeDB": (["manifest/00000000000000000000.json"], "0198f0a5-9d3c-7c1e-8b1f-1d2c3b4a5968.parquet"),
    "InfluxDB 3": (["snapshots/18446744073709551614.info.json", "wal/"], "dbs/db-1/t-0/2026-01-01/00-00/1.parquet"),
    "Grafana Tempo": (["meta.json", "bloom-0"], "data.parquet"),
    "QuestDB": (["_txn", "_meta"], "2026-11-01.3/data.parquet"),
}


@pytest.fixture(params=SYSTEMS)
def recorded(request, tmp_path) -> tuple[str, Path, Path]:
    """A system's name, its folder and a file in it."""
    folder = tmp_path / "lake" / "table"
    message, data = SYSTEMS[request.param]
    for name in message:
        position = folder / name
        (position if name.endswith("/") else position.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            position.write_text("{}")
    path = folder / data
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ORIGINAL)
    return request.param, folder, path


def changes(path, out):
    """Every call that gives a file another size, or puts another file in its place."""
    yield lambda: edits.upgrade(path, "flat")
    yield lambda: edits.upgrade(path, "flat", in_place=True)
    yield lambda: edits.upgrade(path, dry_run=True)
    yield lambda: edits.strip(path)
    yield lambda: edits.encode(path, {"a": "plain"})
    yield lambda: edits.drop_original_encoding(path, ["a"], confirm=True)
    yield lambda: edits.finalize(path, confirm=True)
    yield lambda: edits.restore(path)
    yield lambda: edits.merge([out, out], path)
    yield lambda: rewrite_file(out, path)
    yield lambda: parquetext.write_table(pq.read_table(out), path)


def test_every_change_is_refused(recorded, tmp_path):
    kind, folder, path = recorded
    out = tmp_path / "other.parquet"
    out.write_bytes(ORIGINAL)
    for change in changes(path, out):
        with pytest.raises(Refused, match=rf"{kind} table at {folder}, whose log records its size") as refused:
            change()
        assert refused.value.ignore == "table-format" and refused.value.file == str(path)
    assert path.read_bytes() == ORIGINAL
    assert edits.upgrade(path, "flat", ignore="table-format").outcome == "upgraded"
    parquetext.write_table(pa.table({"a": [1]}), path, ignore=["table-format"])
    assert pq.read_table(path).num_rows == 1


def test_a_new_file_next_to_those_of_a_table_is_written(recorded):
    parquetext.write_table(pa.table({"a": [1]}), recorded[1] / "new.parquet")
    assert pq.read_table(recorded[1] / "new.parquet", partitioning=None).num_rows == 1


@pytest.mark.parametrize("behavior", ["overwrite_or_ignore", "error", "delete_matching"])
def test_a_dataset_is_not_written_into_a_table(recorded, behavior):
    kind, folder, path = recorded
    before = sorted(folder.rglob("*"))
    table = pa.table({"a": [1], "day": [1]})
    for root in (folder, folder / "day=1", path.parent):
        for keys in (None, ["day"]):
            with pytest.raises(
                Refused, match=f"{kind} table at {folder}, which would not know of new files"
            ) as refused:
                parquetext.write_to_dataset(table, root, keys, existing_data_behavior=behavior)
            assert refused.value.ignore == "table-format" and refused.value.file == str(root)
    assert sorted(folder.rglob("*")) == before and path.read_bytes() == ORIGINAL
    parquetext.write_to_dataset(table, path.parent, basename_template="new-{i}.parquet", ignore=["table-format"])
    assert pq.read_table(path.parent / "new-0.parquet", partitioning=None).to_pylist() == table.to_pylist()


@pytest.mark.parametrize("recorded", [name for name, (_, data) in SYSTEMS.items() if "/" in data], indirect=True)
def test_a_dataset_does_not_replace_or_empty_a_table_in_one_of_its_folders(recorded):
    kind, folder, path = recorded
    inner = folder.rename(folder.parent / "day=1")
    before, table = sorted(inner.rglob("*")), pa.table({"a": [1], "day": [1]})
    with pytest.raises(Refused, match=f"{kind} table"):
        parquetext.write_to_dataset(table, inner.parent, ["day"], existing_data_behavior="delete_matching")
    assert sorted(inner.rglob("*")) == before
    name, data = path.name.replace(".parquet", "{i}.parquet"), inner / path.relative_to(folder)
    data.rename(data.with_name(name.format(i=0)))
    with pytest.raises(Refused, match=f"{kind} table"):
        parquetext.write_to_dataset(table.select(["a"]), data.parent, None, basename_template=name)


def test_a_dataset_is_not_written_into_a_store_or_among_ducklakes_files(tmp_path):
    lake = tmp_path / "trades"
    lake.mkdir()
    (lake / DUCKLAKE_NAME).write_bytes(ORIGINAL)
    with pytest.raises(Refused, match="DuckLake table"):
        parquetext.write_to_dataset(pa.table({"a": [1]}), lake)
    sidecar.Store(tmp_path / "store").append(pa.table({"a": [1]}))
    with pytest.raises(Refused, match=r"sidecar\.Store table"):
        parquetext.write_to_dataset(pa.table({"a": [1]}), tmp_path / "store")


def test_it_is_found_on_a_store_and_in_a_listing(recorded):
    kind, folder, path = recorded
    memory = fsspec.filesystem("memory")
    names = [f"{each.relative_to(folder)}{'/' * each.is_dir()}" for each in sorted(folder.rglob("*"))]
    for name in names:
        position = f"/recorded/{kind}/{name}".rstrip("/")
        memory.makedirs(position, exist_ok=True) if name.endswith("/") else memory.pipe_file(position, ORIGINAL)
    remote = f"memory://recorded/{kind}/{path.relative_to(folder)}"
    assert table_above(remote) == (kind, f"/recorded/{kind}")
    assert tables_among(names)[""] == kind
    with pytest.raises(Refused, match=f"{kind} table"):
        edits.upgrade(remote, "flat")
    for root in (f"memory://recorded/{kind}", f"memory://recorded/{kind}/any/folder"):
        with pytest.raises(Refused, match=f"{kind} table at /recorded/{kind}, which would not know of new files"):
            parquetext.write_to_dataset(pa.table({"a": [1]}), root)


def test_ducklakes_files_are_recognized_by_name(tmp_path):
    for name in (DUCKLAKE_NAME, DUCKLAKE_NAME.replace(".parquet", "-delete.parquet")):
        path = tmp_path / "main" / "trades" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ORIGINAL)
        with pytest.raises(Refused, match=rf"DuckLake table at {path.parent}, whose catalog records its size"):
            edits.upgrade(path, "flat")
        with pytest.raises(Refused, match="does not know a sidecar"):
            sidecar.build(path)
    with pytest.warns(UserWarning, match="DuckLake table"):
        parquetext.dataset(path.parent).count_rows()


@pytest.mark.parametrize(
    "names",
    [
        ["snapshot/notes", "schema/schema-0"],
        ["snapshot/snapshot-1", "schema/notes"],
        ["manifest/notes.json"],
        ["snapshots/x.json", "dbs/"],
        ["meta.json"],
        ["_SUCCESS", "_committed_17", "_started_17", "_symlink_format_manifest/manifest"],
        ["_metadata", "_common_metadata"],
    ],
    ids=str,
)
def test_similar_names_without_sizes_refuse_nothing(tmp_path, names):
    for name in names:
        position = tmp_path / name
        (position if name.endswith("/") else position.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            position.write_text("{}")
    path = tmp_path / "bucket-0" / "data.parquet"
    path.parent.mkdir()
    path.write_bytes(ORIGINAL)
    assert edits.upgrade(path, "flat").outcome == "upgraded"
    assert tables_among(names) == {}
