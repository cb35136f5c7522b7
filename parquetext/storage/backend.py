"""The protocol of storage backends, and their registry by URL scheme and by filesystem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from enum import Flag, auto
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.fs

    from .commit import Change, ChangeOptions
    from .paths import Target
    from .source import RemoteSource, TailEdit


class Capability(Flag):
    """Abilities of a storage. Callers query them with `Target.can`."""

    REPLACE = auto()
    """A new file can replace an old one atomically: the name always refers to one complete file."""
    EDIT_IN_PLACE = auto()
    """Bytes of a file can be changed."""
    LOCK = auto()
    """A writer can exclude other writers."""
    TIMES = auto()
    """The times of a file can be set."""
    ATTRIBUTES = auto()
    """Files have owners and modes, which a new file can take from an old one."""
    ATOMIC_RENAME = auto()
    """A rename replaces an existing file in one step."""
    CONDITIONAL_PUT = auto()
    """A write can be refused by the store if the object has changed."""
    COPY_RANGES = auto()
    """The store copies ranges of an object into a new one."""
    COMPOSE = auto()
    """The store puts an object together from parts."""
    FOLDERS = auto()
    """Folders must exist before files are created in them."""
    LIST_FOLDERS = auto()
    """Listing a folder returns its subfolders, even if they exist only as prefixes of object names."""
    VERSION_TAGS = auto()
    """The tag or generation of an object changes whenever its content changes."""


class Entry(NamedTuple):
    """A file or folder in a list.

    Attributes
    ----------
    path : str
    is_folder : bool
    size : int or None
        In bytes, if the storage reports it.
    modified : int or None
        Time of the last change, in ns since 1970.
    tag : str
        The ETag, if lists contain it.
    """

    path: str
    is_folder: bool
    size: int | None
    modified: int | None
    tag: str = ""


class Backend(ABC):
    """One kind of storage. Files are addressed by targets: `Target.path` in `Target.filesystem`.

    A subclass implements at least `open`, `info` and `list`. `objects.Store` derives safe changes from `create`, `copy`
    or `rename`, and `delete`.

    Attributes
    ----------
    schemes : tuple of str
        URL schemes, in lower case.
    type_names : tuple of str
        `type_name` of the `pyarrow.fs` filesystems that the backend serves.
    capabilities : Capability
        The default capabilities of all targets; see `capabilities_of`.
    copy_limit : int or None
        The largest object that the store copies, in bytes.
    paths_are_urls : bool
    """

    schemes: tuple[str, ...] = ()
    type_names: tuple[str, ...] = ()
    capabilities = Capability(0)
    copy_limit: int | None = None
    paths_are_urls = False

    def capabilities_of(self, target: Target) -> Capability:
        """Return the capabilities for one target, if they depend on its filesystem's settings."""
        return self.capabilities

    # ---- addresses

    def resolve(self, url: str) -> Target:
        """Return the target of a URL with one of `schemes`; open nothing."""
        from .paths import Target

        return Target(url.partition("://")[2], self.filesystem)

    def prepare(self, target: Target) -> Target:
        """Return an equivalent target that is ready for use; request its credentials if that is necessary now."""
        return target

    @property
    def filesystem(self) -> pyarrow.fs.FileSystem:
        """The backend as a filesystem of pyarrow, for libraries that read through one."""
        from .backends.handler import filesystem_of_backend

        return filesystem_of_backend(self)

    # ---- files

    @abstractmethod
    def open(self, target: Target) -> pa.NativeFile:
        """Open a file for reading ranges: an object with `size()`, `read_at(length, offset)` and `close()`."""

    @abstractmethod
    def info(self, target: Target) -> Entry | None:
        """Return the entry of a file or folder, or None if it does not exist."""

    @abstractmethod
    def list(self, target: Target, *, recursive: bool = False) -> list[Entry]:
        """Return the entries in a folder, or below it; FileNotFoundError if it does not exist."""

    def create(self, target: Target, replaces: RemoteSource | None = None) -> pa.NativeFile:
        """Return a stream that writes a new file; it may take metadata of the file that it will replace."""
        self._refuse(target, "create files")

    def append(self, target: Target) -> pa.NativeFile:
        """Return a stream that writes to the end of a file."""
        self._refuse(target, "append to files")

    def rename(self, target: Target, path: str) -> None:
        """Give a file another path."""
        self._refuse(target, "rename files")

    def copy(self, target: Target, path: str) -> None:
        """Copy a file without transferring its bytes; NotImplementedError if the storage cannot."""
        self._refuse(target, "copy files")

    def delete(self, target: Target) -> None:
        """Delete a file."""
        self._refuse(target, "delete files")

    def create_folder(self, target: Target) -> None:  # noqa: B027
        """Create a folder and its parents; do nothing if it exists, or if the storage has no folders."""

    def keep_attributes(self, old: Target, new: Target, ignored: frozenset[str]) -> None:  # noqa: B027
        """Give a new file the owner, mode and access rights of an old one, if the storage has them."""

    def forget(self, target: Target) -> None:  # noqa: B027
        """Drop cached information about a target."""

    def ends_with(self, target: Target, offset: int, tail: bytes | bytearray | memoryview) -> bool:
        """Return True if a file that was just written ends with `tail`. The default does not check."""
        return True

    def _refuse(self, target: Target, what: str) -> NoReturn:
        raise NotImplementedError(f"{target}: this storage cannot {what}")

    # ---- safe changes

    @abstractmethod
    def change(self, target: Target, options: ChangeOptions) -> AbstractContextManager[Change]:
        """Open a file to change its tail, and lock it if the storage has locks; see `commit.change`."""

    @abstractmethod
    def commit(self, change: Change, edit: TailEdit) -> None:
        """Apply a tail edit to an open change."""

    @abstractmethod
    def new_file(self, target: Target, *, ignored: frozenset[str], owner: int | None = None) -> Any:
        """Return a new file that gets its name when it is committed; see `commit.create`."""

    @abstractmethod
    def new_content(self, change: Change) -> Any:
        """Return a new file that replaces the one that is open to be changed."""

    def recover(self, target: Target, options: ChangeOptions) -> str | None:
        """Repair an interrupted change; return a description, or None if there was nothing to do."""
        return None


