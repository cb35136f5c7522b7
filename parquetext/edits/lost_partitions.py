"""Refuse to lose partition columns: their values are only in the names of directories, not in row groups."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

from ..storage import resolve
from ..storage.paths import directory_keys
from ..storage.refusals import refuse

PARTITION_COLUMNS = "partition-columns"
VALUES_SHOWN = 3


def refuse_lost_partitions(
    paths: Iterable[object], out: object, columns: Callable[[], frozenset[str]], ignored: frozenset[str]
) -> None:
    """Refuse a new file that loses partition columns of its source files, unless that check is ignored.

    Parameters
    ----------
    paths : iterable of path
        The files.
    out : path or file object
        The new file. It loses nothing if its directories have the same values.
    columns : callable
        Returns the names of the columns in the files; called only if needed.
    ignored : frozenset of str
        Refusals to ignore.
    """
    kept = {} if hasattr(out, "write") else _keys_of(out)
    lost: dict[str, dict[str | None, None]] = {}
    for path in paths:
        for name, value in _keys_of(path).items():
            if name not in kept or kept[name] != value:
                lost.setdefault(name, {})[value] = None
    there = columns() if lost else frozenset()
    lost = {name: values for name, values in lost.items() if name not in there}
    if lost:
        message = ", ".join(f"{name!r} ({_shown(list(values))})" for name, values in lost.items())
        refuse(
            ignored,
            PARTITION_COLUMNS,
            f"the names of the files' directories alone have the values of {message}, which the new file would lose; "
            "parquetext.write_table(parquetext.read_table(DIRECTORY), FILE) writes them as columns",
            str(resolve(out)) if not hasattr(out, "write") else None,
        )


def _keys_of(path: object) -> dict[str, str | None]:
    return directory_keys(posixpath.dirname(resolve(path).path))


def _shown(values: list[str | None]) -> str:
    shown = ", ".join("null" if value is None else value for value in values[:VALUES_SHOWN])
    return shown + ", …" * (len(values) > VALUES_SHOWN)
