"""Stores: safe changes of objects by a new object that the store copies or renames into place."""

from __future__ import annotations

import contextlib
import errno
import uuid
from collections.abc import Callable, Iterator

from ..errors import Refused
from .backend import Backend, Capability
from .commit import Change, ChangeOptions
from .folder import NEW, beside
from .paths import Target
from .source import RemoteSource, Source, TailEdit, Version

_END_BYTES = 1 << 16  # compared to distinguish a new file from an old one of the same size
_PIECE_BYTES = 8 << 20


class Store(Backend):
    """A backend that changes a file by staging a new one under a hidden name.

    Uploading to the final name would be shorter, but pyarrow completes an upload when its stream is closed after an
    error, and an incomplete object would replace the old one.

    Attributes
    ----------
    no_replace : str
        Reason why files cannot be replaced, if `Capability.REPLACE` is missing.
    """

    capabilities = Capability.REPLACE | Capability.FOLDERS | Capability.LIST_FOLDERS | Capability.VERSION_TAGS
    no_replace = "its store cannot replace files"

    @contextlib.contextmanager
    def change(self, target: Target, options: ChangeOptions) -> Iterator[Change]:
        abilities = self.capabilities_of(target)
        if options.in_place and Capability.EDIT_IN_PLACE not in abilities:
            raise Refused("objects cannot be changed in place", file=str(target))
        if options.keep_mtime and Capability.TIMES not in abilities:
            raise Refused("objects cannot be kept with their times", file=str(target))
        if Capability.REPLACE not in abilities:
            raise Refused(self.no_replace, file=str(target))
        self.forget(target)
        with RemoteSource(target) as source:
            yield Change(self, source, options)

    def commit(self, change: Change, edit: TailEdit) -> None:
        change.written = self._replace(change.source, edit, change.options.ignored)

    def _replace(self, source: RemoteSource, edit: TailEdit, ignored: frozenset[str]) -> int:
        """Replace an object if it is still the one that was read; return the number of bytes sent."""
        check_size(source.target, edit.size)
        staged = Staged(source.target)
        try:
            self._stage(source, edit, staged, ignored)
            source.check_unchanged()
            try:
                staged.publish()
            except NotImplementedError:
                message = "its store cannot put a file in the place of another at once"
                raise Refused(message, file=source.name) from None
            if not self.ends_with(source.target, edit.keep, edit.tail):
                raise _not_in_place(source.target)
            return edit.size
        finally:
            staged.discard()

    def _stage(self, source: RemoteSource, edit: TailEdit, staged: Staged, ignored: frozenset[str]) -> None:
        try:
            self._upload(source, edit, staged.target)
            staged.check(edit.size)
            self.keep_attributes(source.target, staged.target, ignored)
        except OSError:
            source.check_unchanged()  # a removed object cannot be read; Google's store reads the opened version only
            raise

    def _upload(self, source: RemoteSource, edit: TailEdit, target: Target) -> None:
        with self.create(target, source) as stream:
            for at in range(0, edit.keep, _PIECE_BYTES):
                stream.write(source.read(at, min(_PIECE_BYTES, edit.keep - at)))
            stream.write(edit.tail)

    def new_file(self, target: Target, *, ignored: frozenset[str], owner: int | None = None) -> EndHeld:
        return NewObject(target)

    def new_content(self, change: Change) -> EndHeld:
        return NewObject(change.source.target)


def check_size(target: Target, size: int) -> None:
    """Raise Refused if an object would be too large for its store to copy."""
    limit = target.backend.copy_limit
    if limit is not None and size > limit:
        raise Refused(f"{size} bytes: S3 copies objects of up to {limit} bytes", file=str(target))


def copy_checked(source: Target, path: str, size: int) -> None:
    """Copy an object in the store, and check the size of the copy.

    Raises
    ------
    OSError
        If the store reports success, but the copy is missing: Azure's copies may fail after the request was answered,
        and some of fsspec's filesystems implement a copy by a rename that fails silently.
    """
    source.backend.copy(source, path)
    _check_exists(source, path, size)


def _check_exists(source: Target, path: str, size: int) -> None:
    goal = source.at(path)
    goal.backend.forget(goal)
    found = _size(goal)
    if found != size:
        raise _not_in_place(goal, "" if found else f"; it is {source.path}")


def _not_in_place(target: Target, rest: str = "") -> OSError:
    return OSError(errno.EIO, f"its filesystem has not put the new file in its place{rest}", str(target))


def _size(target: Target) -> int | None:
    """Return the size of a file, or None if there is none."""
    entry = target.backend.info(target)
    return None if entry is None or entry.is_folder else entry.size