_SCHEMES: dict[str, Backend | str] = {
    **dict.fromkeys(("file",), "local"),
    **dict.fromkeys(("s3", "s3a", "s3n"), "s3"),
    **dict.fromkeys(("gs", "gcs"), "google"),
    **dict.fromkeys(("abfs", "abfss"), "azure"),
    **dict.fromkeys(("hdfs", "viewfs"), "hdfs"),
    **dict.fromkeys(("http", "https"), "http"),
    "mock": "arrow_filesystem",
}
_TYPES: dict[str, Backend | str] = {
    "s3": "s3",
    "gcs": "google",
    "abfs": "azure",
    "hdfs": "hdfs",
    "py::hdfs": "hdfs",
    "py::http": "http",
    "py::fsspec": "fsspec",
}


def register(backend: Backend) -> None:
    """Add a backend, or replace the one for its schemes and filesystems."""
    _SCHEMES.update(dict.fromkeys(backend.schemes, backend))
    _TYPES.update(dict.fromkeys(backend.type_names, backend))


def backend_of_scheme(scheme: str) -> Backend:
    """Return the backend of a URL scheme; fsspec's if no other serves it."""
    return _loaded(_SCHEMES, scheme, "fsspec")


def backend_of(filesystem: pyarrow.fs.FileSystem | None) -> Backend:
    """Return the backend of a filesystem, or of this machine's files for None."""
    if filesystem is None:
        return backend_of_scheme("file")
    kind = filesystem.type_name.partition("+")[0]  # fsspec's names end with the protocol
    return _loaded(_TYPES, kind, "arrow_filesystem")


def _loaded(table: dict[str, Backend | str], key: str, default: str) -> Backend:
    found = table.get(key, default)
    if isinstance(found, str):
        found = table[key] = import_module(f".backends.{found}", __package__).BACKEND
    return found
