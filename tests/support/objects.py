"""An S3 server on loopback."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.fs as pafs

BUCKET = "lake"


@contextmanager
def s3_server() -> Iterator[pafs.S3FileSystem]:
    """A filesystem with one empty bucket, BUCKET."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        filesystem = pafs.S3FileSystem(
            endpoint_override=f"{host}:{port}", scheme="http", access_key="any", secret_key="any", region="us-east-1",
            allow_bucket_creation=True, background_writes=False)
        filesystem.create_dir(BUCKET)
        yield filesystem
    finally:
        server.stop()


def put(filesystem: pafs.FileSystem, path: str, content: bytes) -> None:
    with filesystem.open_output_stream(path) as stream:
        stream.write(content)


def get(filesystem: pafs.FileSystem, path: str) -> bytes:
    with filesystem.open_input_file(path) as file:
        return file.read()


def names(filesystem: pafs.FileSystem, folder: str) -> list[str]:
    return sorted(os.path.relpath(info.path, folder) for info in
                  filesystem.get_file_info(pafs.FileSelector(folder, recursive=True)) if info.is_file)
