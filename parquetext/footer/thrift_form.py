"""The Thrift form: one scan of the whole footer, names indexed when one is first asked for."""

from __future__ import annotations

from itertools import islice

from .. import kernels
from .elements import parse_element
from .model import GROUP, Node

__all__ = ["ThriftForm"]


class ThriftForm:
    """A scanned Thrift footer with the interface of `model.Form`."""

    __slots__ = ("_facts", "_leaves", "_names", "_nodes", "_paths", "_scan", "io")

    def __init__(self, footer, io: tuple[int, int] = (0, 0)):
        self._scan = kernels.scan.scan(footer)
        self._leaves = self._scan.leaves
        self._names: dict[bytes, list[int]] | None = None
        self._paths: list[bytes] | None = None
        self._nodes: dict[int, int] | None = None
        self._facts: dict[str, memoryview] = {}
        self.io = io

    @property
    def scan(self):
        return self._scan

    @property
    def version(self) -> int:
        return self._scan.version

    @property
    def num_rows(self) -> int:
        return self._scan.num_rows

    @property
    def leaf_count(self) -> int:
        return self._scan.leaf_count

    @property
    def node_count(self) -> int:
        return self._scan.element_count - self._scan.leaf_count

    @property
    def row_group_count(self) -> int:
        return self._scan.row_group_count

    @property
    def key_value_count(self) -> int:
        return self._scan.key_value_count

    @property
    def created_by(self) -> bytes | None:
        return self._scan.created_by

    @property
    def paths(self) -> list[bytes]:
        """Every element's path, by its position in preorder."""
        if self._paths is None:
            scan = self._scan
            data = memoryview(scan.data)
            places = (self._element_facts(name) for name in ("name_offset", "name_length", "parent"))
            paths: list[bytes] = []
            for offset, length, parent in zip(*places, strict=True):
                name = bytes(data[offset:offset + length])
                paths.append(b"" if parent < 0 else paths[parent] + b"\0" + name if parent else name)
            self._paths = paths
        return self._paths

    @property
    def nodes(self) -> dict[int, int]:
        """The elements that are no leaves, in order, each with its ordinal among them."""
        if self._nodes is None:
            leaves = set(self._leaves)
            groups = (element for element in range(self._scan.element_count) if element not in leaves)
            self._nodes = {element: ordinal for ordinal, element in enumerate(groups)}
        return self._nodes

    def _element_facts(self, name: str) -> memoryview:
        """One fact of all elements, gathered once."""
        facts = self._facts.get(name)
        if facts is None:
            facts = self._facts[name] = self._scan.elements(name)
        return facts

    def _element(self, identity: int) -> int:
        return next(islice(self.nodes, identity ^ GROUP, None)) if identity & GROUP else self._leaves[identity]

    def find_name(self, name: bytes) -> list[int]:
        """Every leaf, then every group, whose path reads like this, dots and NULs being the same."""
        if self._names is None:
            names: dict[bytes, list[int]] = {}
            paths = self.paths
            for leaf, element in enumerate(self._leaves):
                names.setdefault(paths[element].replace(b"\0", b"."), []).append(leaf)
            for element, node in self.nodes.items():
                if element:
                    names.setdefault(paths[element].replace(b"\0", b"."), []).append(GROUP | node)
            self._names = names
        return self._names.get(name.replace(b"\0", b"."), [])

    def find_column(self, name: str):
        """The one leaf whose path reads like `name`, and its chunks; None where that is not exactly one leaf."""
        ids = self.find_name(name.encode("utf-8", "surrogateescape"))
        return (ids[0], self.column(ids[0])) if len(ids) == 1 and ids[0] < GROUP else None

    def find_columns(self, names: list) -> list[tuple | None]:
        """The same of each name, None for what is no string."""
        return [self.find_column(name) if isinstance(name, str) else None for name in names]

    def find_field_id(self, field_id: int) -> list[int]:
        ids = self._element_facts("field_id")
        if field_id not in ids:
            return []
        found = [leaf for leaf, element in enumerate(self._leaves) if ids[element] == field_id]
        found += [GROUP | node for element, node in self.nodes.items() if element and ids[element] == field_id]
        return [identity for identity in found if parse_element(self.node(identity).thrift).field_id == field_id]

    def node(self, identity: int) -> Node:
        element, facts = self._element(identity), self._element_facts
        start, parent = facts("bytes_offset")[element], facts("parent")[element]
        return Node(
            bytes(memoryview(self._scan.data)[start:start + facts("bytes_length")[element]]), self.paths[element],
            None if parent < 0 else self.nodes[parent], element,
            facts("first_leaf")[element], facts("leaf_count")[element],
            facts("column_order")[element] if not identity & GROUP else 0,
            facts("max_definition")[element], facts("max_repetition")[element],
        )

    def column(self, leaf: int, first: int = 0, count: int | None = None):
        return self._scan.column(leaf)

    def row_groups(self, name: str) -> memoryview:
        return self._scan.row_groups(name)

    def key_value(self, index: int) -> tuple[bytes, bytes | None]:
        scan = self._scan

        def part(name: str) -> bytes:
            start = scan.key_values(f"{name}_offset")[index]
            return bytes(memoryview(scan.data)[start:start + scan.key_values(f"{name}_length")[index]])

        return part("key"), part("value") if scan.key_values("has_value")[index] else None

    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
        return kernels.slice.slice_footer(
            self._scan, leaves, row_groups, arrow_schema=arrow_schema, key_values=key_values)

    def close(self) -> None:
        self._scan = self._leaves = self._names = self._paths = self._nodes = None
        self._facts = {}
