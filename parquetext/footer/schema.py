"""The Parquet schema: elements with their paths and levels, read one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..logical_types import LogicalType
from ..records import frozen
from ..tabular import Shown, Tabular
from .elements import Element, parse_element
from .leaf_types import PHYSICAL_TYPES, REPETITIONS
from .model import GROUP, FooterReader, Node
from .names import as_path, find_group_or_leaf
from .path_sizes import nodes_of

if TYPE_CHECKING:
    from .facade import File


@frozen
class SchemaNode:
    """A leaf or group of the schema.

    Attributes
    ----------
    path : tuple of str
        The names from below the root; empty for the root.
    leaves : range
        The leaf columns below it, or the leaf itself.
    physical_type : str or None
        None for groups.
    repetition : str or None
        ``"REQUIRED"``, ``"OPTIONAL"`` or ``"REPEATED"``.
    max_definition, max_repetition : int
        The highest levels.
    """

    path: tuple[str, ...]
    leaves: range
    physical_type: str | None
    type_length: int | None
    repetition: str | None
    logical_type: LogicalType | None
    field_id: int | None
    max_definition: int
    max_repetition: int

    @classmethod
    def of(cls, node: Node, identity: int) -> SchemaNode:
        element: Element = parse_element(node.thrift)
        leaf = not identity & GROUP
        leaves = range(identity, identity + 1) if leaf else range(node.first_leaf, node.first_leaf + node.leaf_count)
        return cls(
            as_path(node.path) if node.parent is not None else (),
            leaves,
            named(PHYSICAL_TYPES, element.type) if leaf else None,
            element.type_length,
            named(REPETITIONS, element.repetition),
            element.logical,
            element.field_id,
            node.max_definition,
            node.max_repetition,
        )


def named(names: tuple[str, ...], number: int | None) -> str | None:
    """Return the name of a number in an enum; None without a number."""
    if number is None:
        return None
    return names[number] if 0 <= number < len(names) else f"UNKNOWN_{number}"


class ParquetSchema(Tabular):
    """Access to a file's schema elements; each look-up reads only that element."""

    __slots__ = ("_file",)

    def __init__(self, file: File):
        self._file = file

    def _nodes(self, form: FooterReader, identities: Iterable[int]) -> Iterator[Node]:
        """Return the nodes of these ids; raise LimitExceeded if their paths take too much memory."""
        return nodes_of(form, identities, self._file._source.size)

    @property
    def num_leaves(self) -> int:
        return self._file._form.leaf_count

    def leaf(self, index: int) -> SchemaNode:
        """Return leaf number `index`."""
        if not 0 <= index < self.num_leaves:
            raise IndexError(f"leaf {index}: the file has {self.num_leaves}")
        return self._file._on_form(lambda form: SchemaNode.of(form.node(index), index))

    def find(self, name: str | tuple[str, ...] | None = None, *, field_id: int | None = None) -> SchemaNode:
        """Return the only leaf or group with a name, path or field id; raise ColumnError otherwise."""

        def find(form: FooterReader) -> SchemaNode:
            identity = find_group_or_leaf(form, name, field_id)
            return SchemaNode.of(form.node(identity), identity)

        return self._file._on_form(find)

    def __iter__(self) -> Iterator[SchemaNode]:
        """Iterate over all elements in schema order, the root first."""

        def nodes(form: FooterReader) -> list[tuple[int, SchemaNode]]:
            ids = [*range(form.leaf_count), *(GROUP | node for node in range(form.node_count))]
            found = zip(self._nodes(form, ids), ids, strict=True)
            return [(node.schema_index, SchemaNode.of(node, identity)) for node, identity in found]

        self._file._expect(self.num_leaves)
        return (node for _, node in sorted(self._file._on_form(nodes), key=lambda pair: pair[0]))

    @property
    def paths(self) -> list[tuple[str, ...]]:
        """Return the paths of all leaves."""
        self._file._expect(self.num_leaves)
        return self._file._on_form(
            lambda form: [as_path(node.path) for node in self._nodes(form, range(form.leaf_count))]
        )

    def _shown(self) -> Shown:
        from .footer_repr import show_schema

        return show_schema(self)
