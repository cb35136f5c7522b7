"""Write column chunks of the flat footer: ColumnChunk, ColumnMetadata, Statistics (docs/formats.md, 3.2 and 3.5)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .. import wire
from ..errors import wire_error
from . import varint
from .bounds import UNSIGNED
from .chunks import CHUNK_MEMBERS, PLACES_MEMBERS
from .flat_residue import CHUNK, Residues, chunk_fields
from .flat_schema import ABSENT, Elements, Struct, list_header, list_structs
from .flat_tables import Numbers, Octets, Table, table_of
from .thrift_write import path_list

BOX = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "mmin", "mmax")
WITH_FOOTER_KEY = 1


def _octets(content: bytes | None) -> Octets | None:
    return None if content is None else Octets(content)


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
        tag, type, member = found or (0, 0, 0)
        known = type == wire.TYPE_STRUCT
        return cls(
            tag if known else 0,
            Struct(thrift.data, member) if known else None,
            _octets(thrift.binary(bytes_id)),
        )


def _items(thrift: Struct, id: int, type: int) -> tuple[int, int] | None:
    """Return (count, offset of the first item) of a list of that type."""
    at = thrift.value(id, wire.TYPE_LIST)
    if at is None:
        return None
    found, count, first = list_header(thrift.data, at)
    return None if count and found != type else (count, first)


def geospatial(metadata: Struct) -> Table | None:
    """Return the GeospatialStatistics of a ColumnMetaData."""
    at = metadata.value(wire.COLUMN_META_DATA_GEOSPATIAL_STATISTICS, wire.TYPE_STRUCT)
    if at is None:
        return None
    thrift = Struct(metadata.data, at)
    box, types = thrift.value(1, wire.TYPE_STRUCT), _items(thrift, 2, wire.TYPE_I32)
    numbers = None
    if types is not None:
        numbers, (count, position) = Numbers(), types
        for _ in range(count):
            raw, position = varint.decode32(thrift.data, position)
            numbers.append(varint.zigzag_decode(raw))
    return table_of(
        "GeospatialStatistics",
        bbox=None if box is None else _bounding_box(Struct(thrift.data, box)),
        geospatial_types=numbers,
    )


def _bounding_box(thrift: Struct) -> Table:
    positions = {name: thrift.value(id, wire.TYPE_DOUBLE) for id, name in enumerate(BOX, 1)}
    numbers = {
        name: None if at is None else struct.unpack_from("<Q", thrift.data, at)[0] for name, at in positions.items()
    }
    return Table("BoundingBox", numbers)


def algorithm(crypto: Crypto) -> Table | None:
    """Return the table of an EncryptionAlgorithm's member."""
    thrift = crypto.member
    if thrift is None:
        return None
    prefix, unique = _octets(thrift.binary(1)), _octets(thrift.binary(2))
    return table_of("AesGcm", aad_prefix=prefix, aad_file_unique=unique, supply_aad_prefix=thrift.boolean(3))


def key(crypto: Crypto) -> Table | None:
    """Return the table of a ColumnCryptoMetaData's member."""
    thrift = crypto.member
    if thrift is None:
        return None
    if crypto.tag == WITH_FOOTER_KEY:
        return table_of("Empty")
    path, parts = _items(thrift, 1, wire.TYPE_BINARY), None
    if path is not None:
        parts, (count, position) = [], path
        for _ in range(count):
            length, begin = varint.decode32(thrift.data, position)
            position = begin + length
            parts.append(bytes(thrift.data[begin:position]))
    return table_of("EncryptionWithColumnKey", path_in_schema=parts, key_metadata=_octets(thrift.binary(2)))


SHORT_BOUND = 16  # largest bound, in bytes, that fits into the base slots
NOT_SAID, INEXACT, EXACT = range(3)
NO_CRYPTO = Crypto(0, None, None)

_BASE_SLOTS = ("lo4", "lo8", "hi8", "len")

