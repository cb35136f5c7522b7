"""Tables whose logs record the size of each file: a change of the footer would break their readers."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator

from .. import sidecar
from ..rewrite.structs import MAGIC
from ..sidecar import table_formats
from ..sidecar.following import exists
from ..sidecar.naming import ALONE
from ..sidecar.store_layout import store_of
from ..sidecar.table_formats import folders_above, membership
from ..storage import Target, open_source, resolve
from ..storage.refusals import refuse

SUMMARY = "_metadata"


def refuse_table_files(path: object, ignored: frozenset[str]) -> None:
    """Refuse a file whose size is recorded by a table above it, or by a sidecar of another program."""
    if "table-format" in ignored:
        return
    if found := table_above(path):
        refuse(ignored, "table-format", membership(*found), str(resolve(path)))
    refuse_foreign_sidecar(path, ignored)


def refuse_replacing(path: object, ignored: frozenset[str]) -> None:
    """Refuse to replace a file whose size is recorded by a table or by a sidecar of another program."""
    if "table-format" not in ignored and _is_there(resolve(path)):
        refuse_table_files(path, ignored)


def refuse_new_files(folder: object, ignored: frozenset[str]) -> None:
    """Refuse new files in a folder of a table."""
    if "table-format" not in ignored and (found := table_holding(folder)):
        refuse(ignored, "table-format", without_new_files(*found), str(resolve(folder)))


def without_new_files(kind: str, folder: str) -> str:
    """Return the reason why a table's folder must not get files."""
    return f"it belongs to the {kind} table at {folder}, which would not know of new files"


def refuse_stale_summary(path: object, ignored: frozenset[str]) -> None:
    """Refuse to write a file anew if a ``_metadata`` file has the places of its column chunks, which change."""
    if "summary" not in ignored and _is_there(resolve(path)) and (summary := summary_above(path)):
        message = f"{summary} has the places of its column chunks, and readers would read other bytes by it"
        refuse(ignored, "summary", message, str(resolve(path)))


def summary_above(path: object) -> str | None:
    """Return the nearest ``_metadata`` file of Parquet in the folders above a file, or None.

    It is not checked if the log lists the file: that may take long, and the file may be listed under another name.
    """
    target = resolve(path)
    if posixpath.basename(target.path) == SUMMARY:
        return None
    return next((str(position) for position in _summaries(target) if _is_parquet(position)), None)


def _summaries(target: Target) -> Iterator[Target]:
    if target.is_local:
        positions = (os.path.join(folder, SUMMARY) for folder in folders_above(target))
        yield from map(Target, filter(os.path.isfile, positions))
        return
    parts = posixpath.dirname(target.path).split("/")
    folders = filter(None, ("/".join(parts[:depth]) for depth in range(len(parts), 0, -1)))
    infos = target.arrow_filesystem.get_file_info([posixpath.join(folder, SUMMARY) for folder in folders])
    yield from (Target(info.path, target.filesystem) for info in infos if info.is_file)


def _is_parquet(target: Target) -> bool:
    with open_source(target) as source:
        return source.size >= len(MAGIC) and source.read(0, len(MAGIC)) == MAGIC


def _is_there(target: Target) -> bool:
    return os.path.lexists(target.path) if target.is_local else exists(target)


def refuse_foreign_sidecar(path: object, ignored: frozenset[str]) -> None:
    """Refuse a file with a sidecar that another program, such as QuestDB, has written, unless that is ignored."""
    if "table-format" not in ignored and (theirs := sidecar.foreign_beside(path)):
        refuse(
            ignored,
            "table-format",
            f"{theirs}, which parquetext has not made, records its size, as QuestDB's sidecars do",
            str(resolve(path)),
        )


def table_holding(folder: object) -> tuple[str, str] | None:
    """Return the table, or the `sidecar.Store`, that new files in a folder would be in, and its folder, or None."""
    target = resolve(folder)
    if target.is_local and (store := store_of(os.path.join(target.path, ALONE))) is not None:
        return "sidecar.Store", store
    return table_formats.table_holding(target)


def table_above(path: object) -> tuple[str, str] | None:
    """Return the table format above a file, or its `sidecar.Store`, with the folder, or None."""
    target = resolve(path)
    if target.is_local and (store := store_of(target.path)) is not None:
        return "sidecar.Store", store
    return table_formats.table_above(target)
