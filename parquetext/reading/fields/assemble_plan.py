"""Derive Arrow fields from a Parquet schema: leaves, lists, maps and structs, with their levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ... import wire
from ...encoding.chunk_reader import Levels
from ...errors import Malformed, Unsupported
from ...footer.elements import Element, parse_element
from ...footer.leaf_types import LeafType, leaf_type_of
from ...footer.model import GROUP
from ...footer.names import as_path
from ...footer.path_sizes import check_paths
from ...footer.thrift_form import ThriftForm
from ...logical_types import container_of
from ...records import frozen

MOST_DEPTH = 500  # nested groups; each level is one or two recursive calls here


@frozen
class LeafPlan:
    """A leaf column."""

    name: str
    nullable: bool
    levels: Levels
    leaf: int
    kind: LeafType
    path: str

    @property
    def leaves(self) -> Iterator[LeafPlan]:
        yield self

    @property
    def type(self) -> pa.DataType:
        """The Arrow type that follows from the Parquet schema alone."""
        return self.kind.arrow


@frozen
class ListPlan:
    """A list or map.

    `levels` are those of the repeated node, with the repeated ancestor of the list itself.
    """

    name: str
    nullable: bool
    levels: Levels
    child: Plan
    is_map: bool = False

    @property
    def leaves(self) -> Iterator[LeafPlan]:
        return self.child.leaves

    @property
    def type(self) -> pa.DataType:
        if self.is_map:
            key, value = self.child.children
            return pa.map_(pa.field(key.name, key.type, nullable=False), field_of(value))
        return pa.list_(field_of(self.child))


@frozen
class StructPlan:
    """A struct of one or more fields."""

    name: str
    nullable: bool
    levels: Levels
    children: tuple[Plan, ...]

    @property
    def leaves(self) -> Iterator[LeafPlan]:
        for child in self.children:
            yield from child.leaves

    @property
    def type(self) -> pa.DataType:
        return pa.struct([field_of(child) for child in self.children])


Plan = Any


def field_of(plan: Plan) -> pa.Field:
    """Return the Arrow field of a plan.

    Raises
    ------
    Malformed
        If its name, or a name below it, is not UTF-8.
    """
    try:
        return pa.field(plan.name, plan.type, nullable=plan.nullable)
    except UnicodeEncodeError:
        raise Malformed(f"the name of column {plan.name!r} is not UTF-8") from None


@frozen
class _Element:
    """A schema element with its children. `leaf` and `kind` are set for leaves."""

    facts: Element
    children: tuple[_Element, ...]
    leaf: int
    kind: LeafType | None
    path: str

    @property
    def name(self) -> str:
        return self.facts.name

    @property
    def repetition(self) -> int:
        return self.facts.repetition or wire.REPETITION_REQUIRED

    @property
    def is_repeated(self) -> bool:
        return self.repetition == wire.REPETITION_REPEATED

    @property
    def is_nullable(self) -> bool:
        return self.repetition == wire.REPETITION_OPTIONAL

    @property
    def is_list(self) -> bool:
        """True if the element is annotated as a list and has the structure of one."""
        is_annotated = container_of(self.facts.logical, self.facts.converted_type).is_list
        return is_annotated and len(self.children) == 1 and self.children[0].is_repeated

    @property
    def is_map(self) -> bool:
        """True if the element is annotated as a map and is one: its one child is a repeated group of key and value."""
        if not container_of(self.facts.logical, self.facts.converted_type).is_map or len(self.children) != 1:
            return False
        entries = self.children[0]
        return entries.is_repeated and len(entries.children) in (1, 2)


def plan_fields(form: ThriftForm) -> list[Plan]:
    """Return the top-level fields of a footer, in its order, by the rules of parquet-format's LogicalTypes.md.

    Raises
    ------
    Unsupported
        If the schema has more than 500 nested groups.
    """
    return [_of_node(element, Levels()) for element in _tree(form)]


def _tree(form: ThriftForm) -> tuple[_Element, ...]:
    """Return the elements below the root."""
    ids = [*range(form.leaf_count), *(GROUP | node for node in range(form.node_count))]
    check_paths(form.scan, groups=True)
    nodes = sorted(((form.node(identity), identity) for identity in ids), key=lambda pair: pair[0].schema_index)
    position = 0

    def take(depth: int) -> _Element:
        nonlocal position
        if depth > MOST_DEPTH:
            raise Unsupported(f"a schema of more than {MOST_DEPTH} nested groups", expected=MOST_DEPTH, found=depth)
        node, identity = nodes[position]
        position += 1
        fields, path = parse_element(node.thrift), ".".join(as_path(node.path))
        if not identity & GROUP:
            if fields.type not in wire.NAMES_OF_TYPE:
                raise Malformed(f"column {path}: {fields.type} is not a physical type of Parquet", found=fields.type)
            return _Element(fields, (), identity, leaf_type_of(node.thrift), path)
        children = tuple(take(depth + 1) for _ in range(fields.num_children or 0))
        return _Element(fields, children, node.first_leaf, None, path)

    return take(0).children if nodes else ()


def _of_node(element: _Element, above: Levels) -> Plan:
    """Plan a node that is not the repeated node of a list."""
    levels = above.below(element.repetition)
    if element.is_repeated:  # a list without an annotation; its items are never null
        return ListPlan(element.name, False, replace(levels, ancestor=above.ancestor), _plain(element, levels))
    return _item(element, levels, element.is_nullable)


def _item(element: _Element, levels: Levels, nullable: bool = False) -> Plan:
    """Plan an element at levels that already include it."""
    if element.is_list:
        return _list(element, levels)
    return _map(element, levels) if element.is_map else _plain(element, levels, nullable)


def _plain(element: _Element, levels: Levels, nullable: bool = False) -> Plan:
    """Plan a leaf or a struct, and ignore its annotation."""
    if element.kind is not None:
        return LeafPlan(element.name, nullable, levels, element.leaf, element.kind, element.path)
    return StructPlan(element.name, nullable, levels, tuple(_of_node(child, levels) for child in element.children))


def _list(element: _Element, own: Levels) -> ListPlan:
    """Plan a group annotated as a list, at the group's levels.

    If the repeated node is itself a list, it is the item of another, two-level list.
    """
    repeated = element.children[0]
    levels = own.below(wire.REPETITION_REPEATED)
    child = _item(repeated, levels) if _is_item(repeated, element) else _of_node(repeated.children[0], levels)
    return ListPlan(element.name, element.is_nullable, replace(levels, ancestor=own.ancestor), child)


def _is_item(repeated: _Element, parent: _Element) -> bool:
    """Return True if a list's repeated node is its item (two levels) and not a wrapper around it (three levels)."""
    if len(repeated.children) != 1 or repeated.children[0].is_repeated:
        return True
    return repeated.name == "array" or repeated.name == f"{parent.name}_tuple"