class Staged:
    """An object under a hidden name, which is copied or renamed to `target`.

    Attributes
    ----------
    target : Target
        The hidden name.
    """

    def __init__(self, target: Target):
        self._goal, self._backend, self._size, self._is_only_copy = target, target.backend, 0, False
        self.target = target.at(beside(target.path, f"{uuid.uuid4().hex}.{NEW}"))

    def check(self, size: int) -> None:
        """Raise OSError if the upload does not have this size."""
        found = _size(self.target)
        if found != size:
            raise OSError(errno.EIO, f"{size} bytes uploaded, {found} are there", self.target.path)
        self._size = size

    def publish(self) -> None:
        """Rename the object to its final path if renaming replaces files; otherwise copy it in the store.

        Raises
        ------
        NotImplementedError
            If the store can do neither.
        """
        if self._goal.can(Capability.ATOMIC_RENAME):
            self._backend.rename(self.target, self._goal.path)
            return
        try:
            copy_checked(self.target, self._goal.path, self._size)
        except OSError:
            self._is_only_copy = True  # until the next line finds the goal
            self._is_only_copy = not _size(self._goal)
            raise

    def publish_new(self) -> None:
        """Put the object in place; if the store can only rename, remove the old file first."""
        try:
            self.publish()
        except NotImplementedError:
            if _size(self._goal) is not None:
                self._is_only_copy = True
                self._backend.delete(self._goal)
            self._backend.rename(self.target, self._goal.path)
            _check_exists(self.target, self._goal.path, self._size)
            self._is_only_copy = False

    def discard(self) -> None:
        """Delete the staged object, unless a failed copy has made it the only copy of the data."""
        if not self._is_only_copy and _size(self.target) is not None:
            self._backend.delete(self.target)


class EndHeld:
    """A new file whose bytes are passed to `stream`, except for its end: `commit` may edit that first.

    Parameters
    ----------
    stream : object with `write`
        It is not closed.
    name : str
        For messages.
    start : int
        The stream's position.

    Attributes
    ----------
    sink : pyarrow.NativeFile
        The file to write to.
    """

    edits_end_in_place, has_name = False, True

    def __init__(self, stream, name: str, start: int = 0):
        import pyarrow as pa

        self._name, self._receiver, self._at = name, stream, start
        self._held: bytearray | None = None
        self._is_dropped = False
        self.sink = pa.PythonFile(_Holder(self), "w")

    def hold(self) -> None:
        """Hold back everything that is written from now on."""
        self._held = bytearray()

    def written(self) -> _End:
        """Return a source of the written bytes; only those held back can be read."""
        return _End(self._name, self._at, bytes(self._held or b""))

    def _put(self, data) -> int:
        size = memoryview(data).nbytes
        if self._is_dropped:
            return size  # pyarrow completes a file even if its writer is discarded
        if self._held is None:
            self._receiver.write(data)
            self._at += size
        else:
            self._held += data
        return size

    def _tell(self) -> int:
        return self._at + len(self._held or b"")

    def _drop(self) -> None:
        """Forget the bytes held back, and ignore further ones."""
        self._held, self._is_dropped = None, True

    def _release(self, edit: TailEdit | None) -> int:
        """Pass on the bytes held back, with the edit applied; return the file's size."""
        held, self._held = self._held or bytearray(), None
        if edit is not None:
            del held[edit.keep - self._at :]
            held += edit.tail
        self._put(bytes(held))
        return self._at


class _Holder:
    """The file object that `pyarrow.PythonFile` writes to."""

    closed = False

    def __init__(self, new: EndHeld):
        self.write, self.tell = new._put, new._tell

    def flush(self) -> None:
        """Do nothing: there is no buffer."""


class _End(Source):
    """The end of the bytes written to a stream: `data`, which begins at `start`."""

    __slots__ = ("_data", "_start")

    def __init__(self, name: str, start: int, data: bytes):
        super().__init__(name, Version((), start + len(data), None))
        self._start, self._data = start, data

    def _read(self, offset: int, length: int) -> bytes:
        at = offset - self._start
        return self._data[at : at + length] if at >= 0 else b""

    def close(self) -> None:
        """Do nothing: no file is open."""


class NewStream(EndHeld):
    """A file object that the caller has opened and will close. Bytes written before an error remain in it."""

    has_name = False

    def __init__(self, stream):
        super().__init__(stream, str(getattr(stream, "name", type(stream).__name__)), _position(stream))

    def commit(self, edit: TailEdit | None = None) -> None:
        """Write the bytes held back, with the edit applied."""
        self._release(edit)

    def abort(self) -> None:
        """Ignore further bytes."""
        self._drop()


class NewObject(EndHeld):
    """A new object, uploaded under a hidden name, then copied or renamed by the store."""

    def __init__(self, target: Target):
        super().__init__(self, str(target))
        self._target, self._staged = target, Staged(target)
        self._stream = target.backend.create(self._staged.target)
        self._size, self._end = 0, bytearray()

    def write(self, data) -> None:
        """Upload the next bytes; raise Refused if the store could not copy an object of this size."""
        data = memoryview(data).cast("B")
        self._size += len(data)
        check_size(self._target, self._size)
        self._stream.write(data)
        self._end += data[-_END_BYTES:]
        del self._end[:-_END_BYTES]

    def commit(self, edit: TailEdit | None = None, *, check: Callable[[], None] | None = None) -> None:
        """Upload the bytes held back, with the edit applied, call `check`, and put the object in place."""
        try:
            size = self._release(edit)
            self._stream.close()
            self._staged.check(size)
            if check is not None:
                check()
            self._staged.publish_new()
            if not self._target.backend.ends_with(self._target, self._size - len(self._end), self._end):
                raise _not_in_place(self._target)
        finally:
            self.abort()

    def abort(self) -> None:
        """Remove the upload; do nothing after `commit` or an earlier call."""
        if self._is_dropped:
            return
        self._drop()
        try:
            self._stream.close()
        finally:
            self._staged.discard()


def _position(stream) -> int:
    """Return the stream's position, because pyarrow counts offsets from its beginning; 0 if it has none."""
    try:
        return stream.tell()
    except (AttributeError, OSError):
        return 0
