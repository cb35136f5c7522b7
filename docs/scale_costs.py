"""Measure the cost of one file: requests to S3 and HDFS servers on loopback, and the CPU time of the client.

A file has 100 columns, 5 row groups and 6 MB. S3 copies the rest of a file of any size without cost in bytes; on
HDFS the cost of a whole file is added by its size.
"""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from parquetext import catalog, storage
from parquetext.spark.actions import ACTIONS, prepared
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.tasks import identity

sys.path[:0] = [str(Path(__file__).parents[1] / "tests")]
from support.objects import BUCKET, put, recorded_s3_server  # noqa: E402
from support.stores import Store, hdfs_store  # noqa: E402

FILES = 40
# Operations that the name node's log of edits stores; messages from data nodes are not a cost of the client.
EDITS = {
    "Create",
    "AddBlock",
    "Complete",
    "Rename",
    "Rename2",
    "Delete",
    "Mkdirs",
    "SetPermission",
    "SetOwner",
    "SetTimes",
    "SetReplication",
    "ModifyAclEntries",
    "SetAcl",
}
COUNTED_SECONDS = 11  # after so long the name node's page shows what it has counted (Hadoop's metrics: ten)
NOBODYS = {
    "SendHeartbeat",
    "BlockReport",
    "BlockReceivedAndDeleted",
    "RegisterDatanode",
    "VersionRequest",
    "RenewLease",
}


def measure() -> dict:
    """Costs of one file, by store and job."""
    s3 = {name: _measured(name, *job) for name, job in _jobs().items()}
    with tempfile.TemporaryDirectory() as folder, hdfs_store(Path(folder)) as store:
        hdfs = {name: _measured_on_hdfs(store, name, do) for name, (do, _, boto3) in _jobs().items() if boto3}
    return {"s3": s3, "hdfs": hdfs}


def _jobs() -> dict[str, tuple[Callable, bool, bool]]:
    """Return for each job its action on a target, if it changes the tail, and if it may use boto3."""
    return {
        "upgrade": (_action("upgrade", form="flat"), True, True),
        "upgrade, index form": (_action("upgrade", form="index"), True, True),
        "upgrade without boto3": (_action("upgrade", form="flat"), True, False),
        "sidecars": (_action("build_sidecars"), False, True),
        "verify": (_action("verify"), False, True),
        "catalog": (lambda target: list(catalog.batches_of([target])), False, True),
    }


def _action(name: str, **options) -> Callable:
    _, options = prepared(ACTIONS[name], options)

    def do(target) -> None:
        ACTIONS[name].run(target, options)
        identity(target)

    return do


def _measured(name: str, do: Callable, copied: bool, boto3: bool) -> dict:
    with _boto3(boto3):
        with recorded_s3_server() as (filesystem, recorder):
            targets = _targets(filesystem)
            recorder.forget()
            for target in targets:
                do(target)
            lists = sum(method == "GET" and path.strip("/") == BUCKET for method, path, _ in recorder.requests)
            writes = (recorder.count("PUT") + recorder.count("POST") + lists) / FILES
            reads = (recorder.count("GET") + recorder.count("HEAD") - lists) / FILES
            received = sum(end - begin for begin, end in filter(None, recorder.ranges())) / FILES
            sent = recorder.bytes_sent / FILES
        with _server() as filesystem:
            targets = _targets(filesystem)
            do(targets[0])
            began = time.process_time()
            for target in targets[1:]:
                do(target)
            cpu = (time.process_time() - began) / (FILES - 1)
    print(f"{name}: {writes:.1f} writing and {reads:.1f} reading requests, {cpu * 1e3:.1f} ms", file=sys.stderr)
    return {"writes": writes, "reads": reads, "received": received, "sent": sent, "cpu": cpu, "copied": float(copied)}


def _measured_on_hdfs(store: Store, name: str, do: Callable) -> dict:
    targets = []
    for number in range(FILES):
        path = f"{name.replace(',', '')}/day={number}/part.parquet"
        store.put(path, _content())
        targets.append(Filesystems().target(f"{store.url}/{path}"))
    do(targets[0])
    before, began = _operations(store), time.process_time()
    for target in targets[1:]:
        do(target)
    cpu, after = (time.process_time() - began) / (FILES - 1), _operations(store)
    done = {operation: (count - before.get(operation, 0)) / (FILES - 1) for operation, count in after.items()}
    writes = sum(count for operation, count in done.items() if operation in EDITS)
    reads = sum(done.values()) - writes
    message = ", ".join(f"{count:.2g} {operation}" for operation, count in done.items() if count)
    print(f"{name} on HDFS: {message}; {cpu * 1e3:.1f} ms", file=sys.stderr)
    return {"writes": writes, "reads": reads, "received": 0.0, "sent": 0.0, "cpu": cpu, "copied": 0.0}


def _operations(store: Store) -> dict[str, int]:
    """Return the number of requests that the name node has received, by operation."""
    time.sleep(COUNTED_SECONDS)
    position = store.filesystem.handler.fs.url.partition("/webhdfs")[0]
    bean = f"*:name=RpcDetailedActivityForPort{urllib.parse.urlsplit(store.url).port},*"
    with urllib.request.urlopen(f"{position}/jmx?qry={bean}") as answer:
        (counts,) = json.load(answer)["beans"]
    counts = {name.removesuffix("NumOps"): count for name, count in counts.items() if name.endswith("NumOps")}
    return {name: count for name, count in counts.items() if name not in NOBODYS and not name.startswith("Overall")}


def _targets(filesystem: pafs.FileSystem) -> list[storage.Target]:
    targets = []
    for number in range(FILES):
        path = f"{BUCKET}/table/day={number}/part.parquet"
        put(filesystem, path, _content())
        targets.append(storage.Target(path, filesystem))
    return targets


def _content() -> bytes:
    values = np.random.default_rng(1).random((100, 8_000))
    sink = io.BytesIO()
    table = pa.table({f"measurement_{n}": column for n, column in enumerate(values)})
    pq.write_table(table, sink, row_group_size=1_600)
    return sink.getvalue()


@contextmanager
def _boto3(there: bool):
    found = importlib.util.find_spec
    if not there:
        importlib.util.find_spec = lambda name, *package: None if name == "boto3" else found(name, *package)
    try:
        yield
    finally:
        importlib.util.find_spec = found


@contextmanager
def _server():
    """Run a server in a separate process, so that its work does not count."""
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "5057"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _await("http://127.0.0.1:5057/")
        filesystem = pafs.S3FileSystem(
            endpoint_override="127.0.0.1:5057",
            scheme="http",
            access_key="any",
            secret_key="any",
            region="us-east-1",
            allow_bucket_creation=True,
            background_writes=False,
        )
        filesystem.create_dir(BUCKET)
        yield filesystem
    finally:
        server.kill()
        server.wait()


def _await(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url).close()
            return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise TimeoutError(url)
