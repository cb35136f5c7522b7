"""Whole datasets on stores that run: everything that a job does there, by Hadoop's settings."""

from __future__ import annotations

import io
import re
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import TABLE, parquet_bytes
from support.stores import azure_token, libhdfs

import parquetext
from parquetext.arrow.datasets.file_errors import naming
from parquetext.catalog.file_batches import Gathering
from parquetext.errors import ParquetextError, Unsupported
from parquetext.masking import without_secrets
from parquetext.spark import build_catalog, finalize, list_files, read, restore, strip, upgrade, verify, write
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.results import Row
from parquetext.spark.retrying import retrying

IMPORTED_FROM = str(Path(parquetext.__file__).parents[1])
ORIGINAL = parquet_bytes()
NAMES = [f"day={number % 2}/{number}.parquet" for number in range(2)]


@pytest.fixture
def on(spark, store):
    """A session with Hadoop's settings for the store."""
    session = spark.newSession()
    for name, value in store.settings.items():
        session.conf.set(name, value)
    return session


@pytest.fixture
def lake(store, request) -> str:
    """The folder of a dataset in the store's bucket."""
    folder = request.node.originalname.removeprefix("test_")
    for name in [*NAMES, "_temporary/x.parquet"]:
        store.put(f"{folder}/{name}", ORIGINAL)
    return folder


def outcomes(results) -> Counter:
    """How often a job told each outcome, or each error with its message."""
    return Counter(row.message or row.outcome for row in results.collect())


def check_files(store, folder: str) -> None:
    """Every file is whole, and nothing lies beside them."""
    assert store.names(folder) == sorted([*NAMES, "_temporary/x.parquet"])
    for name in NAMES:
        assert pq.read_table(io.BytesIO(store.get(f"{folder}/{name}"))).equals(TABLE)


@pytest.mark.slow
def test_a_dataset_goes_through_every_job_and_back(on, store, lake):
    path = f"{store.url}/{lake}"
    found = list_files(on, path)
    assert found["path"].to_pylist() == sorted(f"{path}/{name}" for name in NAMES)
    assert set(found["size"].to_pylist()) == {len(ORIGINAL)}
    for job, outcome, options in (
        (upgrade, "upgraded", {"form": "flat"}),
        (verify, "ok", {}),
        (finalize, "finalized", {"confirm": True}),
        (restore, "restored", {}),
    ):
        assert outcomes(job(on, path, progress=False, **options)) == {outcome: len(NAMES)}
        if job is not finalize:  # after it nobody else reads the file
            check_files(store, lake)
    assert read(on, path).count() == len(NAMES) * TABLE.num_rows
    chunks = build_catalog(on, path, progress=False)
    assert chunks.count() == len(NAMES) * 3 * 3
    assert outcomes(strip(on, path, progress=False)) == {"stripped": len(NAMES)}
    assert {store.get(f"{lake}/{name}") for name in NAMES} == {ORIGINAL}


@pytest.mark.slow
def test_a_second_run_processes_changed_files(on, store, lake):
    path, state = f"{store.url}/{lake}", f"{store.url}/state"
    assert outcomes(upgrade(on, path, state=state, progress=False, form="flat")) == {"upgraded": len(NAMES)}
    assert outcomes(upgrade(on, path, state=state, progress=False, form="flat")) == {"skipped": len(NAMES)}
    time.sleep(1.1)  # some stores tell times in whole seconds
    store.put(f"{lake}/{NAMES[0]}", store.get(f"{lake}/{NAMES[0]}"))
    assert outcomes(upgrade(on, path, state=state, progress=False, form="flat")) == {
        "skipped": len(NAMES) - 1,
        "it has its flat footer": 1,
    }
    check_files(store, lake)


@pytest.mark.slow
def test_a_dataset_is_written_appended_to_and_replaced(on, store, request):
    if store.url.startswith("abfs"):
        request.getfixturevalue("long")  # its server takes 20 seconds
    path = f"{store.url}/written"
    frame = on.range(100, numPartitions=1).selectExpr("id", "id % 2 AS half")
    for mode, rows in (("errorifexists", 100), ("append", 200), ("overwrite", 100), ("ignore", 100)):
        write(frame, path, mode=mode, partition_by=["half"], form="flat")
        assert read(on, path).count() == rows
        left = store.names("written")
        assert {name.split("/")[0] for name in left} == {"_SUCCESS", "half=0", "half=1"}
    assert (
        sum(pq.read_metadata(io.BytesIO(store.get(f"written/{name}"))).num_rows for name in left if name != "_SUCCESS")
        == 100
    )


