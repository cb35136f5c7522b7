"""Which leaves a slice has to hold so that a reader can make sense of the wanted ones: lists and maps whole."""

from __future__ import annotations

from collections.abc import Iterable

from ..logical_types import entry_of, entry_of_converted
from .elements import parse_element
from .model import GROUP, FooterReader, Node

__all__ = ["whole_leaves"]


def whole_leaves(form: FooterReader, leaves: Iterable[int]) -> list[int]:
    """These leaves, and all others of the lists and maps that they are in, ascending.

    A leaf below a list, a map or a repeated group stands for the outermost of those; other leaves stand for
    themselves, so that of a struct only what is wanted is read.
    """
    whole: set[int] = set()
    for leaf in leaves:
        if leaf not in whole:
            container = _outermost_container(form, form.node(leaf))
            whole.update(range(container.first_leaf, container.first_leaf + container.leaf_count))
    return sorted(whole)


def _outermost_container(form: FooterReader, node: Node) -> Node:
    """The outermost list, map or repeated element that the node is in or is; else the node itself."""
    container = node
    while node.max_repetition:
        container, node = node, form.node(GROUP | node.parent)
    return node if node.parent is not None and _is_list_or_map(node) else container


def _is_list_or_map(node: Node) -> bool:
    element = parse_element(node.thrift)
    entries = entry_of(element.logical), entry_of_converted(element.converted_type)
    return any(entry.is_list or entry.is_map for entry in entries)
