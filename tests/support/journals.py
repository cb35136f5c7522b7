"""Journals as a killed change in place leaves them: written by the code, or of version 1 by its layout."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from parquetext.storage import TailEdit, journal, open_source
from parquetext.storage.folder import JOURNAL, STALE, beside
from parquetext.storage.operations import OPERATIONS

VERSION_1 = struct.Struct("<8sQQQIII")


def leave_journal(path: Path, edit: TailEdit) -> Path:
    """Put the journal of `edit` beside the file as it is; where it lies."""
    position = journal_of(path)
    with open_source(path) as source, position.open("wb") as file:
        journal.write(OPERATIONS, file.fileno(), source, edit)
    return position


def leave_half_changed(path: Path) -> None:
    """Leave a file and its journal as a change does that is killed while it writes a larger footer."""
    content = path.read_bytes()
    edit = TailEdit(len(content) - 100, content[-100:] + b"more of it" * 200 + content[-8:])
    leave_journal(path, edit)
    changed, written = content[: edit.keep] + edit.tail, len(content) // 512 * 512 + 1024
    path.write_bytes(changed[:written] + bytes(len(changed) - written))


def leave_journal_1(path: Path, edit: TailEdit) -> Path:
    """The same as versions before 2 wrote it."""
    content, position = path.read_bytes(), journal_of(path)
    seen, tail = content[: edit.keep][-1 << 16 :], content[edit.keep :]
    header = VERSION_1.pack(
        b"PQXJRNL1", edit.keep, len(content), edit.size, zlib.crc32(seen), zlib.crc32(tail), zlib.crc32(edit.tail)
    )
    position.write_bytes(header + zlib.crc32(header).to_bytes(4, "little") + tail)
    return position


def journal_of(path: Path) -> Path:
    return Path(beside(os.path.realpath(path), JOURNAL))


def stale_of(path: Path) -> Path:
    return Path(beside(os.fspath(path), STALE))
