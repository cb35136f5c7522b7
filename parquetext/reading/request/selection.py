"""Select the leaves that a read returns, in order, and the leaves that a slice must contain."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ...footer.model import GROUP, FooterReader
from ...footer.names import as_path, find_group_or_leaf, leaves_below, with_path
from ...records import frozen


@frozen
class Leaves:
    """Leaves by number, for ambiguous names; `nested` is True for a part of a top-level column."""

    numbers: range
    nested: bool


def all_named(form: FooterReader, name: str) -> list[Leaves]:
    """Return all leaves and groups whose dotted path is `name`, in the order of the file."""
    found = []
    for identity in form.find_name(name.encode("utf-8", "surrogateescape")):
        found.append(Leaves(leaves_below(form, identity), len(as_path(form.node(identity).path)) > 1))
    return sorted(found, key=lambda each: each.numbers.start)


def is_part(name: str | tuple[str, ...] | Leaves) -> bool:
    """Return True if a name may refer to a part of a top-level column."""
    if isinstance(name, Leaves):
        return name.nested
    return "." in name if isinstance(name, str) else len(name) > 1


def leaves_of(form: FooterReader, name: str | tuple[str, ...] | Leaves) -> range:
    """Return the leaves of the leaf or group with this name."""
    return name.numbers if isinstance(name, Leaves) else leaves_below(form, find_group_or_leaf(form, name))


def select(form: FooterReader, columns: list | None) -> list[int]:
    """Return the leaves named by `columns`, each once, in the order of the names; None selects all leaves."""
    if columns is None:
        return list(range(form.leaf_count))
    return list(dict.fromkeys(leaf for name in columns for leaf in leaves_of(form, name)))


def top_level_leaves(form: FooterReader, name: str) -> range:
    """Return the leaves of a top-level column."""
    return leaves_below(form, find_group_or_leaf(form, (name,)))


def find_top_level(form: FooterReader, name: str) -> range | None:
    """Return the leaves of a top-level column, or None if the file has no such column.

    Raises
    ------
    ColumnError
        If the file has more than one.
    """
    encoded = name.encode("utf-8", "surrogateescape")
    there = with_path(form, form.find_name(encoded), encoded)
    if not there:
        return None
    return leaves_below(form, there[0]) if len(there) == 1 else top_level_leaves(form, name)


def whole_fields(form: FooterReader, leaves: Iterable[int]) -> list[int]:
    """Return all leaves of the top-level columns that contain these leaves, ascending."""
    whole: set[int] = set()
    for leaf in leaves:
        if leaf not in whole:
            node = form.node(leaf)
            while node.parent:  # stop below the root, which is node 0
                node = form.node(GROUP | node.parent)
            whole.update(range(node.first_leaf, node.first_leaf + node.leaf_count))
    return sorted(whole)


def index_columns(form: FooterReader) -> list[tuple[str]]:
    """Return the index columns that pandas' metadata names."""
    for index in range(form.key_value_count):
        key, value = form.key_value(index)
        if key == b"pandas" and value is not None:
            return index_columns_in(value)
    return []


def index_columns_in(pandas: bytes | None) -> list[tuple[str]]:
    """Return the index columns that a value of the key ``pandas`` names."""
    names = json.loads(pandas).get("index_columns", []) if pandas else []
    return [(name,) for name in names if isinstance(name, str)]
