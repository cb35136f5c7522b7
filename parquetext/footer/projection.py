"""Extend a selection of leaves to complete lists and maps, so that readers can interpret a slice."""

from __future__ import annotations

from collections.abc import Iterable

from ..logical_types import entry_of, entry_of_converted
from .elements import parse_element
from .model import GROUP, FooterReader, Node


def whole_leaves(form: FooterReader, leaves: Iterable[int]) -> list[int]:
    """Return these leaves and all other leaves of the lists and maps around them, ascending.

    A leaf below a list, a map or a repeated group selects the outermost of them. Of a struct, only the requested leaves
    are selected.
    """
    whole: set[int] = set()
    for leaf in leaves:
        if leaf not in whole:
            container = _outermost_container(form, form.node(leaf))
            whole.update(range(container.first_leaf, container.first_leaf + container.leaf_count))
    return sorted(whole)


def _outermost_container(form: FooterReader, node: Node) -> Node:
    """Return the outermost list, map or repeated element around the node, or the node itself if there is none."""
    container = node
    while node.max_repetition and node.parent is not None:
        container, node = node, form.node(GROUP | node.parent)
    return node if node.parent is not None and _is_list_or_map(node) else container


def _is_list_or_map(node: Node) -> bool:
    element = parse_element(node.thrift)
    entries = entry_of(element.logical), entry_of_converted(element.converted_type)
    return any(entry.is_list or entry.is_map for entry in entries)