# The required members of a ColumnMetadata, with the Thrift field to name in the error.
_REQUIRED = [
    (getattr(wire, f"PRESENT_{name}"), getattr(wire, f"COLUMN_META_DATA_{name}"))
    for name in ["TYPE", "CODEC", "NUM_VALUES", "TOTAL_UNCOMPRESSED_SIZE", "TOTAL_COMPRESSED_SIZE", "DATA_PAGE_OFFSET"]
]
_STORED = ("codec", "total_uncompressed_size", "total_compressed_size", "data_page_offset")
_OPTIONAL = {
    "index_page_offset": wire.PRESENT_INDEX_PAGE_OFFSET,
    "dictionary_page_offset": wire.PRESENT_DICTIONARY_PAGE_OFFSET,
}
_ALL_REQUIRED = sum(bit for bit, _ in _REQUIRED)


def _word(value: bytes, at: int = 0) -> int:
    return int.from_bytes(value[at : at + 4], "little")


def _long(value: bytes, at: int = 0) -> int:
    return int.from_bytes(value[at : at + 8], "little")


# Physical type -> function that packs its bounds; byte arrays have a separate rule.
_PACK = {
    wire.PHYSICAL_BOOLEAN: lambda value: {"lo4": value[0]},
    wire.PHYSICAL_INT32: lambda value: {"lo4": _word(value)},
    wire.PHYSICAL_INT64: lambda value: {"lo8": _long(value)},
    wire.PHYSICAL_INT96: lambda value: {"lo4": _word(value), "lo8": _long(value, 4)},
    wire.PHYSICAL_FLOAT: lambda value: {"lo4": _word(value)},
    wire.PHYSICAL_DOUBLE: lambda value: {"lo8": _long(value)},
}


def pack_short(value: bytes) -> dict[str, int]:
    """Pack at most 16 bytes, left-justified and big-endian: bytes 0 to 7 into hi8, the others into lo8."""
    hi8, lo8 = struct.unpack(">QQ", value.ljust(SHORT_BOUND, b"\0"))
    slots = {}
    if len(value) > 8:
        slots["lo8"] = lo8
    if value:
        slots["hi8"] = hi8
    return slots


def shorten_min(value: bytes) -> bytes | None:
    """Return a lower bound of 14 to 16 bytes for a longer string, cut at the end of a UTF-8 character."""
    for cut in range(SHORT_BOUND, SHORT_BOUND - 3, -1):
        if value[cut] & 0xC0 != 0x80:
            return value[:cut]
    return None


def shorten_max(value: bytes) -> bytes | None:
    """Return an upper bound of at most 16 bytes for a longer string.

    It is cut after the last byte that remains ASCII when incremented, and this byte is incremented.
    """
    for cut in range(SHORT_BOUND, 0, -1):
        if value[cut - 1] < 0x7F:
            return value[: cut - 1] + bytes([value[cut - 1] + 1])
    return None


def shorten(type: int, sort_order: int, value: bytes, is_max: bool) -> bytes | None:
    """Return a shorter valid bound of a long byte array, or None."""
    if type != wire.PHYSICAL_BYTE_ARRAY or sort_order != UNSIGNED or len(value) <= SHORT_BOUND:
        return None
    return shorten_max(value) if is_max else shorten_min(value)


def pack_bound(
    type: int, value: bytes, shortened: bytes | None, exactness: int
) -> tuple[dict[str, int], Octets | None]:
    """Return a bound's base slots, and its separate slot if they cannot contain it completely."""
    if type not in _PACK and len(value) > SHORT_BOUND:
        return {} if shortened is None else {**pack_short(shortened), "len": -len(shortened)}, Octets(value)
    slots = _PACK[type](value) if type in _PACK else pack_short(value)
    return {**slots, "len": len(value) if exactness == EXACT else -len(value)}, None


