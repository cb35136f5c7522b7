"""Stores are read by the functions of pyarrow's users: by URL, and by filesystems of pyarrow.fs and fsspec."""

from __future__ import annotations

import io
import urllib.parse
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.http_files import HttpFiles
from support.objects import BUCKET, put, recorded_s3_server

import parquetext

DAYS, ROWS = (1, 2), 300


def rows_of(day: int) -> pa.Table:
    return pa.table({"id": range(day * ROWS, (day + 1) * ROWS), "word": [f"word {n % 7}" for n in range(ROWS)]})


def content_of(day: int) -> bytes:
    """Return one file with a flat footer, and one without."""
    sink = io.BytesIO()
    parquetext.write_table(rows_of(day), sink, form="flat" if day == 1 else "thrift", row_group_size=100)
    return sink.getvalue()


@dataclass
class Lake:
    """Two files as one kind of source; `options` belong to the names."""

    folder: object
    files: list
    options: dict


def lakes(uri, filesystem, bucket: str, folder: str) -> dict[str, Lake]:
    """Return the same folder by URL and by filesystem; `uri` returns the URL of a path in the bucket."""
    names = [f"{folder}/day={day}/part.parquet" for day in DAYS]
    paths = [f"{bucket}/{name}" for name in names]
    return {
        "URI": Lake(uri(folder), [uri(name) for name in names], {}),
        "pyarrow.fs": Lake(f"{bucket}/{folder}", paths, {"filesystem": filesystem}),
    }


@pytest.fixture(scope="module")
def s3():
    with recorded_s3_server() as (filesystem, recorder):
        for day in DAYS:
            put(filesystem, f"{BUCKET}/table/day={day}/part.parquet", content_of(day))
        host = urllib.parse.urlsplit(recorder.url).netloc
        query = urllib.parse.urlencode({"scheme": "http", "endpoint_override": host, "region": "us-east-1"})
        found = lakes(lambda path: f"s3://any:any@{BUCKET}/{path}?{query}", filesystem, BUCKET, "table")
        names = found["pyarrow.fs"].files
        yield found | {"fsspec": Lake(names, names, {"filesystem": HttpFiles(recorder.url)})}


@pytest.fixture(params=["URI", "pyarrow.fs", "fsspec"])
def on_s3(request, s3):
    return s3[request.param]


@pytest.fixture(params=["URI", "pyarrow.fs"])
def on_store(request, store):
    for day in DAYS:
        store.put(f"read/day={day}/part.parquet", content_of(day))
    return lakes(store.uri.format, store.filesystem, store.bucket, "read")[request.param]


def check_every_way_of_reading(lake: Lake) -> None:
    one, options = lake.files[0], lake.options
    assert parquetext.read_table(one, partitioning=None, **options) == rows_of(1)
    seven = parquetext.read_table(one, ["word"], [("id", "==", ROWS + 7)], partitioning=None, **options)
    assert seven["word"].to_pylist() == ["word 0"]
    assert parquetext.read_table(one, engine="parquetext", partitioning=None, **options) == rows_of(1)
    assert parquetext.read_schema(one, **options) == rows_of(1).schema
    assert parquetext.read_metadata(one, **options).num_row_groups == 3
    with parquetext.ParquetFile(one, **options) as file:
        assert file.read(["id"]) == rows_of(1).select(["id"]) and file.metadata.num_rows == ROWS
        assert pa.Table.from_batches(file.iter_batches(64)) == rows_of(1)
    whole = parquetext.dataset(lake.folder, **options)
    assert whole.count_rows() == len(DAYS) * ROWS and len(whole.files) == len(DAYS)
    found = whole.to_table(["id", "day"], (pc.field("day") == 2) & (pc.field("id") < 2 * ROWS + 3))
    assert found.to_pydict() == {"id": [600, 601, 602], "day": [2, 2, 2]}
    assert parquetext.dataset(lake.files, **options).to_table(["id"])["id"].to_pylist() == list(range(300, 900))
    assert parquetext.ParquetDataset(lake.files, **options).read(["word"]).num_rows == len(DAYS) * ROWS
    assert parquetext.read_table(lake.folder, ["id"], [("day", "=", 1)], **options)["id"].to_pylist()[:2] == [300, 301]


def test_objects_of_s3_are_read_as_files_are(on_s3):
    check_every_way_of_reading(on_s3)


def test_files_of_other_stores_are_read_as_files_are(on_store):
    check_every_way_of_reading(on_store)


def test_a_dataset_of_s3_equals_that_of_pyarrow(s3):
    path, options = s3["pyarrow.fs"].folder, s3["pyarrow.fs"].options
    theirs = ds.dataset(path, partitioning="hive", **options)
    ours = parquetext.dataset(path, **options)
    assert ours.schema == theirs.schema and ours.files == theirs.files and ours.to_table() == theirs.to_table()
    assert parquetext.read_table(path, **options) == pq.read_table(path, **options)


@pytest.mark.parametrize("read", ["read_table", "ParquetFile", "open", "read_schema", "read_metadata", "dataset"])
def test_keys_in_a_uri_are_not_shown(s3, read):
    uri = s3["URI"].files[0].replace("s3://any:any@", "s3://any:SeCrEt@").replace("part.parquet", "nowhere.parquet")
    with pytest.raises(FileNotFoundError) as caught:
        getattr(parquetext, read)(uri)
    message = "".join(map(str, (caught.value, caught.value.args, caught.value.filename, caught.value.__context__)))
    assert "nowhere.parquet" in message and "SeCrEt" not in message
