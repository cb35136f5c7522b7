"""Open URLs in a cluster: Spark's settings of filesystems, mapped to pyarrow's."""

from __future__ import annotations

import functools
import json
import os
import re
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ParquetextError, Unsupported
from ..masking import without_secrets
from ..storage import Target
from ..storage.backends.fsspec import fsspec_filesystem
from ..storage.backends.hdfs import HDFS_SCHEMES, hdfs_filesystem
from ..storage.paths import target_in
from .azure_settings import AZURE_NAMES, AZURE_PREFIXES, AZURE_SCHEMES, azure_options
from .gcs_settings import GCS_NAMES, GCS_SCHEMES
from .s3_settings import S3_NAMES, S3_PREFIXES, S3_SCHEMES, s3_filesystem

if TYPE_CHECKING:
    import pyarrow.fs
    from pyspark.sql import SparkSession

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)")
_FILE = re.compile(r"file:(?://(?:localhost)?(?=/))?", re.IGNORECASE)
_SETTINGS = ("fs.", "dfs.")
# Settings that hdfs-native's client uses; libhdfs reads its own.
_HDFS_NAMES = ("fs.defaultFS", "dfs.nameservices")
# Name nodes behind a logical name, mounts, and the replacement of lost data nodes.
_HDFS_PREFIXES = (
    "dfs.ha.namenodes.",
    "dfs.namenode.rpc-address.",
    "dfs.client.failover.",
    "fs.viewfs.mounttable.",
    "dfs.client.block.write.replace-datanode-on-failure.",
)
_HDFS = "fs.hdfs.settings"  # as an option: those of HDFS as JSON, for Spark makes small letters of names


class _Mount(NamedTuple):
    """A filesystem, and the prefixes of its URLs and of its paths."""

    filesystem: pyarrow.fs.FileSystem
    url: str
    path: str


class Filesystems:
    """Resolve URLs to filesystems; picklable, so that executors use the driver's settings.

    Parameters
    ----------
    settings : mapping of str to str
        Hadoop's settings of filesystems (``fs.s3a.…``), keys included.
    """

    def __init__(self, settings: Mapping[str, str] | None = None):
        self._settings = tuple(sorted((settings or {}).items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Filesystems) and self._settings == other._settings

    def __hash__(self) -> int:
        return hash(self._settings)

    @classmethod
    def of(cls, spark: SparkSession) -> Filesystems:
        """Return the filesystems with the settings that Spark's readers use in this session.

        A Spark Connect session only has the settings that were set in it, as ``spark.hadoop.fs.…`` or ``fs.…``.
        """
        if not hasattr(spark, "_jsparkSession"):
            message = {name.removeprefix("spark.hadoop."): value for name, value in spark.conf.getAll.items()}
            return cls({name: value for name, value in message.items() if is_setting(name)})
        hadoop = spark._jsparkSession.sessionState().newHadoopConf()

        def below(prefix: str) -> dict[str, str]:
            found = hadoop.getPropsWithPrefix(prefix)
            if not len(found):  # to learn it by iterating takes 30 ms
                return {}
            return {prefix + name: value for name, value in dict(found).items()}

        settings = {name: hadoop.get(name) for name in (*S3_NAMES, *AZURE_NAMES, *GCS_NAMES, *_HDFS_NAMES)}
        for prefix in (*S3_PREFIXES, *AZURE_PREFIXES, *_HDFS_PREFIXES):
            settings |= below(prefix)
        return cls({name: value for name, value in settings.items() if value})

    @classmethod
    def of_options(cls, options: Mapping[str, str]) -> Filesystems:
        """Return the filesystems with the settings in a data source's options: ``fs.…`` and ``dfs.…``, as in Spark."""
        given = {name.lower(): value for name, value in options.items() if is_setting(name)}
        hdfs = json.loads(given.pop(_HDFS, "{}"))
        as_written = {name: given[name.lower()] for name in _HDFS_NAMES if name.lower() in given}
        return cls({**given, **as_written, **hdfs})

    @property
    def options(self) -> dict[str, str]:
        """Return options from which `of_options` makes equal filesystems."""
        settings = dict(self._settings)
        hdfs = _of_hdfs(settings)
        rest = {name: value for name, value in settings.items() if name not in hdfs}
        return {**rest, _HDFS: json.dumps(hdfs)} if hdfs else rest

    def target(self, url: str) -> Target:
        """Resolve a path or URL, without a request. Azure's stores need credentials.

        Raises
        ------
        Unsupported
            If a package that its scheme needs is not installed.
        """
        if (local := local_path(url)) is not None:
            return Target(local)
        mount = self._mount(url)
        path = mount.path + url[len(mount.url) :] or "/"
        return target_in(mount.filesystem, path)

    def _mount(self, url: str) -> _Mount:
        scheme, _, rest = url.partition("://")
        return _mount(scheme, rest.partition("/")[0], self._settings)


def is_setting(name: str) -> bool:
    """Return True if an option is one of Hadoop's settings of filesystems."""
    return name.lower().startswith(_SETTINGS)


def local_path(url: str) -> str | None:
    """Return the local path of a path or ``file:`` URL, or None for other URLs."""
    if match := _FILE.match(url):
        path = url[match.end() :]
        return urllib.parse.unquote(path) if "//" in match[0] else path  # Hadoop writes file:/a b
    return url if _URL.match(url) is None else None


def normal(path: object, here: str = "") -> str:
    """Return an absolute path or URL, valid on all machines, without a slash at its end; `here` is the base folder."""
    if not isinstance(path, (str, os.PathLike)) or not (text := os.fsdecode(path)):
        raise ParquetextError(f"not a path or URL: {path!r}")
    local = local_path(text)
    return text.rstrip("/") if local is None else os.path.abspath(os.path.join(here, local))


@functools.lru_cache(maxsize=64)
def _mount(scheme: str, authority: str, settings: tuple[tuple[str, str], ...]) -> _Mount:
    """Return the mount; it is cached, because creating a client of an object store takes longer than most requests."""
    url, kind, own = f"{scheme}://{authority}", scheme.lower(), dict(settings)
    if kind in S3_SCHEMES:
        return _Mount(s3_filesystem(own, authority), url, authority)
    if kind in GCS_SCHEMES:
        from .gcs_filesystem import GoogleFileSystem

        return _Mount(GoogleFileSystem(own, url), url, authority)
    if kind in AZURE_SCHEMES:
        import pyarrow.fs as pafs

        return _Mount(pafs.AzureFileSystem(**azure_options(own, url)), url, authority.partition("@")[0])
    return _Mount(hdfs_filesystem(url, _of_hdfs(own)), url, "") if kind in HDFS_SCHEMES else _fsspec(url)


def _fsspec(url: str) -> _Mount:
    try:
        import fsspec
    except ImportError:
        raise Unsupported(
            f"{without_secrets(url)}: no filesystem of pyarrow's; with fsspec installed on every "
            "machine, its filesystems are there too"
        ) from None
    try:
        filesystem, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise Unsupported(without_secrets(f"{url}: {error}")) from None
    return _Mount(fsspec_filesystem(filesystem), url, path.rstrip("/"))


def _of_hdfs(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of HDFS among those of all filesystems."""
    return {name: value for name, value in settings.items() if name in _HDFS_NAMES or name.startswith(_HDFS_PREFIXES)}
