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

__all__ = [
    "refuse_foreign_sidecar",
    "refuse_new_files",
    "refuse_replacing",
    "refuse_stale_summary",
    "refuse_table_files",
    "summary_above",
    "table_above",
    "table_holding",
    "without_new_files",
]

SUMMARY = "_metadata"


def refuse_table_files(path: object, forced: frozenset[str]) -> None:
    """Refuse a file whose size somebody has recorded: a table above it, or a sidecar of others beside it."""
    if "table-format" in forced:
        return
    if found := table_above(path):
        refuse(forced, "table-format", membership(*found), str(resolve(path)))
    refuse_foreign_sidecar(path, forced)


def refuse_replacing(path: object, forced: frozenset[str]) -> None:
    """Refuse a new file in the place of one whose size somebody has recorded."""
    if "table-format" not in forced and _is_there(resolve(path)):
        refuse_table_files(path, forced)


def refuse_new_files(folder: object, forced: frozenset[str]) -> None:
    """Refuse new files in a folder of a table."""
    if "table-format" not in forced and (found := table_holding(folder)):
        refuse(forced, "table-format", without_new_files(*found), str(resolve(folder)))


def without_new_files(kind: str, folder: str) -> str:
    """Return the reason why a table's folder must not get files."""
    return f"it belongs to the {kind} table at {folder}, which would not know of new files"


def refuse_stale_summary(path: object, forced: frozenset[str]) -> None:
    """Refuse to write a file anew if a ``_metadata`` file has the places of its column chunks, which change."""
    if "summary" not in forced and _is_there(resolve(path)) and (summary := summary_above(path)):
        told = f"{summary} has the places of its column chunks, and readers would read other bytes by it"
        refuse(forced, "summary", told, str(resolve(path)))


def summary_above(path: object) -> str | None:
    """Return the nearest ``_metadata`` file of Parquet in the folders above a file, or None.

    It is not asked whether it lists the file: that may take long, and the file's other names would be unknown.
    """
    target = resolve(path)
    if posixpath.basename(target.path) == SUMMARY:
        return None
    return next((str(place) for place in _summaries(target) if _is_parquet(place)), None)


def _summaries(target: Target) -> Iterator[Target]:
    if target.is_local:
        places = (os.path.join(folder, SUMMARY) for folder in folders_above(target))
        yield from map(Target, filter(os.path.isfile, places))
        return
    parts = posixpath.dirname(target.path).split("/")
    folders = filter(None, ("/".join(parts[:depth]) for depth in range(len(parts), 0, -1)))
    infos = target.filesystem.get_file_info([posixpath.join(folder, SUMMARY) for folder in folders])
    yield from (Target(info.path, target.filesystem) for info in infos if info.is_file)


def _is_parquet(place: Target) -> bool:
    with open_source(place) as source:
        return source.size >= len(MAGIC) and source.read(0, len(MAGIC)) == MAGIC


def _is_there(target: Target) -> bool:
    return os.path.lexists(target.path) if target.is_local else exists(target)


def refuse_foreign_sidecar(path: object, forced: frozenset[str]) -> None:
    """Refuse a file beside which a sidecar without our note stands, as QuestDB writes them, unless forced."""
    if "table-format" not in forced and (theirs := sidecar.foreign_beside(path)):
        refuse(
            forced,
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
    """The table format above a file, or the `sidecar.Store` that it belongs to, and its folder; None where is none."""
    target = resolve(path)
    if target.is_local and (store := store_of(target.path)) is not None:
        return "sidecar.Store", store
    return table_formats.table_above(target)