class Column:
    """The chunks of one leaf, ready to be written one by one."""

    def __init__(self, scan, leaf: int, elements: Elements, row_group_rows: list[int], is_compact: bool):
        chunks, index = scan.column(leaf), elements.leaves[leaf]
        self.data, self.rows, self.is_compact = scan.data, row_group_rows, is_compact
        self.type, self.sort_order = elements.type[index], elements.sort_order[index]
        self.path = path_list(elements.paths[index])
        self.is_geospatial = elements.table(index).fields["logical_type_type"] in (
            wire.FLAT_LOGICAL_GEOMETRY,
            wire.FLAT_LOGICAL_GEOGRAPHY,
        )
        self.encrypted = scan.encrypted
        self.facts = {name: list(chunks.array(name)) for name in CHUNK_MEMBERS | PLACES_MEMBERS}
        self.buffer = chunks.buffer
        self.bounds = chunks.bounds()

    def fact(self, row_group: int) -> dict[str, int]:
        """Return the scan's members of one row group's chunk."""
        return {name: values[row_group] for name, values in self.facts.items()}

    def add_residue(self, residues: Residues, row_group: int) -> None:
        """Add the residue of one row group's chunk: the values that the tables do not contain."""
        fact = self.fact(row_group)
        min, max = self._bound(row_group, False), self._bound(row_group, True)
        inexact = {
            field
            for field, value, is_max in (
                (wire.STATISTICS_IS_MIN_VALUE_EXACT, min, False),
                (wire.STATISTICS_IS_MAX_VALUE_EXACT, max, True),
            )
            if self.is_compact and value is not None and self._shortened(value, is_max) is not None
        }
        residues.add(
            fact["chunk_offset"],
            fact["chunk_offset"] + fact["chunk_length"],
            CHUNK,
            chunk_fields(fact, self.path, min, max),
            type=self.type,
            inexact=inexact,
        )

    def table(self, row_group: int) -> Table:
        """Return the ColumnChunk of one row group."""
        fact = self.fact(row_group)
        metadata = fact["present"] & wire.PRESENT_METADATA
        crypto = self._crypto(fact) if fact["present"] & wire.PRESENT_CRYPTO else NO_CRYPTO
        return table_of(
            "ColumnChunk",
            metadata=self._metadata(row_group, fact) if metadata else None,
            crypto_metadata_type=crypto.tag or None,
            crypto_metadata=key(crypto),
            encrypted_column_metadata=crypto.bytes,
            own=self._own(fact),
        )

    def _crypto(self, fact: dict) -> Crypto:
        """Return the crypto fields; refuse unknown ones, because without them the chunk would look unencrypted."""
        position = fact["chunk_offset"]
        crypto = Crypto.find(
            Struct(self.data, position), wire.COLUMN_CHUNK_CRYPTO_METADATA, wire.COLUMN_CHUNK_ENCRYPTED_COLUMN_METADATA
        )
        if not crypto.tag and crypto.bytes is None:
            raise wire_error(wire.ENCRYPTED, position, 0, self.encrypted)
        return crypto

    def _own(self, fact: dict) -> Table | None:
        fields = {
            name: None if fact[name] == ABSENT else fact[name]
            for name in ("column_index_offset", "offset_index_offset", "column_index_length", "offset_index_length")
        }
        if fact["present"] & wire.PRESENT_FILE_PATH:
            fields["file_path"] = Struct(self.data, fact["chunk_offset"]).binary(wire.COLUMN_CHUNK_FILE_PATH)
        return None if all(value is None for value in fields.values()) else Table("OwnChunk", fields)

    def _check(self, fact: dict) -> None:
        """Raise an error for values that the flat schema cannot represent."""
        position = fact["metadata_offset"]
        if fact["present"] & _ALL_REQUIRED != _ALL_REQUIRED:
            missing = next(field for bit, field in _REQUIRED if not fact["present"] & bit)
            raise wire_error(wire.MISSING_FIELD, position, missing)
        if fact["type"] != self.type:
            raise wire_error(wire.MISMATCH, position, self.type & 0xFFFFFFFF, fact["type"] & 0xFFFFFFFF)
        if not 0 <= fact["type"] <= wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            raise wire_error(
                wire.UNSUPPORTED_VALUE, position, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, fact["type"] & 0xFFFFFFFF
            )
        if not 0 <= fact["codec"] <= 127:
            raise wire_error(wire.UNSUPPORTED_VALUE, position, 127, fact["codec"] & 0xFFFFFFFF)

    def _metadata(self, row_group: int, fact: dict) -> Table:
        self._check(fact)
        present, thrift = fact["present"], Struct(self.data, fact["metadata_offset"])
        bloom = None
        if present & wire.PRESENT_BLOOM_FILTER_OFFSET:
            length = fact["bloom_filter_length"] if present & wire.PRESENT_BLOOM_FILTER_LENGTH else None
            bloom = table_of("BloomFilterInfo", offset=fact["bloom_filter_offset"], length=length)
        fields = {name: fact[name] for name in _STORED} | {
            name: fact[name] if present & bit else None for name, bit in _OPTIONAL.items()
        }
        return table_of(
            "ColumnMetadata",
            **fields,
            num_values=None if fact["num_values"] == self.rows[row_group] else fact["num_values"],
            key_value_metadata=self._key_values(fact) if present & wire.PRESENT_KEY_VALUES else None,
            statistics=self._statistics(row_group, fact) if present & wire.PRESENT_STATISTICS else None,
            is_fully_dict_encoded=1 if present & wire.PRESENT_FULLY_DICTIONARY_ENCODED else 0,
            bloom_filter=bloom,
            geospatial_statistics=geospatial(thrift) if self.is_geospatial else None,
            encodings=fact["encodings"] & 0xFFFF,
            more_encodings=fact["encodings"] >> 16 or None,
        )

    def _key_values(self, fact: dict) -> list[Table]:
        metadata, pairs, id = Struct(self.data, fact["metadata_offset"]), [], wire.COLUMN_META_DATA_KEY_VALUE_METADATA
        if (pairs_at := metadata.value(id, wire.TYPE_LIST)) is None:  # the scan found a list, but the last field counts
            raise wire_error(wire.FIELD_TYPE, fact["metadata_offset"], wire.TYPE_LIST, metadata.by_id[id][1])
        for position in list_structs(self.data, pairs_at):
            pair = Struct(self.data, position)
            if (key := pair.binary(wire.KEY_VALUE_KEY)) is None:
                raise wire_error(wire.MISSING_FIELD, position, wire.KEY_VALUE_KEY)
            pairs.append(key_value(key, pair.binary(wire.KEY_VALUE_VALUE)))
        return pairs

    def _statistics(self, row_group: int, fact: dict) -> Table:
        present = fact["present"]
        fields = {
            "null_count": fact["null_count"] if present & wire.PRESENT_NULL_COUNT else None,
            "distinct_count": fact["distinct_count"] if present & wire.PRESENT_DISTINCT_COUNT else None,
        }
        own, exactness = {}, 0
        for bit, (side, said, exact) in enumerate(
            (
                ("min", wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
                ("max", wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
            )
        ):
            value = self._bound(row_group, side == "max")
            if value is None:
                continue
            exactly = (EXACT if present & exact else INEXACT) if present & said else NOT_SAID
            shortened = self._shortened(value, side == "max")
            if self.is_compact and shortened is not None:
                value, exactly = shortened, INEXACT
            exactness |= exactly << 2 * bit
            slots, own[f"{side}_value"] = pack_bound(self.type, value, shortened, exactly)
            fields |= {f"{side}_{slot}": slots.get(slot) for slot in _BASE_SLOTS}
        return table_of("Statistics", **fields, exactness=exactness or None, **own)

    def _bound(self, row_group: int, is_max: bool) -> bytes | None:
        """Return the usable bound of one side, or None."""
        has, *ranges = self.bounds
        if not has[row_group] >> is_max & 1:
            return None
        offset, length = (array[row_group] for array in ranges[2 * is_max : 2 * is_max + 2])
        return bytes(self.buffer[offset : offset + length])

    def _shortened(self, value: bytes, is_max: bool) -> bytes | None:
        return shorten(self.type, self.sort_order, value, is_max)


def key_value(key: bytes, value: bytes | None) -> Table:
    """Return a KeyValue table."""
    return table_of("KeyValue", key=key, val=value)
