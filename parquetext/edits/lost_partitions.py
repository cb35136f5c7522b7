"""Partition columns, whose values are in the names of directories alone: copied row groups do not have them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

from ..storage import resolve
from ..storage.forcing import refuse
from ..storage.partition_names import directory_keys

__all__ = ["refuse_lost_partitions"]

PARTITION_COLUMNS = "partition-columns"
VALUES_SHOWN = 3


def refuse_lost_partitions(
    paths: Iterable[object], out: object, columns: Callable[[], frozenset[str]], forced: frozenset[str]
) -> None:
    """Refuse a new file that loses partition columns of the files that it is made of, unless forced.

    Parameters
    ----------
    paths : iterable of path
        The files.
    out : path or file object
        The new file. It loses nothing if its own directories have the same values.
    columns : callable
        Gives the names of the columns that the files themselves have; called only if it matters.
    forced : frozenset of str
        Refusals to pass over.
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
        told = ", ".join(f"{name!r} ({_shown(list(values))})" for name, values in lost.items())
        refuse(
            forced,
            PARTITION_COLUMNS,
            f"the names of the files' directories alone have the values of {told}, which the new file would lose; "
            "parquetext.write_table(parquetext.read_table(DIRECTORY), FILE) writes them as columns",
            str(resolve(out)) if not hasattr(out, "write") else None,
        )


def _keys_of(path: object) -> dict[str, str | None]:
    return directory_keys(posixpath.dirname(resolve(path).path))


def _shown(values: list[str | None]) -> str:
    shown = ", ".join("null" if value is None else value for value in values[:VALUES_SHOWN])
    return shown + ", …" * (len(values) > VALUES_SHOWN)