def test_a_missing_file_is_an_error_of_its_row(on, store):
    bucket = store.url.replace("lake", "nolake")
    rows = verify(on, [f"{store.url}/no/key.parquet", f"{bucket}/x.parquet"], progress=False).collect()
    assert {row.error for row in rows} == {"FileNotFoundError"}, rows


def test_a_name_service_of_sparks_settings_is_found(spark, hdfs):
    """Where name nodes stand for each other, clients know them by one name alone."""
    hdfs.put("service/x.parquet", ORIGINAL)
    session, position = spark.newSession(), hdfs.url.removeprefix("hdfs://").removesuffix("/store")
    for name, value in {
        "nameservices": "here",
        "ha.namenodes.here": "one",
        "namenode.rpc-address.here.one": position,
    }.items():
        session.conf.set(f"dfs.{name}", value)
    assert outcomes(upgrade(session, "hdfs://here/store/service", progress=False, form="flat")) == {"upgraded": 1}
    assert read(session, "hdfs://here/store/service").count() == TABLE.num_rows


def test_a_token_opens_azure(spark, azure):
    azure.put("token/x.parquet", ORIGINAL)
    session = spark.newSession()
    for name, value in azure.settings.items():
        if not name.startswith("fs.azure.account.key."):
            session.conf.set(name, value)
    session.conf.set("fs.azure.account.auth.type", "SAS")
    session.conf.set("fs.azure.sas.fixed.token", azure_token())
    assert outcomes(upgrade(session, f"{azure.url}/token", progress=False, form="flat")) == {"upgraded": 1}
    assert read(session, f"{azure.url}/token").count() == TABLE.num_rows


SECRET = "DownloadTo from 'https://a.example/lake/x?se=1&sig=abc%2Fdef&sv=1' failed"
TOLD = "DownloadTo from 'https://a.example/lake/x?se=1&sig=…&sv=1' failed"


def test_the_signature_of_the_store_is_never_shown():
    row, gathering = Row("x"), Gathering()
    row.fail(OSError(SECRET))
    gathering.fail("x", OSError(SECRET))
    assert row.message == TOLD
    assert gathering.rest()[0]["error"].to_pylist() == [f"OSError: {TOLD}"]

    def failing():
        raise PermissionError(SECRET)

    with pytest.raises(PermissionError, match=rf"^{re.escape(TOLD)}$"):
        retrying(failing, remote=True)
    with pytest.raises(PermissionError, match=rf"^x: {re.escape(TOLD)}$"), naming("x"):
        failing()

    class Odd(OSError):
        def __init__(self, key, message):
            super().__init__(message)

    with pytest.raises(OSError, match=rf"^x: {re.escape(TOLD)}$"), naming("x"):
        raise Odd(1, SECRET)


def test_no_error_of_a_url_contains_its_password():
    with pytest.raises(ParquetextError) as error:
        parquetext.open("s3://key:se/cret@lake/x.parquet?nosuch=1")
    assert "s3://…@lake/x.parquet?nosuch=…" in str(error.value) and "cret" not in str(error.value)
    with pytest.raises(Unsupported) as error:
        Filesystems().target("nosuch://user:secret@host/x.parquet")
    assert "nosuch://…@host" in str(error.value) and "secret" not in str(error.value)
    assert without_secrets("hdfs://nn:8020/user@host: no such file") == "hdfs://nn:8020/user@host: no such file"


def test_without_hdfs_native_libhdfs_does_everything_except_changes(hdfs, java_home, run_driver, tmp_path, long):
    (tmp_path / "hdfs_native.py").write_text("raise ImportError")
    message = run_driver(
        """
        import sys
        from parquetext.spark import session, upgrade, verify, write

        spark, url = session(master="local[1]"), sys.argv[1]
        frame = spark.range(100, numPartitions=1).selectExpr("id", "id % 3 AS third")
        for mode in ("errorifexists", "overwrite"):
            print(write(frame, url, mode=mode, partition_by=["third"]).rows)
        print(*[row.outcome for row in verify(spark, url, pages=True, progress=False).collect()])
        print(*{row.message for row in upgrade(spark, url, "flat", progress=False).collect()})
    """,
        f"{hdfs.url}/by-libhdfs",
        **libhdfs(java_home),
        PYTHONPATH=f"{tmp_path}:{IMPORTED_FROM}",
    ).splitlines()
    assert message[:3] == ["100", "100", "ok ok ok"]
    assert "pip install 'parquetext[hdfs]'" in message[3]
    assert len(hdfs.names("by-libhdfs")) == 4