def _map(element: _Element, own: Levels) -> ListPlan:
    """Plan a map.

    A set of keys becomes a list. So do entries with nullable keys, which Arrow's maps do not support.
    """
    entries = element.children[0]
    if len(entries.children) == 1:
        return _list(element, own)
    levels = own.below(wire.REPETITION_REPEATED)
    child = _plain(entries, levels)
    return ListPlan(
        element.name,
        element.is_nullable,
        replace(levels, ancestor=own.ancestor),
        child,
        is_map=entries.children[0].repetition == wire.REPETITION_REQUIRED,
    )


def narrowed(plan: Plan, wanted: pa.DataType, leaves: set[int]) -> pa.DataType:
    """Return a field's type with only these leaves, as pyarrow does: structs lose fields; a part of a map is a list."""
    if all(leaf.leaf in leaves for leaf in plan.leaves):
        return wanted
    if isinstance(wanted, pa.BaseExtensionType):
        return narrowed(plan, wanted.storage_type, leaves)
    if isinstance(plan, ListPlan):
        item = wanted.field(0)
        child = item.with_type(narrowed(plan.child, item.type, leaves))
        if pa.types.is_map(wanted):
            is_pair = len(child.type) == 2 and child.type[0].type == wanted.key_type
            return pa.map_(child.type[0], child.type[1]) if is_pair else pa.list_(child)
        if pa.types.is_fixed_size_list(wanted):
            return pa.list_(child.type, wanted.list_size)
        return (pa.large_list if pa.types.is_large_list(wanted) else pa.list_)(child.type)
    pairs = zip(plan.children, wanted, strict=True)
    kept = [(child, field) for child, field in pairs if any(leaf.leaf in leaves for leaf in child.leaves)]
    return pa.struct([field.with_type(narrowed(child, field.type, leaves)) for child, field in kept])
