"""A disk that forgets: replays recorded operations as a power cut may leave them.

State that a cut at a moment may leave: everything flushed, and any subset of the rest. Writes are torn at
blocks of the file; created, renamed and removed names wait for the flush of their folder, content for the flush of its
file.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from parquetext import systems
from parquetext.storage.operations import Operations

ALL_SUBSETS_UP_TO = 8
SAMPLES = 200
MAX_PIECES = 3
LINK = -1  # for the identity of a symbolic link


@dataclass(frozen=True)
class Entry:
    """One recorded effect; `what` is a key of `_apply`, flush or flush-folder. Names are relative to the folder."""

    what: str
    inode: int = 0
    offset: int = 0
    data: bytes = b""
    name: str = ""


@dataclass
class Recording(Operations):
    """Runs every operation, and records its effects on the files and folders of one folder."""

    folder: Path
    entries: list[Entry] = field(default_factory=list)
    block: int = 4096

    def __post_init__(self):
        self._inodes: dict[int, int] = {}
        self._next = itertools.count()
        self.names: dict[str, int | str | None] = {}  # to a file's identity, a link's target, or None for a folder
        self.contents: dict[int, bytes] = {}
        for path in sorted(self.folder.rglob("*")):
            name = self._name(path)
            if path.is_symlink():
                self.names[name] = os.readlink(path)
            elif path.is_dir():
                self.names[name] = None
            else:
                self.names[name] = self._inode(os.stat(path).st_ino)
                self.contents[self.names[name]] = path.read_bytes()

    def _name(self, path) -> str:
        name = os.path.relpath(path, self.folder)
        return "" if name == "." else name

    def _inode(self, number: int, new: bool = False) -> int:
        """An identity that, unlike the disk's inode number, is never used again."""
        if new or number not in self._inodes:
            self._inodes[number] = next(self._next)
        return self._inodes[number]

    def _of(self, file: int) -> int:
        return self._inode(os.fstat(file).st_ino)

    def _written(self, file: int, data: bytes, offset: int) -> None:
        step, end = -(-max(1, len(data)) // (MAX_PIECES * self.block)) * self.block, offset + len(data)
        cuts = [offset, *range(offset - offset % self.block + step, end, step), end]
        for begin, stop in itertools.pairwise(cuts):
            self.entries.append(Entry("write", self._of(file), begin, bytes(data[begin - offset : stop - offset])))

    def create(self, path, mode=0o600, folder=None):
        file = super().create(path, mode, folder)
        self.entries.append(Entry("link", self._inode(os.fstat(file).st_ino, new=True), name=self._name(path)))
        return file

    def copy(self, source, target, length, begin=0, at=0):
        super().copy(source, target, length, begin, at)
        self._written(target, systems.pread(source, length, begin), at)

    def write(self, file, data, offset):
        super().write(file, data, offset)
        self._written(file, bytes(data), offset)

    def truncate(self, file, length):
        super().truncate(file, length)
        self.entries.append(Entry("truncate", self._of(file), length))

    def fsync(self, file):
        super().fsync(file)
        self.entries.append(Entry("flush", self._of(file)))

    def fsync_folder(self, folder):
        super().fsync_folder(folder)
        self.entries.append(Entry("flush-folder", name=self._name(getattr(folder, "path", folder))))

    def rename(self, old, new, folder=None):
        inode = LINK if os.path.islink(old) else self._inode(os.stat(old).st_ino)
        super().rename(old, new, folder)
        self.entries.append(Entry("rename", inode, name=self._name(new), data=self._name(old).encode()))

    def make_folder(self, path):
        super().make_folder(path)
        self.entries.append(Entry("folder", name=self._name(path)))

    def remove_folder(self, path):
        super().remove_folder(path)
        self.entries.append(Entry("remove", name=self._name(path)))

    def symlink(self, target, path):
        super().symlink(target, path)
        self.entries.append(Entry("symlink", name=self._name(path), data=target.encode()))

    def unlink(self, path, folder=None):
        super().unlink(path, folder)
        self.entries.append(Entry("remove", name=self._name(path)))


State = frozenset  # of (name, content): a file's bytes, a link's target, None for a folder


def states(recording: Recording, flushes: bool = True, *, after: bool = False) -> Iterator[State]:
    """Every folder that a cut during the recorded operations may leave, each once.

    Without `flushes` the recorded flushes do not count, as if a program had none. With `after`, the cut
    comes when all is done.
    """
    seen = set()
    for moment in range(len(recording.entries) if after else 0, len(recording.entries) + 1):
        entries = recording.entries[:moment]
        pending = [index for index, entry in enumerate(entries) if not _durable(entries, index, flushes)]
        for lost in _subsets(pending):
            state = _apply(recording, [entry for index, entry in enumerate(entries) if index not in lost])
            if state not in seen:
                seen.add(state)
                yield state


def _durable(entries: list[Entry], index: int, flushes: bool) -> bool:
    entry = entries[index]
    if entry.what.startswith("flush"):
        return True
    later = entries[index + 1 :] if flushes else []
    if entry.what in ("write", "truncate"):
        return any(other.what == "flush" and other.inode == entry.inode for other in later)
    return any(other.what == "flush-folder" and other.name == os.path.dirname(entry.name) for other in later)


def _subsets(pending: list[int]) -> Iterator[frozenset]:
    if len(pending) <= ALL_SUBSETS_UP_TO:
        for count in range(len(pending) + 1):
            yield from map(frozenset, itertools.combinations(pending, count))
        return
    chance = random.Random(len(pending))
    yield from (frozenset(), frozenset(pending))
    for _ in range(SAMPLES):
        yield frozenset(index for index in pending if chance.random() < 0.5)


def _apply(recording: Recording, entries: list[Entry]) -> State:
    contents = {inode: bytearray(content) for inode, content in recording.contents.items()}
    names = dict(recording.names)
    for entry in entries:
        content = contents.setdefault(entry.inode, bytearray())
        if entry.what == "write":
            content.extend(bytes(max(0, entry.offset - len(content))))
            content[entry.offset : entry.offset + len(entry.data)] = entry.data
        elif entry.what == "truncate":
            content[:] = content[: entry.offset].ljust(entry.offset, b"\0")
        elif entry.what == "link":
            names[entry.name] = entry.inode
        elif entry.what == "folder":
            names[entry.name] = None
        elif entry.what == "symlink":
            names[entry.name] = entry.data.decode()
        elif entry.what == "rename":
            moved = names.pop(entry.data.decode(), None)
            if entry.inode != LINK or moved is not None:
                names[entry.name] = moved if entry.inode == LINK else entry.inode
        elif entry.what == "remove":
            names.pop(entry.name, None)
    there = {name: what for name, what in names.items() if all(map(names.__contains__, _folders(name)))}
    return frozenset(
        (name, bytes(contents.get(what, b"")) if isinstance(what, int) else what) for name, what in there.items()
    )


def _folders(name: str) -> list[str]:
    """The folders that a name is in."""
    return [str(folder) for folder in Path(name).parents if str(folder) != "."]


def put(state: State, folder: Path) -> None:
    """Make `folder` hold just that."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for name, content in sorted(state, key=lambda entry: entry[0]):
        if content is None:
            (folder / name).mkdir()
        elif isinstance(content, str):
            (folder / name).symlink_to(content)
        else:
            (folder / name).write_bytes(content)
