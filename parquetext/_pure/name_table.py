"""Names in buckets, and in a table under a random key where they were made to collide (docs/formats.md, 3.7)."""

from __future__ import annotations

import hashlib
import os
import struct
from itertools import chain, islice

from .flat_names import GROUP, dotted, hash_field_id, hash_path, tag_of

__all__ = ["ByName", "NameTable"]


class NameTable:
    """When the lookups of one reader take too long, and the table of all names that they go by then.

    A lookup that comes past more full buckets in a row, or a reader whose lookups took so many steps for nothing and
    more than so many each, reads all names once. Steps for nothing are full buckets, and elements of the same hash.
    """

    FULL_BUCKETS, STEPS_FOR_NOTHING, STEPS_EACH = 64, 64, 16

    def __init__(self) -> None:
        self.lookups = self.steps = 0
        self.is_read = False

    def is_wanted(self, full_buckets: int) -> bool:
        """Whether a lookup that stands behind so many full buckets in a row should go by the table."""
        return full_buckets > self.FULL_BUCKETS or self.steps > self.STEPS_FOR_NOTHING + self.STEPS_EACH * self.lookups

    def begin(self) -> None:
        """Forget all names, and take a new key."""
        self._key, self._ids = os.urandom(16), {}

    def add(self, path: bytes, field_id: int | None, id: int) -> None:
        self._ids.setdefault(self._hash(path), []).append(id)
        if field_id is not None:
            self._ids.setdefault(self._hash(field_id), []).append(id)

    def candidates(self, wanted: bytes | int) -> list[int]:
        """Elements of this path or field id; others only by a chance of 2^-64."""
        return self._ids.get(self._hash(wanted), [])

    def _hash(self, wanted: bytes | int) -> bytes:
        content = b"." + dotted(wanted) if isinstance(wanted, bytes) else b"#" + struct.pack("<i", wanted)
        return hashlib.blake2b(content, digest_size=8, key=self._key).digest()


class ByName:
    """Columns by their names, of a reader with `begin`, `hold` and `column`, and with

    * ``_candidates(hash)``: (tag, where) of the entries where those of a hash are, bucket by bucket, and whether these
      are the last ones,
    * ``_bearer(where)``, ``_bearer_of(id)``: the element that an entry leads to, or of an id,
    * ``_id(bearer)``, ``_is_called(bearer, wanted)``: its id, and whether it has this dotted path or field id,
    * ``_all_names()``: (path, field id or None, id) of all leaves, and of all nodes but the root.
    """

    leaf_count: int
    node_count: int

    def find_name(self, name: bytes, most: int | None = None) -> list[int]:
        """Ids of leaves and groups whose path reads like this, '.' and NUL being one and the same: all of them, or at
        least `most`."""
        return self._find(dotted(name), hash_path(name), most)

    def find_field_id(self, field_id: int) -> list[int]:
        """Ids of every leaf and group of that field id."""
        return self._find(field_id, hash_field_id(field_id), None)

    def find_column(self, name: str):
        """The one leaf whose path reads like `name`, and its chunks; None where that is not exactly one leaf."""
        try:
            ids = self.find_name(name.encode(), 2)
        except UnicodeEncodeError:
            return None
        return (ids[0], self.column(ids[0])) if len(ids) == 1 and ids[0] < GROUP else None

    def find_columns(self, names: list) -> list:
        """The same of each name, None for what is no string."""
        return [self.find_column(name) if isinstance(name, str) else None for name in names]

    def _find(self, wanted: bytes | int, hash: int, most: int | None) -> list[int]:
        if self._names.is_read:
            return self._find_in_all(wanted, most)
        self.begin()
        tag, ids = tag_of(hash), {}
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

    def _read_names(self) -> None:
        """Read all names, in the order in which buckets have them."""
        self.hold()
        self.begin()
        self._names.begin()
        for name in self._all_names():
            self._names.add(*name)
        self._names.is_read = True

    def _find_in_all(self, wanted: bytes | int, most: int | None) -> list[int]:
        self.begin()
        found = (id for id in self._names.candidates(wanted) if self._is_called(self._bearer_of(id), wanted))
        return list(islice(found, most))

    def _all_ids(self):
        """Leaves, then nodes but the root."""
        return chain(range(self.leaf_count), range(GROUP + 1, GROUP + self.node_count))
