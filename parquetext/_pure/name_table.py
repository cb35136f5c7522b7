"""Look up names in buckets, or in a hash table with a random key if the names collide (docs/formats.md, 3.7)."""

from __future__ import annotations

import hashlib
import os
import struct
from itertools import chain, islice
from typing import Any, NamedTuple

from .. import wire
from ..errors import wire_error
from .flat_names import GROUP, dotted, hash_field_id, hash_path, tag_of
from .records import checked


class NameTable:
    """Decide when lookups of a reader take too long, and provide a table of all names for this case.

    A reader reads all names once if a lookup passes too many consecutive full buckets, or if its lookups needed too
    many wasted steps in total and per lookup. Wasted steps are full buckets, and elements of the same hash.
    """

    FULL_BUCKETS, STEPS_FOR_NOTHING, STEPS_EACH = 64, 64, 16

    def __init__(self) -> None:
        self.lookups = self.steps = 0
        self.is_read = False

    def is_wanted(self, full_buckets: int) -> bool:
        """Return True if a lookup that has passed this number of consecutive full buckets should use the table."""
        return full_buckets > self.FULL_BUCKETS or self.steps > self.STEPS_FOR_NOTHING + self.STEPS_EACH * self.lookups

    def begin(self) -> None:
        """Forget all names, and choose a new key."""
        self._key = os.urandom(16)
        self._ids: dict = {}

    def add(self, path: bytes, field_id: int | None, id: int) -> None:
        self._ids.setdefault(self._hash(path), []).append(id)
        if field_id is not None:
            self._ids.setdefault(self._hash(field_id), []).append(id)

    def candidates(self, wanted: bytes | int) -> list[int]:
        """Return the elements of this path or field id; others with a probability of 2^-64 only."""
        return self._ids.get(self._hash(wanted), [])

    def _hash(self, wanted: bytes | int) -> bytes:
        content = b"." + dotted(wanted) if isinstance(wanted, bytes) else b"#" + struct.pack("<i", wanted)
        return hashlib.blake2b(content, digest_size=8, key=self._key).digest()


class Node(NamedTuple):
    """The position of a leaf or group in the schema."""

    thrift: bytes  # the SchemaElement
    path: bytes  # names from below the root, separated by NUL; b"" for the root
    parent: int | None  # node; None for the root
    schema_index: int  # in preorder
    first_leaf: int
    leaf_count: int
    column_order: int
    max_definition: int
    max_repetition: int


class CellReader:
    """The common part of the readers of payloads that consist of cells. It also finds columns by name.

    A reader sets `_open` to its payload, which has `source` and `begin`. It has `hold`, `column`, and these methods:

    * ``_candidates(hash)``: yield the entries (tag, position) in the buckets of a hash, bucket by bucket; True
      for the last bucket,
    * ``named(id)``: the description of a leaf or, with GROUP | node, a group, with its path,
    * ``_bearer(where)``, ``_bearer_of(id)``: the element of an entry, or of an id,
    * ``_id(bearer)``, ``_is_called(bearer, wanted)``: its id; True if it has this dotted path or field id,
    * ``_all_names()``: (path, field id or None, id) of all leaves, and of all nodes except the root.
    """

    leaf_count: int
    node_count: int
    row_group_count: int

    def close(self) -> None:
        """Forget the bytes read so far. The source stays open and belongs to the caller."""
        self._open: Any = None

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    @property
    def file(self):
        """Return the open payload."""
        if self._open is None:
            raise ValueError("the reader is closed")
        return self._open

    @property
    def io(self) -> tuple[int, int]:
        """Return (number of reads, bytes read) so far."""
        return self.file.source.reads, self.file.source.bytes

    def begin(self) -> None:
        """Begin a call, and set the limit of bytes that it may read."""
        self.file.begin()

    def check_range(self, first: int, count: int | None) -> range:
        """Return the row groups [first, first + count)."""
        count = self.row_group_count - first if count is None else count
        if not 0 <= first <= self.row_group_count or not 0 <= count <= self.row_group_count - first:
            found = first if first > self.row_group_count else first + count
            raise wire_error(wire.BAD_ARGUMENT, 0, self.row_group_count, found)
        return range(first, first + count)

    def node(self: Any, id: int) -> Node:
        """Return the position in the schema of a leaf or, with GROUP | node, a group."""
        self.begin()
        entry = self.named(id)
        parent = None if id == GROUP else entry.parent
        return Node(parent=parent, **{name: getattr(entry, name) for name in Node._fields if name != "parent"})

    def check_projection(self, leaves: list[int], row_groups: list[int]) -> None:
        """Raise an error unless the leaves ascend and all numbers exist."""
        for before, leaf in zip([-1, *leaves], leaves, strict=False):
            if checked(leaf, self.leaf_count) <= before:
                raise wire_error(wire.BAD_ARGUMENT, 0, before, leaf)
        for row_group in row_groups:
            checked(row_group, self.row_group_count)

    def find_name(self, name: bytes, most: int | None = None) -> list[int]:
        """Return the ids of leaves and groups with this path: all of them, or at least `most`.

        '.' and NUL are the same in paths.
        """
        return self._find(dotted(name), hash_path(name), most)

    def find_field_id(self, field_id: int) -> list[int]:
        """Return the ids of all leaves and groups with this field id."""
        return self._find(field_id, hash_field_id(field_id), None)

    def find_column(self: Any, name: str):
        """Return the only leaf with the path `name`, and its chunks; None unless there is exactly one such leaf."""
        try:
            ids = self.find_name(name.encode(), 2)
        except UnicodeEncodeError:
            return None
        return (ids[0], self.column(ids[0])) if len(ids) == 1 and ids[0] < GROUP else None

    def find_columns(self, names: list) -> list:
        """Return the leaf of each name as `find_column` does; None for a value that is not a string."""
        return [self.find_column(name) if isinstance(name, str) else None for name in names]

    def _find(self: Any, wanted: bytes | int, hash: int, most: int | None) -> list[int]:
        if self._names.is_read:
            return self._find_in_all(wanted, most)
        self.begin()
        tag = tag_of(hash)
        ids: dict[int, None] = {}
        for step, (entries, is_last) in enumerate(self._candidates(hash), 1):
            for entry_tag, where in entries:
                if entry_tag != tag:
                    continue
                bearer = self._bearer(where)
                if self._is_called(bearer, wanted):
                    ids[self._id(bearer)] = None
                else:
                    self._names.steps += 1
            if is_last:
                break
            self._names.steps += 1
            if self._names.is_wanted(step):
                self._read_names()
                return self._find_in_all(wanted, most)
        self._names.lookups += 1
        return list(ids)

    def _read_names(self: Any) -> None:
        """Read all names in the order of the buckets."""
        self.hold()
        self.begin()
        self._names.begin()
        for name in self._all_names():
            self._names.add(*name)
        self._names.is_read = True

    def _find_in_all(self: Any, wanted: bytes | int, most: int | None) -> list[int]:
        self.begin()
        found = (id for id in self._names.candidates(wanted) if self._is_called(self._bearer_of(id), wanted))
        return list(islice(found, most))

    def _all_ids(self):
        """Return the leaves, then the nodes except the root."""
        return chain(range(self.leaf_count), range(GROUP + 1, GROUP + self.node_count))
