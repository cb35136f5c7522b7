"""Resolve names, paths and field ids to leaves and groups; an ambiguous name is an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import ColumnError
from ..nearest import nearest
from .chunk_fields import Fields
from .model import GROUP, FooterReader

SHOWN = 20
MOST_NEAREST_BYTES = 1 << 24  # of paths that are compared with a name


def as_path(path: bytes) -> tuple[str, ...]:
    """Return a path of the model as a tuple of names."""
    return tuple(part.decode("utf-8", "surrogateescape") for part in path.split(b"\0"))


def _encoded(name) -> bytes:
    if isinstance(name, str):
        return name.encode("utf-8", "surrogateescape")
    if isinstance(name, tuple) and name and all(isinstance(part, str) for part in name):
        return "\0".join(name).encode("utf-8", "surrogateescape")
    raise TypeError(f"a column is named by a string or a tuple of strings, not {name!r}")


def _shown(name):
    """Return the only name of a path that has one name, else the path."""
    return name[0] if isinstance(name, tuple) and len(name) == 1 else name


def _candidates(form: FooterReader, ids: Iterable[int]) -> str:
    ids = list(ids)
    shown = [repr(as_path(form.node(identity).path)) for identity in ids[:SHOWN]]
    return ", ".join(shown) + (f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else "")


def with_path(form: FooterReader, ids: list[int], path: bytes) -> list[int]:
    """Return the ids found by `find_name` that have exactly this path; all of them if it has no dots."""
    if b"." not in path and b"\0" not in path:
        return ids
    return [identity for identity in ids if form.node(identity).path == path]


def find_group_or_leaf(form: FooterReader, name, field_id: int | None = None) -> int:
    """Return the only id with a name or field id.

    Raises
    ------
    ColumnError
        If there is none or more than one; the message lists them.
    """
    if field_id is not None:
        if name is not None:
            raise TypeError("either a name or a field id")
        ids, what = form.find_field_id(field_id), f"field id {field_id}"
    else:
        encoded = _encoded(name)
        ids, what = form.find_name(encoded), f"column {_shown(name)!r}"
        if type(name) is tuple:
            ids = with_path(form, ids, encoded)
    if len(ids) == 1:
        return ids[0]
    if not ids:
        raise ColumnError(f"no {what}", absent=name)
    raise ColumnError(f"{what} is ambiguous: {_candidates(form, ids)}")


def find_leaf(form: FooterReader, name, field_id: int | None = None) -> int:
    """Return the only leaf with a name or field id; for a group, the error lists the leaves below it."""
    identity = find_group_or_leaf(form, name, field_id)
    if identity & GROUP:
        leaves = _candidates(form, leaves_below(form, identity))
        what = f"column {_shown(name)!r}" if field_id is None else f"field id {field_id}"
        raise ColumnError(f"{what} is a group; its leaves: {leaves}")
    return identity


def find_columns(form: FooterReader, names: list[Any]) -> list[tuple[int, Any]]:
    """Return (leaf, chunks) of the only leaf with each name."""
    return [found or _found_leaf(form, name) for name, found in zip(names, form.find_columns(names), strict=True)]


def find_column(form: FooterReader, name: Any) -> tuple[int, Any]:
    """Return (leaf, chunks) of the only leaf with a name."""
    return find_columns(form, [name])[0]


def find_placed(spec, form: FooterReader, name: Any, field_id: int | None) -> tuple[int, Any]:
    """Return the only leaf with a name or field id, and its chunks without bounds, if the form reads them apart."""
    leaf = find_leaf(form, name, field_id)
    return leaf, spec.column(form, leaf, fields=Fields.ALL & ~Fields.BOUNDS)


def _found_leaf(form: FooterReader, name: Any) -> tuple[int, Any]:
    leaf = find_leaf(form, name)
    return leaf, form.column(leaf)


def leaves_below(form: FooterReader, identity: int) -> range:
    """Return the leaves of a group, or the leaf itself."""
    if not identity & GROUP:
        return range(identity, identity + 1)
    node = form.node(identity)
    return range(node.first_leaf, node.first_leaf + node.leaf_count)


def nearest_columns(form: FooterReader, name: str | tuple[str, ...], *, leaves: bool = True) -> list[str]:
    """Return the top-level columns, and the leaves, whose names are most similar to an absent one."""
    names: dict[str, None] = {}
    room = MOST_NEAREST_BYTES
    for leaf in range(form.leaf_count):
        path = as_path(form.node(leaf).path)
        room -= sum(map(len, path))
        if room < 0:
            return []
        names |= {path[0]: None} | ({".".join(path): None} if leaves else {})
    return nearest(name if isinstance(name, str) else ".".join(name), names)
