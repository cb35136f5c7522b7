"""Stores by the filesystems that pandas and Dask bring: s3fs, gcsfs and adlfs, against servers that run."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support import objects
from support.stores import AZURE_ACCOUNT, AZURE_KEY, installed, required

import parquetext

TABLE = pa.table({"id": range(1000), "text": [f"text {n}" for n in range(1000)], "key": [n % 3 for n in range(1000)]})
PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "abfs": "adlfs"}
BUCKET = objects.BUCKET


@pytest.fixture(scope="module")
def s3_options():
    with objects.recorded_s3_server() as (_, recorder):
        region = {"endpoint_url": recorder.url, "region_name": "us-east-1"}
        yield {"key": "any", "secret": "any", "client_kwargs": region}


@pytest.fixture(scope="module")
def gs_options(google):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")  # asks for the kind of a bucket by gRPC
        yield {"token": "anon", "endpoint_url": google.settings["fs.gs.storage.root.url"].rstrip("/")}


@pytest.fixture(scope="module")
def abfs_options(azure):
    blobs = f"http://{azure.settings['fs.azure.abfs.endpoint']}/{AZURE_ACCOUNT}"
    account = f"AccountName={AZURE_ACCOUNT};AccountKey={AZURE_KEY}"
    yield {"connection_string": f"DefaultEndpointsProtocol=http;{account};BlobEndpoint={blobs};"}


@pytest.fixture(scope="module", params=PACKAGES)
def lake(request):
    """Scheme and options of a store, and the filesystem that fsspec makes of them."""
    package = PACKAGES[request.param]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed here")
    options = request.getfixturevalue(f"{request.param}_options")
    filesystem = fsspec.filesystem(request.param, **options)
    assert type(filesystem).__module__.split(".")[0] == package
    return request.param, options, filesystem


@pytest.fixture
def stored(lake):
    """A file of ten row groups."""
    scheme, options, filesystem = lake
    path = f"{BUCKET}/t.parquet"
    with filesystem.open(path, "wb") as file:
        pq.write_table(TABLE, file, row_group_size=100)
    return filesystem, path, f"{scheme}://{path}", options


def test_a_file_of_a_filesystem_is_read(stored):
    filesystem, path, _, _ = stored
    assert parquetext.read_table(path, filesystem=filesystem).equals(TABLE)
    assert parquetext.read_table((filesystem, path), ["text"], [("id", "<", 5)]).equals(TABLE[:5].select(["text"]))
    assert parquetext.read_schema(path, filesystem=filesystem).equals(TABLE.schema)
    assert parquetext.read_metadata(path, filesystem=filesystem).num_row_groups == 10
    with pytest.raises(FileNotFoundError):
        parquetext.read_table(f"{BUCKET}/not there.parquet", filesystem=filesystem)


def test_it_is_opened(stored):
    filesystem, path, _, _ = stored
    with parquetext.open((filesystem, path)) as file:
        assert list(file.column("id").null_count) == [0] * 10 and file.read(["key"]).equals(TABLE.select(["key"]))
    with parquetext.ParquetFile(path, filesystem=filesystem) as file:
        assert file.read_row_group(3).equals(TABLE[300:400])


def test_files_opened_by_fsspec_are_read(stored):
    _, _, url, options = stored
    opening = fsspec.open(url, **options)
    assert parquetext.read_table(opening).equals(TABLE)
    with opening as file:
        assert parquetext.read_table(file).equals(TABLE)
        assert not file.closed


def test_a_file_is_written(lake):
    _, _, filesystem = lake
    parquetext.write_table(TABLE, f"{BUCKET}/w.parquet", filesystem=filesystem)
    with filesystem.open(f"{BUCKET}/w.parquet") as file:
        assert pq.read_table(file).equals(TABLE)


def test_datasets_are_written_and_read(lake):
    _, _, filesystem = lake
    folder = f"{BUCKET}/dataset"
    parquetext.write_to_dataset(TABLE, folder, partition_cols=["key"], filesystem=filesystem)
    dataset = parquetext.dataset(folder, filesystem=filesystem, partitioning="hive")
    assert sorted(dataset.to_table()["id"].to_pylist()) == list(range(1000))
    assert dataset.to_table(columns=["id"], filter=pc.field("key") == 1)["id"].to_pylist() == list(range(1, 1000, 3))
    assert parquetext.read_table(folder, filesystem=filesystem).num_rows == 1000
    assert parquetext.ParquetDataset(folder, filesystem=filesystem).read(["id"]).num_rows == 1000


@pytest.mark.slow
def test_with_the_packages_that_ci_installs():
    """In a process of their own: s3fs wants another botocore than the test server brings."""
    if all(importlib.util.find_spec(package) for package in PACKAGES.values()):
        pytest.skip("they are installed here")
    packages = required(installed("filesystems-*"), "The packages s3fs, gcsfs and adlfs")
    paths = os.pathsep.join([packages, *filter(None, sys.path)])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", Path(__file__)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, errors="replace", check=False
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) == 5 * len(PACKAGES)
