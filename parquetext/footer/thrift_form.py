"""Read the Thrift form: scan the whole footer once, and look names up in it or in a table."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from operator import attrgetter

from .. import kernels, wire
from ..errors import Malformed, ParquetextError, Refused
from ..thrift import list_start, values
from .elements import parse_element
from .model import GROUP, FindsColumns, Node
from .path_sizes import check_paths

KEPT_COLUMNS = 64
FEW = 64  # look-ups of a name from which on a table of all names pays off
MOST_OF_PATHS = 8  # times the footer's bytes: upper bound for the paths in a table
_FACTS_OF_NODE = (
    "bytes_offset",
    "bytes_length",
    "parent",
    "first_leaf",
    "leaf_count",
    "column_order",
    "max_definition",
    "max_repetition",
)


def contents_of(scan, records: Callable[[str], memoryview], name: str) -> Iterator[bytes]:
    """Yield the bytes of a range in each record of a scan; `records` is a method such as `scan.elements`."""
    data = memoryview(scan.data)
    for start, length in zip(records(f"{name}_offset"), records(f"{name}_length"), strict=True):
        yield bytes(data[start : start + length])


def key_values_of(scan) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield the keys and the values of a scan; a value is None if it is absent."""
    keys, values = (contents_of(scan, scan.key_values, name) for name in ("key", "value"))
    for key, value, has_value in zip(keys, values, scan.key_values("has_value"), strict=True):
        yield key, value if has_value else None


def refuse_encrypted(scan) -> None:
    """Raise Refused if a scanned footer, or a part of the file, is encrypted."""
    if scan.encrypted:
        raise Refused("the file is encrypted, or parts of it", code=wire.ENCRYPTED)


