"""Files of this machine: locked, journaled, flushed, and replaced by renames."""

from __future__ import annotations

import contextlib
import os
import stat
import urllib.parse
from collections.abc import Iterator

from ...errors import Refused
from ..backend import Backend, Capability, Entry
from ..commit import Change, ChangeOptions
from ..folder import Folder
from ..hadoop_crc import discard_checksums, renewed_for_edit, settle_checksums
from ..in_place import commit_in_place, repair
from ..locking import open_locked, sweep
from ..new_file import NewFile, replace
from ..operations import OPERATIONS, Operations
from ..paths import SchemeError, Target
from ..refusals import refuse
from ..source import SourceInFolder, TailEdit

REMOVED = "removed an unfinished new file"


class LocalBackend(Backend):
    """The files of the operating system."""

    schemes = ("file",)

    def capabilities_of(self, target: Target) -> Capability:
        found = Capability.REPLACE | Capability.ATOMIC_RENAME | Capability.ATTRIBUTES
        found |= Capability.FOLDERS | Capability.LIST_FOLDERS | Capability.VERSION_TAGS
        return found | Capability.LOCK | Capability.EDIT_IN_PLACE | Capability.TIMES

    def resolve(self, url: str) -> Target:
        host, slash, path = url[len("file://") :].partition("/")
        if host not in ("", "localhost") or not slash:
            raise SchemeError(f"{url}: not a local file: file:///absolute/path expected")
        path = urllib.parse.unquote(path)
        return Target(path if os.path.splitdrive(path)[0] else f"/{path}")

    def open(self, target: Target):
        import pyarrow as pa

        return pa.OSFile(target.path)

    def info(self, target: Target) -> Entry | None:
        try:
            status = os.stat(target.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Entry(target.path, stat.S_ISDIR(status.st_mode), status.st_size, status.st_mtime_ns)

    def list(self, target: Target, *, recursive: bool = False) -> list[Entry]:
        found = []
        for name in os.listdir(target.path):
            entry = self.info(target.at(os.path.join(target.path, name)))
            if entry is not None:
                found.append(entry)
                if recursive and entry.is_folder and not os.path.islink(entry.path):
                    found += self.list(target.at(entry.path), recursive=True)
        return found

    def create_folder(self, target: Target) -> None:
        os.makedirs(target.path, exist_ok=True)

    def delete(self, target: Target) -> None:
        OPERATIONS.unlink(target.path)

    @contextlib.contextmanager
    def change(self, target: Target, options: ChangeOptions) -> Iterator[Change]:
        with _open_locked(target, options) as source:
            links = os.fstat(source.fd).st_nlink
            if links > 1:
                refuse(options.ignored, "hard-links", f"it has {links} hard links", source.name)
            settled = _settle(source, options, may_ignore_untrusted=not options.in_place)
            yield Change(self, source, options, settled=settled or "")

    def commit(self, change: Change, edit: TailEdit) -> None:
        source, options, operations = change.source, change.options, change.options.operations
        with renewed_for_edit(operations, source, edit, options.ignored) as change.note:
            if options.in_place:
                commit_in_place(operations, source, edit, keep_mtime=options.keep_mtime)
            else:
                replace(operations, source, edit, keep_mtime=options.keep_mtime, ignored=options.ignored)
        change.written = len(edit.tail) + (source.size - edit.keep if options.in_place else edit.keep)

    def new_file(self, target: Target, *, ignored: frozenset[str], owner: int | None = None) -> NewFile:
        return NewFile(target.path, ignored, owner=owner)

    def new_content(self, change: Change) -> NewFile:
        return NewFile(change.source.name, change.options.ignored, change.options.operations)

    def recover(self, target: Target, options: ChangeOptions) -> str | None:
        try:
            with _open_locked(target, options) as source:
                return _settle(source, options)
        except FileNotFoundError:
            removed = remove_unfinished(target, operations=options.operations)
            path = os.path.realpath(target.path)
            with Folder.of(path) as folder:
                removed |= discard_checksums(options.operations, path, folder)
            if removed:
                return REMOVED
            raise


@contextlib.contextmanager
def _open_locked(target: Target, options: ChangeOptions) -> Iterator[SourceInFolder]:
    """Open and lock a file in its folder, which stays open, too."""
    path = os.path.realpath(target.path)
    with (
        Folder.of(path) as folder,
        open_locked(
            path, writable=options.in_place, folder=folder, timeout=options.timeout, ignored=options.ignored
        ) as source,
    ):
        yield source


def _settle(source: SourceInFolder, options: ChangeOptions, *, may_ignore_untrusted: bool = False) -> str | None:
    """Repair leftovers of killed processes; return a description of the repairs and of ignored files."""
    operations = options.operations
    removed = sweep(operations, source.name, source.folder)
    try:
        done = repair(operations, source, options.is_sound)
    except Refused as error:
        if not may_ignore_untrusted:
            raise
        done = error.message
    source.refresh()
    settled = settle_checksums(operations, source)
    return "; ".join(filter(None, [done or (REMOVED if removed else None), settled])) or None


def remove_unfinished(target: Target, *, operations: Operations = OPERATIONS) -> bool:
    """Remove the unfinished new file that a killed process left next to a name; return True if there was one.

    Raises
    ------
    Conflict
        If another process is writing it.
    """
    path = os.path.realpath(target.path)
    with Folder.of(path) as folder:
        return sweep(operations, path, folder)


BACKEND = LocalBackend()
