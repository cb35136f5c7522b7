"""The model that every footer form is read into: the interface of readers, and schema nodes."""

from __future__ import annotations

from typing import NamedTuple, Protocol

__all__ = ["GROUP", "FooterReader", "Node"]

GROUP = 0x8000_0000  # ids: a leaf's ordinal, or GROUP | the ordinal of an element that is no leaf, in preorder


class Node(NamedTuple):
    """A schema element's position in the tree.

    `thrift` is the SchemaElement struct, `path` the names below the root with NUL between them, `parent` a node's
    ordinal (None for the root), `schema_index` the position in preorder.
    """

    thrift: bytes
    path: bytes
    parent: int | None
    schema_index: int
    first_leaf: int
    leaf_count: int
    column_order: int
    max_definition: int
    max_repetition: int


class FooterReader(Protocol):
    """An open footer in some form.

    Methods raise `errors.Damaged` if a check of the form fails; docs/kernels.md describes their results.
    """

    version: int
    num_rows: int
    leaf_count: int
    node_count: int
    row_group_count: int
    key_value_count: int
    created_by: bytes | None
    io: tuple[int, int]

    def find_name(self, name: bytes) -> list[int]: ...
    def find_column(self, name: str) -> tuple | None: ...
    def find_columns(self, names: list) -> list[tuple | None]: ...
    def find_field_id(self, field_id: int) -> list[int]: ...
    def node(self, identity: int) -> Node: ...
    def column(self, leaf: int, first: int = 0, count: int | None = None): ...
    def row_groups(self, name: str) -> memoryview: ...
    def key_value(self, index: int) -> tuple[bytes, bytes | None]: ...
    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes: ...
    def sorting_columns(self, row_group: int) -> list[tuple[int, bool, bool]]: ...
    def close(self) -> None: ...
