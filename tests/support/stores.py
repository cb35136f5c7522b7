"""Stores on loopback, by the programs that people test with: Azurite, fake-gcs-server, Hadoop's own servers."""

from __future__ import annotations

import base64
import getpass
import hmac
import importlib.util
import os
import random
import shutil
import socket
import subprocess
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import fsspec
import pyarrow.fs as pafs
import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parquetext-ci"
# Azurite's default account and key (learn.microsoft.com, "Use the Azurite emulator").
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@dataclass(frozen=True)
class Store:
    """A bucket of a store that runs.

    Attributes
    ----------
    url : str
        Of the bucket.
    uri : str
        The same with all that pyarrow needs to know, but for a path: ``uri.format(path)``.
    settings : dict
        Hadoop's settings that lead there.
    filesystem, bucket
        The content of the store as pyarrow sees it: tests read and change files through it.
    """

    url: str
    uri: str
    settings: dict[str, str]
    filesystem: pafs.FileSystem = field(repr=False)
    bucket: str

    def put(self, path: str, content: bytes) -> None:
        with self.filesystem.open_output_stream(f"{self.bucket}/{path}") as stream:
            stream.write(content)

    def get(self, path: str) -> bytes:
        with self.filesystem.open_input_file(f"{self.bucket}/{path}") as file:
            return file.read()

    def names(self, folder: str) -> list[str]:
        """The files below a folder, hidden ones too."""
        selector = pafs.FileSelector(f"{self.bucket}/{folder}", recursive=True, allow_not_found=True)
        return sorted(
            info.path.removeprefix(f"{self.bucket}/{folder}/")
            for info in self.filesystem.get_file_info(selector)
            if info.is_file
        )


def installed(pattern: str) -> Path | None:
    """The newest version that `.ci/stores` has installed under such a name."""
    return max(CACHE.glob(pattern), key=os.path.getmtime, default=None)


def required(path: str | Path | None, what: str) -> str:
    """A program or file that `.ci/stores` installs; without it the test is skipped, or fails where it must be there."""
    if path and os.path.exists(path):
        return str(path)
    message = f"{what} is not installed: `.ci/stores` or pip install '.[test]' does it; tests on real stores do not run"
    if os.environ.get("PARQUETEXT_REQUIRE_STORES") == "1":
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def azure_store(folder: Path) -> Iterator[Store]:
    """A container of Azurite."""
    program = required(installed("azurite-*/node_modules/azurite/dist/src/azurite.js"), "Azurite")
    port = free_port()
    # Azure's library for C++ now and then waits for an answer that it has, until its connection is closed.
    command = [
        required(shutil.which("node"), "Node.js"),
        program,
        "--inMemoryPersistence",
        "--silent",
        "--skipApiVersionCheck",
        "--disableTelemetry",
        "--blobHost",
        "127.0.0.1",
        "--blobPort",
        str(port),
        "--blobKeepAliveTimeout",
        "1",
        "--queuePort",
        "0",
        "--tablePort",
        "0",
    ]
    with running(command, folder / "azurite.log", port):
        position = f"127.0.0.1:{port}"
        filesystem = pafs.AzureFileSystem(
            AZURE_ACCOUNT,
            account_key=AZURE_KEY,
            blob_storage_authority=position,
            blob_storage_scheme="http",
            dfs_storage_authority=position,
            dfs_storage_scheme="http",
        )
        filesystem.create_dir("lake")
        host = f"{AZURE_ACCOUNT}.dfs.core.windows.net"
        yield Store(
            f"abfs://lake@{host}",
            f"abfs://{AZURE_ACCOUNT}@lake/{{}}?enable_tls=false&blob_storage_authority={position}"
            f"&dfs_storage_authority={position}&{azure_token()}",
            {
                "fs.azure.abfs.endpoint": position,
                "fs.azure.always.use.https": "false",
                f"fs.azure.account.key.{host}": AZURE_KEY,
            },
            filesystem,
            "lake",
        )


def azure_token() -> str:
    """A shared access signature for all that blobs allow (learn.microsoft.com, "Create an account SAS")."""
    message = {
        "sp": "rwdlac",
        "ss": "b",
        "srt": "sco",
        "st": "",
        "se": "2100-01-01T00:00:00Z",
        "sip": "",
        "spr": "",
        "sv": "2021-06-08",
        "ses": "",
    }
    signed = "".join(f"{part}\n" for part in (AZURE_ACCOUNT, *message.values()))
    signature = hmac.digest(base64.b64decode(AZURE_KEY), signed.encode(), "sha256")
    given = {name: part for name, part in message.items() if part}
    return urllib.parse.urlencode({**given, "sig": base64.b64encode(signature).decode()})