class ThriftForm(FindsColumns):
    """A scanned Thrift footer with the interface of `model.FooterReader`."""

    __slots__ = (
        "_chunks",
        "_facts",
        "_key_values",
        "_last_node",
        "_last_path",
        "_leaves",
        "_looked_up",
        "_names",
        "_node_fields",
        "_offset",
        "_scan",
        "io",
    )

    def __init__(self, footer, io: tuple[int, int] = (0, 0), offset: int = 0):
        self._offset = offset
        self._scan = kernels.scan.scan(footer)
        self._leaves = self._scan.leaves
        self._chunks = lru_cache(KEPT_COLUMNS)(self._scan.column)  # a read asks for each column several times
        self._names: dict[bytes, list[int]] | None = None
        self._key_values: list[tuple[bytes, bytes | None]] | None = None
        self._looked_up = 0
        self._last_path = 0, b""
        self._last_node: tuple[int, Node] | None = None
        self._facts: dict[str, memoryview] = {}
        self._node_fields: tuple[memoryview, ...] | None = None
        self.io = io

    scan = property(attrgetter("_scan"))
    version = property(attrgetter("_scan.version"))
    num_rows = property(attrgetter("_scan.num_rows"))
    leaf_count = property(attrgetter("_scan.leaf_count"))
    row_group_count = property(attrgetter("_scan.row_group_count"))
    key_value_count = property(attrgetter("_scan.key_value_count"))
    created_by = property(attrgetter("_scan.created_by"))

    @property
    def node_count(self) -> int:
        return self._scan.element_count - self._scan.leaf_count

    def _element_fields(self, name: str) -> memoryview:
        """Return one field of all elements; the result is cached."""
        fields = self._facts.get(name)
        if fields is None:
            fields = self._facts[name] = self._scan.elements(name)
        return fields

    def _element(self, identity: int) -> int:
        """Return the element of an id; a group is found by the number of groups before it."""
        if not identity & GROUP:
            return self._leaves[identity]
        count = self._scan.element_count
        return bisect_right(range(count), identity ^ GROUP, key=self._groups_before) - 1

    def _groups_before(self, element: int) -> int:
        """Return the number of groups before an element, which is the ordinal of a group."""
        return element - self._element_fields("first_leaf")[element]

    def identity_of(self, element: int) -> int:
        """Return the id of a schema element."""
        leaf = self._element_fields("first_leaf")[element]
        is_leaf = leaf < len(self._leaves) and self._leaves[leaf] == element
        return leaf if is_leaf else GROUP | element - leaf

    def _name(self, element: int) -> bytes:
        start = self._element_fields("name_offset")[element]
        return bytes(memoryview(self._scan.data)[start : start + self._element_fields("name_length")[element]])

    def _path(self, element: int) -> bytes:
        """Return the names below the root, each after a NUL; fast for an element near the last one."""
        parents, names, asked = self._element_fields("parent"), [], element
        last, path = self._last_path
        if last and parents[last] in (element, parents[element]):
            path = path[: len(path) - 1 - self._element_fields("name_length")[last]]
            last = parents[last]
        while element not in (0, last):
            names.append(b"\0" + self._name(element))
            element = parents[element]
        path = b"".join([path if element == last else b"", *reversed(names)])
        self._last_path = asked, path
        return path

    def path_of(self, element: int) -> bytes:
        """Return the path of a schema element, names with NUL between them."""
        return self._path(element)[1:]

    def find_name(self, name: bytes) -> list[int]:
        """Return the ids of all leaves, then all groups, with this path; dots and NULs are equal."""
        self._expect(1)
        if self._names is None:
            return self._scan.find_name(name)
        return sorted(self._names.get(name.replace(b"\0", b"."), ()))

    def _expect(self, look_ups: int) -> None:
        """Build a table of all names when the number of look-ups makes it pay off."""
        before, self._looked_up = self._looked_up, self._looked_up + look_ups
        if before < FEW <= self._looked_up:
            self._names = self._table()

    def _table(self) -> dict[bytes, list[int]] | None:
        """Return the ids by dotted path, or None if the paths together are much longer than the footer."""
        room, paths = MOST_OF_PATHS * len(self._scan.data), [b""]
        names: dict[bytes, list[int]] = {}
        for element, parent in enumerate(self._element_fields("parent")[1:], 1):
            name = self._name(element).replace(b"\0", b".")
            path = paths[parent] + b"." + name if parent else name
            room -= len(path)
            if room < 0:
                return None
            paths.append(path)
            names.setdefault(path, []).append(self.identity_of(element))
        return names

    def find_columns(self, names: list) -> list[tuple | None]:
        self._expect(len(names))
        return super().find_columns(names)

    def find_field_id(self, field_id: int) -> list[int]:
        ids = self._element_fields("field_id")
        if field_id not in ids:
            return []
        found = sorted(self.identity_of(element) for element, own in enumerate(ids) if element and own == field_id)
        return [identity for identity in found if parse_element(self.node(identity).thrift).field_id == field_id]

    def node(self, identity: int) -> Node:
        """Return the node of an id; the last one is cached."""
        last = self._last_node
        if last is None or last[0] != identity:
            last = self._last_node = identity, self._node(identity)
        return last[1]

    def _node(self, identity: int) -> Node:
        element = self._element(identity)
        if self._node_fields is None:
            self._node_fields = tuple(map(self._element_fields, _FACTS_OF_NODE))
        start, size, parent, first_leaf, leaf_count, order, definition, repetition = (
            fields[element] for fields in self._node_fields
        )
        return Node(
            bytes(memoryview(self._scan.data)[start : start + size]),
            self._path(element)[1:],
            None if parent < 0 else self._groups_before(parent),
            element,
            first_leaf,
            leaf_count,
            order if not identity & GROUP else 0,
            definition,
            repetition,
        )

    def column(self, leaf: int, first: int = 0, count: int | None = None):
        try:
            return self._chunks(leaf)
        except ParquetextError as error:
            raise error.at(None, self._offset) from None

    def row_groups(self, name: str) -> memoryview:
        return self._scan.row_groups(name)

    def key_value(self, index: int) -> tuple[bytes, bytes | None]:
        if self._key_values is None:
            self._key_values = [*key_values_of(self._scan)]
        return self._key_values[index]

    def sorting_columns(self, row_group: int) -> list[tuple[int, bool, bool]]:
        """Return (leaf, descending, nulls first) of each column that a row group claims to be sorted by.

        The leaf may not exist; it is -1 if the field is missing.
        """
        if not self._scan.row_groups("sorting_columns_length")[row_group]:
            return []
        data, at = self._scan.data, self._scan.row_groups("sorting_columns_offset")[row_group]
        if data[at] & 15 != wire.TYPE_STRUCT:
            raise Malformed("sorting columns that are no structs", offset=at)
        count, at = list_start(data, at)
        found = []
        for _ in range(count):
            fields, at = values.read_at("SortingColumn", data, at)
            found.append(
                (fields.get("column_idx", -1), bool(fields.get("descending")), bool(fields.get("nulls_first")))
            )
        return found

    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
        if len(leaves) > FEW:
            check_paths(self._scan)
        return kernels.slice.slice_footer(
            self._scan, leaves, row_groups, arrow_schema=arrow_schema, key_values=key_values
        )

    def close(self) -> None:
        with suppress(AttributeError):  # closed before
            del self._scan, self._leaves, self._chunks
        self._names = self._key_values = self._node_fields = None
        self._facts = {}
