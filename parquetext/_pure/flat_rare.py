"""Write rarely used parts for readers of the public schema: geospatial statistics and crypto fields."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .. import wire
from . import varint
from .flat_schema import Struct
from .flat_tables import Numbers, Octets, Table

__all__ = ["Crypto", "algorithm", "geospatial", "key"]

BOX = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "mmin", "mmax")
WITH_FOOTER_KEY = 1


class Crypto(NamedTuple):
    """A union's member (0 if it is unknown) with its Thrift struct, and the binary field of the same parent."""

    tag: int
    member: Struct | None
    bytes: Octets | None

    @classmethod
    def find(cls, thrift: Struct, union_id: int, bytes_id: int) -> Crypto:
        """Return the union and the bytes in these fields of a struct."""
        at = thrift.value(union_id, wire.TYPE_STRUCT)
        found = None if at is None else Struct(thrift.data, at).first(2)
        known = found is not None and found[1] == wire.TYPE_STRUCT
        content = thrift.binary(bytes_id)
        return cls(
            found[0] if known else 0,
            Struct(thrift.data, found[2]) if known else None,
            None if content is None else Octets(content),
        )


def _octets(content: bytes | None) -> Octets | None:
    return None if content is None else Octets(content)


def _items(thrift: Struct, id: int, type: int) -> tuple[int, int] | None:
    """Return (count, offset of the first item) of a list of that type."""
    at = thrift.value(id, wire.TYPE_LIST)
    if at is None:
        return None
    count, first = thrift.data[at] >> 4, at + 1
    if count == 15:
        count, first = varint.decode32(thrift.data, first)
    return None if count and thrift.data[at] & 15 != type else (count, first)


def geospatial(metadata: Struct) -> Table | None:
    """Return the GeospatialStatistics of a ColumnMetaData."""
    at = metadata.value(wire.COLUMN_META_DATA_GEOSPATIAL_STATISTICS, wire.TYPE_STRUCT)
    if at is None:
        return None
    thrift = Struct(metadata.data, at)
    box, types = thrift.value(1, wire.TYPE_STRUCT), _items(thrift, 2, wire.TYPE_I32)
    numbers = None
    if types is not None:
        numbers, (count, place) = Numbers(), types
        for _ in range(count):
            raw, place = varint.decode32(thrift.data, place)
            numbers.append(varint.zigzag_decode(raw))
    return Table(
        "GeospatialStatistics",
        {
            "bbox": None if box is None else _bounding_box(Struct(thrift.data, box)),
            "geospatial_types": numbers,
        },
    )


def _bounding_box(thrift: Struct) -> Table:
    places = {name: thrift.value(id, wire.TYPE_DOUBLE) for id, name in enumerate(BOX, 1)}
    return Table(
        "BoundingBox",
        {name: None if at is None else struct.unpack_from("<Q", thrift.data, at)[0] for name, at in places.items()},
    )


def algorithm(crypto: Crypto) -> Table | None:
    """Return the table of an EncryptionAlgorithm's member."""
    thrift = crypto.member
    return (
        None
        if thrift is None
        else Table(
            "AesGcm",
            {
                "aad_prefix": _octets(thrift.binary(1)),
                "aad_file_unique": _octets(thrift.binary(2)),
                "supply_aad_prefix": thrift.boolean(3),
            },
        )
    )


def key(crypto: Crypto) -> Table | None:
    """Return the table of a ColumnCryptoMetaData's member."""
    thrift = crypto.member
    if thrift is None:
        return None
    if crypto.tag == WITH_FOOTER_KEY:
        return Table("Empty", {})
    path, parts = _items(thrift, 1, wire.TYPE_BINARY), None
    if path is not None:
        parts, (count, place) = [], path
        for _ in range(count):
            length, begin = varint.decode32(thrift.data, place)
            place = begin + length
            parts.append(bytes(thrift.data[begin:place]))
    return Table("EncryptionWithColumnKey", {"path_in_schema": parts, "key_metadata": _octets(thrift.binary(2))})
