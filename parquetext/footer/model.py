"""The model that every footer form is read into: the interface of readers, and schema nodes."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

# Members of a chunk: 64-bit numbers, the offsets of its index page and its indexes, and the 32-bit lengths of these.
COUNTS = (
    "num_values",
    "null_count",
    "distinct_count",
    "total_compressed_size",
    "total_uncompressed_size",
    "data_page_offset",
    "dictionary_page_offset",
)
INDEX_OFFSETS = ("index_page_offset", "bloom_filter_offset", "offset_index_offset", "column_index_offset")
INDEX_LENGTHS = ("bloom_filter_length", "offset_index_length", "column_index_length")
INDEX_FIELDS = tuple(
    f"{name}_{part}" for name in ("bloom_filter", "offset_index", "column_index") for part in ("offset", "length")
)

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

    @property
    def version(self) -> int: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def leaf_count(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    @property
    def row_group_count(self) -> int: ...
    @property
    def key_value_count(self) -> int: ...
    @property
    def created_by(self) -> bytes | None: ...
    @property
    def io(self) -> tuple[int, int]: ...
    def find_name(self, name: bytes) -> list[int]: ...
    def find_column(self, name: str) -> tuple[int, Any] | None: ...
    def find_columns(self, names: list[Any]) -> list[tuple[int, Any] | None]: ...
    def find_field_id(self, field_id: int) -> list[int]: ...
    def node(self, identity: int) -> Node: ...
    def column(self, leaf: int, first: int = 0, count: int | None = None): ...
    def row_groups(self, name: str) -> memoryview: ...
    def key_value(self, index: int) -> tuple[bytes, bytes | None]: ...
    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes: ...
    def sorting_columns(self, row_group: int) -> list[tuple[int, bool, bool]]: ...
    def close(self) -> None: ...


class FindsColumns:
    """The look-ups of columns of a reader that has `find_name` and `column`."""

    __slots__ = ()

    def find_column(self: Any, name: str):
        """Return the only leaf with this path and its chunks, or None if there is not exactly one."""
        ids = self.find_name(name.encode("utf-8", "surrogateescape"))
        return (ids[0], self.column(ids[0])) if len(ids) == 1 and ids[0] < GROUP else None

    def find_columns(self, names: list) -> list[tuple | None]:
        """Return the result of `find_column` for each name, and None for each value that is no string."""
        return [self.find_column(name) if isinstance(name, str) else None for name in names]
