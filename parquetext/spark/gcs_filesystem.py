"""Google's store with a key file: pyarrow has no argument for it, and loses it when it is pickled."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping

import pyarrow.fs as pafs

from ..forks import unlocked_in_forks
from .gcs_settings import gcs_options

_KEY_FILE = "GOOGLE_APPLICATION_CREDENTIALS"  # read by Google's library when a client is created
_environment = threading.Lock()
unlocked_in_forks(_environment)


class GoogleFileSystem(pafs.GcsFileSystem):
    """pyarrow's filesystem for a bucket, by Hadoop's settings; pickled, it keeps its key file."""

    def __init__(self, settings: Mapping[str, str], url: str):
        self._made_of = (dict(settings), url)
        options = gcs_options(settings, url)
        with _key_file(options.pop("key_file", None)):
            super().__init__(**options)

    def __reduce__(self):
        return type(self), self._made_of


@contextlib.contextmanager
def _key_file(path: str | None) -> Iterator[None]:
    """Set the environment so that Google's client uses this key file: pyarrow has no argument for it."""
    with _environment:
        if path is None:
            yield
            return
        before = os.environ.get(_KEY_FILE)
        os.environ[_KEY_FILE] = path
        try:
            yield
        finally:
            if before is None:
                del os.environ[_KEY_FILE]
            else:
                os.environ[_KEY_FILE] = before
