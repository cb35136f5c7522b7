"""Stores on loopback, by the programs that people test with: Azurite for Azure."""

from __future__ import annotations

import base64
import hmac
import os
import shutil
import socket
import subprocess
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.fs as pafs
import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parquetext-ci"
# What Azurite knows of itself (learn.microsoft.com, "Use the Azurite emulator").
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
        What stands there, seen by pyarrow itself: tests look by it, and change files by it.
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
        return sorted(info.path.removeprefix(f"{self.bucket}/{folder}/")
                      for info in self.filesystem.get_file_info(selector) if info.is_file)


def installed(pattern: str) -> Path | None:
    """The newest of what `.ci/stores` has installed under such a name."""
    return max(CACHE.glob(pattern), key=os.path.getmtime, default=None)


def required(path: str | Path | None, what: str) -> str:
    """A program or file that `.ci/stores` installs; without it the test is skipped, or fails where it must be there."""
    if path and os.path.exists(path):
        return str(path)
    told = f"{what} is not installed: `.ci/stores` does it; the tests on real stores do not run"
    if os.environ.get("PARQUETEXT_REQUIRE_STORES") == "1":
        pytest.fail(told)
    pytest.skip(told)


@contextmanager
def azure_store(folder: Path) -> Iterator[Store]:
    """A container of Azurite."""
    program = required(installed("azurite-*/node_modules/azurite/dist/src/blob/main.js"), "Azurite")
    port = free_port()
    command = [required(shutil.which("node"), "Node.js"), program, "--inMemoryPersistence", "--silent",
               "--skipApiVersionCheck", "--disableTelemetry", "--blobHost", "127.0.0.1", "--blobPort", str(port)]
    with running(command, folder / "azurite.log", port):
        place = f"127.0.0.1:{port}"
        filesystem = pafs.AzureFileSystem(
            AZURE_ACCOUNT, account_key=AZURE_KEY, blob_storage_authority=place, blob_storage_scheme="http",
            dfs_storage_authority=place, dfs_storage_scheme="http")
        filesystem.create_dir("lake")
        host = f"{AZURE_ACCOUNT}.dfs.core.windows.net"
        yield Store(
            f"abfs://lake@{host}",
            f"abfs://{AZURE_ACCOUNT}@lake/{{}}?enable_tls=false&blob_storage_authority={place}"
            f"&dfs_storage_authority={place}&{azure_token()}",
            {"fs.azure.abfs.endpoint": place, "fs.azure.always.use.https": "false",
             f"fs.azure.account.key.{host}": AZURE_KEY},
            filesystem, "lake")


def azure_token() -> str:
    """A shared access signature for all that blobs allow (learn.microsoft.com, "Create an account SAS")."""
    told = {"sp": "rwdlac", "ss": "b", "srt": "sco", "st": "", "se": "2100-01-01T00:00:00Z", "sip": "", "spr": "",
            "sv": "2021-06-08", "ses": ""}
    signed = "".join(f"{part}\n" for part in (AZURE_ACCOUNT, *told.values()))
    signature = hmac.digest(base64.b64decode(AZURE_KEY), signed.encode(), "sha256")
    given = {name: part for name, part in told.items() if part}
    return urllib.parse.urlencode({**given, "sig": base64.b64encode(signature).decode()})


@contextmanager
def google_store(folder: Path) -> Iterator[Store]:
    """A bucket of fake-gcs-server."""
    port = free_port()
    place = f"127.0.0.1:{port}"
    program = shutil.which("fake-gcs-server") or installed("fake-gcs-server-*/bin/fake-gcs-server")
    command = [required(program, "fake-gcs-server"), "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1",
               "-port", str(port), "-external-url", f"http://{place}", "-log-level", "error"]
    with running(command, folder / "gcs.log", port):
        filesystem = pafs.GcsFileSystem(anonymous=True, scheme="http", endpoint_override=place, project_id="any")
        filesystem.create_dir("lake")
        yield Store(
            "gs://lake", f"gs://anonymous@lake/{{}}?scheme=http&endpoint_override={place.replace(':', '%3A')}",
            {"fs.gs.storage.root.url": f"http://{place}/", "fs.gs.auth.type": "UNAUTHENTICATED"}, filesystem, "lake")


def free_port() -> int:
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


@contextmanager
def running(command: list[str], log: Path, port: int) -> Iterator[subprocess.Popen]:
    """A server of this command, from when its port answers until the end of the block."""
    with log.open("wb") as stream:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, cwd=log.parent)
    try:
        while not _answers(port):
            assert server.poll() is None, log.read_text()[-5000:]
            time.sleep(0.05)
        yield server
    finally:
        server.terminate()
        server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as each:
        return each.connect_ex(("127.0.0.1", port)) == 0
