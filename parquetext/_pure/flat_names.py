"""Names of the flat footer: hashes of paths and field ids, their buckets, and limits (docs/formats.md, 3.3)."""

from __future__ import annotations

import struct

from .. import wire
from ..errors import wire_error
from . import checksum

GROUP = 0x80000000  # ids of groups: GROUP | node
PATH_SEED, FIELD_ID_SEED = 0, 1


def dotted(path: bytes) -> bytes:
    """Return a path in the form that is hashed and compared: NUL and '.' are the same."""
    return path.replace(b"\0", b".")


def hash_path(path: bytes) -> int:
    return checksum.xxh64(dotted(path), PATH_SEED)


def hash_field_id(field_id: int) -> int:
    return checksum.xxh64(struct.pack("<i", field_id), FIELD_ID_SEED)


def tag_of(hash: int) -> int:
    """Return the part of a hash that an entry stores."""
    return hash & 0xFFFFFFFF


def home_of(hash: int, buckets: int) -> int:
    """Return the first bucket to search for the entries of a hash."""
    return (hash >> 32) * buckets >> 32


def bucket_count(names: int) -> int:
    """Return the number of buckets for this number of entries; 0 if the tail lists them."""
    return -(-names // wire.FLAT_BUCKET_FILL) if names > wire.FLAT_LIST_ENTRIES else 0


def listed_count(names: int) -> int:
    """Return the number of names that a tail block lists: all, or none."""
    return names if names <= wire.FLAT_LIST_ENTRIES else 0


def fill_buckets(entries: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return buckets of (tag, position) for entries (hash, position). A full bucket passes an entry on to the next."""
    count = bucket_count(len(entries))
    buckets: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    behind = [*range(1, count), 0]  # for a full bucket: the first one that may have room
    for hash, position in entries:
        home = bucket = home_of(hash, count)
        while len(buckets[bucket]) == wire.FLAT_BUCKET_ENTRIES:
            bucket = behind[bucket]
        if bucket != home:
            behind[home] = bucket
        buckets[bucket].append((tag_of(hash), position))
    return buckets


def limit_of(size: int) -> int:
    """Return the largest allowed payload for a footer of `size` bytes (and extensions)."""
    return wire.FLAT_MOST_TIMES * size + wire.FLAT_MOST_BESIDE


def check_paths(scan, limit: int) -> None:
    """Raise OUT_OF_PROPORTION if the schema's paths alone exceed `limit`.

    The paths of n nested elements have O(n²) bytes.
    """
    sizes = list(scan.elements("name_length"))
    for index, parent in enumerate(scan.elements("parent")):
        if parent > 0:
            sizes[index] += sizes[parent] + 1
    found = sum(sizes[1:])
    if found > limit:
        raise wire_error(wire.OUT_OF_PROPORTION, 0, limit, found)