@contextmanager
def google_store(folder: Path) -> Iterator[Store]:
    """A bucket of fake-gcs-server."""
    port = free_port()
    position = f"127.0.0.1:{port}"
    program = shutil.which("fake-gcs-server") or installed("fake-gcs-server-*/bin/fake-gcs-server")
    command = [
        required(program, "fake-gcs-server"),
        "-backend",
        "memory",
        "-scheme",
        "http",
        "-host",
        "127.0.0.1",
        "-port",
        str(port),
        "-external-url",
        f"http://{position}",
        "-log-level",
        "error",
    ]
    with running(command, folder / "gcs.log", port):
        filesystem = pafs.GcsFileSystem(anonymous=True, scheme="http", endpoint_override=position, project_id="any")
        filesystem.create_dir("lake")
        yield Store(
            "gs://lake",
            f"gs://anonymous@lake/{{}}?scheme=http&endpoint_override={position.replace(':', '%3A')}",
            {"fs.gs.storage.root.url": f"http://{position}/", "fs.gs.auth.type": "UNAUTHENTICATED"},
            filesystem,
            "lake",
        )


@contextmanager
def hdfs_store(folder: Path) -> Iterator[Store]:
    """A name node and a data node, looked at by their own HTTP interface."""
    classes = hadoop_classes()
    native = importlib.util.find_spec("hdfs_native")
    required(native and native.origin, "hdfs-native")
    name_node, http = free_port(), free_port()
    command = [
        required(shutil.which("java"), "Java"),
        "-Xmx256m",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        classes,
        "org.apache.hadoop.test.MiniDFSClusterManager",
        "-format",
        "-datanodes",
        "1",
        "-nnport",
        str(name_node),
        "-httpport",
        str(http),
        "-D",
        "dfs.replication=1",
        "-D",
        "dfs.namenode.fs-limits.min-block-size=0",
        "-writeDetails",
        "ready.json",
    ]
    with running(command, folder / "hdfs.log", folder / "ready.json"):
        seen = fsspec.filesystem(
            "webhdfs", host="127.0.0.1", port=http, user=getpass.getuser(), use_listings_cache=False
        )
        url = f"hdfs://127.0.0.1:{name_node}/store"
        yield Store(url, f"{url}/{{}}", {}, pafs.PyFileSystem(pafs.FSSpecHandler(seen)), "/store")


def libhdfs(java_home: str) -> dict[str, str]:
    """Return the environment variables with which pyarrow finds libhdfs."""
    library = required(installed("libhdfs-*/libhdfs.so"), "libhdfs")
    return {
        "ARROW_LIBHDFS_DIR": os.path.dirname(library),
        "CLASSPATH": hadoop_classes(),
        "JAVA_HOME": java_home,
        "LIBHDFS_OPTS": "-Xmx128m -XX:TieredStopAtLevel=1",
    }


def hadoop_classes() -> str:
    """Hadoop's classes: a client's are Spark's own, the servers' installed."""
    import pyspark

    wanted = ("hadoop-client-", "slf4j-api-", "log4j-", "commons-lang3-")
    client = [jar for jar in Path(pyspark.__path__[0], "jars").glob("*.jar") if jar.name.startswith(wanted)]
    servers = Path(required(installed("hadoop-*/hadoop-client-minicluster-*.jar"), "HDFS")).parent.glob("*.jar")
    return ":".join(map(str, sorted([*client, *servers])))


def free_port() -> int:
    """A port below those that the system gives away: nobody gets it before the server that is about to start."""
    while True:
        with socket.socket() as each, suppress(OSError):
            each.bind(("127.0.0.1", random.SystemRandom().randrange(10_000, 32_768)))
            return each.getsockname()[1]


@contextmanager
def running(command: list[str], log: Path, ready: int | Path) -> Iterator[subprocess.Popen]:
    """A server of this command, from when its port answers, or it has written a file, until the end of the block."""
    with log.open("wb") as stream:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, cwd=log.parent)
    try:
        while not (ready.exists() if isinstance(ready, Path) else _answers(ready)):
            assert server.poll() is None, log.read_text()[-5000:]
            time.sleep(0.05)
        yield server
    finally:
        server.kill()  # nothing that it would tidy up is needed
        server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as each:
        return each.connect_ex(("127.0.0.1", port)) == 0
