"""HDFS: by hdfs-native, which needs no Java and renames over files, else by libhdfs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import Unsupported
from ..backend import Capability
from ..paths import SchemeError, Target
from ..refusals import refuse
from .arrow_filesystem import ArrowBackend

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.fs

    from ..source import RemoteSource
    from .hdfs_handler import HdfsClient

HDFS_SCHEMES = ("hdfs", "viewfs")
MODE = "mode"  # key of a new file's mode in its metadata, in octal digits
_ACTIONS: Any = ("---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx")
_NO_LISTS = "Support for ACLs has been disabled"
_NEEDS = (
    "needs hdfs-native (pip install 'parquetext[hdfs]'), or libhdfs (ARROW_LIBHDFS_DIR or HADOOP_HOME, "
    "JAVA_HOME, and CLASSPATH from `hadoop classpath --glob`), on every machine"
)


def hdfs_filesystem(url: str, settings: Mapping[str, str] | None = None) -> pyarrow.fs.FileSystem:
    """Return the filesystem of ``hdfs://NAMENODE``, or the default one for ``hdfs://``. Its paths begin with a slash.

    Parameters
    ----------
    url : str
        Scheme and authority.
    settings : mapping of str to str
        Hadoop's settings, in addition to ``HADOOP_CONF_DIR``; libhdfs reads its settings from CLASSPATH.

    Raises
    ------
    Unsupported
        If neither hdfs-native nor libhdfs is installed.
    """
    import pyarrow.fs as pafs

    try:
        from .hdfs_handler import HdfsHandler
    except ImportError:
        return _by_libhdfs(url)
    return pafs.PyFileSystem(HdfsHandler(url, tuple(sorted((settings or {}).items()))))


def _by_libhdfs(url: str) -> pyarrow.fs.FileSystem:
    import pyarrow.fs as pafs

    try:
        return pafs.HadoopFileSystem.from_uri(f"{url}default" if url.endswith("://") else url)
    except OSError as error:
        raise Unsupported(f"{url}: {_NEEDS}: {error}") from error


def native_client(filesystem: pyarrow.fs.FileSystem) -> HdfsClient | None:
    """Return the client of hdfs-native, or None if the filesystem uses libhdfs."""
    if filesystem.type_name != "py::hdfs":
        return None
    return getattr(filesystem.handler, "client", None)


def keep_attributes(client: HdfsClient, old: str, new: str, ignored: frozenset[str]) -> None:
    """Give a new file the owner, mode, access control list and replication of an old one.

    Raises
    ------
    Refused
        If the user lacks the permission, and "attributes" is not ignored.
    """
    before, now, lost = client.get_file_info(old), client.get_file_info(new), []

    def attempt(what: str, change: Callable, *arguments: object) -> None:
        try:
            change(new, *arguments)
        except PermissionError as error:
            lost.append(f"{what} ({error})")

    if (before.owner, before.group) != (now.owner, now.group):
        attempt(f"owner {before.owner}:{before.group}", client.set_owner, before.owner, before.group)
    entries = _access_list(client, old)
    if entries or _access_list(client, new):  # a new file inherits its folder's default list
        attempt("access control list", client.set_acl, [*_of_mode(before.permission, bool(entries)), *entries])
    attempt(f"mode {before.permission:o}", client.set_permission, before.permission)
    if lost:
        refuse(ignored, "attributes", f"cannot be kept: {'; '.join(lost)}", old)
    if before.replication and before.replication != now.replication:
        client.set_replication(new, before.replication)


def _of_mode(mode: int, is_masked: bool) -> list:
    """Return a mode as entries of a list; if the list has other entries, the group's part is their mask."""
    from hdfs_native import AclEntry

    kinds: Any = (("user", mode >> 6), ("mask" if is_masked else "group", mode >> 3), ("other", mode))
    return [AclEntry(kind, "access", _ACTIONS[bits & 7]) for kind, bits in kinds]


def _access_list(client: HdfsClient, path: str) -> list:
    """Return the entries of a file's access control list; none if the name node does not support lists."""
    try:
        return client.get_acl_status(path).entries
    except OSError as error:
        if _NO_LISTS in str(error):
            return []
        raise


class HdfsBackend(ArrowBackend):
    """HDFS: a rename of hdfs-native replaces a file in one step; libhdfs cannot replace files."""

    schemes, type_names = HDFS_SCHEMES, ("hdfs", "py::hdfs")
    no_replace = (
        "libhdfs cannot put a file in the place of another at once: hdfs-native can "
        "(pip install 'parquetext[hdfs]'), for files named by URL"
    )

    def capabilities_of(self, target: Target) -> Capability:
        found = Capability.FOLDERS | Capability.LIST_FOLDERS
        if target.arrow_filesystem.type_name == "hdfs":
            return found
        found |= Capability.REPLACE
        is_native = native_client(target.filesystem) is not None
        return found | Capability.ATOMIC_RENAME | Capability.ATTRIBUTES if is_native else found

    def resolve(self, url: str) -> Target:
        scheme, _, rest = url.partition("://")
        name_node, slash, path = rest.partition("/")
        user, at, _ = name_node.rpartition("@")
        if at and ":" in user:
            raise SchemeError(f"{url}: HDFS takes no password in a URL")
        return Target((slash or "/") + path, hdfs_filesystem(f"{scheme}://{name_node}"))

    def create(self, target: Target, replaces: RemoteSource | None = None) -> pa.NativeFile:
        if replaces is None or not target.can(Capability.ATTRIBUTES):
            return super().create(target, replaces)
        # Until it has the old file's mode, nobody else may read the new one.
        return target.arrow_filesystem.open_output_stream(target.path, metadata={MODE: "600"})

    def keep_attributes(self, old: Target, new: Target, ignored: frozenset[str]) -> None:
        client = native_client(old.filesystem)
        if client is not None:
            keep_attributes(client, old.path, new.path, ignored)


BACKEND = HdfsBackend()
