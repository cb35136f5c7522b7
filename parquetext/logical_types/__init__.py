"""The logical types: one registry, and one module per family of types.

An entry defines everything that depends on a type (`Entry`). To add a type, write a module with its entries, and list
it at the end of this file. The kernels implement the sort orders (`csrc/src/footer`, `_pure/schema.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module

import pyarrow as pa

from .. import kernels, wire
from .annotation import LogicalType, SortOrder, SqlText, read_integer
from .decimals import decimal_type
from .entry import Entry

_by_name: dict[str | None, list[Entry]] = {}
_by_id: dict[int, Entry] = {}
_by_converted: dict[int, Entry] = {}


class _Other(Entry):
    """Unknown annotations."""

    is_written = False


_OTHER = _Other()


def register(entries: Iterable[Entry]) -> None:
    """Add entries to the registry."""
    for entry in entries:
        _by_name.setdefault(entry.name, []).append(entry)
        if entry.field_id is not None:
            _by_id[entry.field_id] = entry
        _by_converted.update(dict.fromkeys([*entry.converted, *entry.old_converted], entry))
    sql_text.cache_clear()


def entries() -> list[Entry]:
    """Return all entries."""
    return [entry for several in _by_name.values() for entry in several]


def entry_named(name: str | None) -> Entry:
    """Return the first entry for the name of an annotation."""
    return (_by_name.get(name) or [_OTHER])[0]


def entry_of(logical: LogicalType | None, physical: int | None = None) -> Entry:
    """Return the entry for an annotation and its physical type. The annotation need not fit."""
    found = _by_name.get(None if logical is None else logical.name) or [_OTHER]
    return next((entry for entry in found if physical in entry.widths), found[0])


def entry_of_converted(converted: int | None) -> Entry:
    """Return the entry that a ConvertedType belongs to."""
    return _OTHER if converted is None else _by_converted.get(converted, _OTHER)


def container_of(logical: LogicalType | None, converted: int | None) -> Entry:
    """Return the entry that determines whether a group is a list or a map."""
    return entry_of_converted(converted) if logical is None else entry_of(logical)


# ---- annotations -------------------------------------------------------------------------------------------------


def parse_converted(converted: int | None, scale: int | None, precision: int | None) -> LogicalType | None:
    """Return the annotation that a ConvertedType means, with the parameters of its schema element."""
    found = None if converted is None else entry_of_converted(converted).converted.get(converted)
    return found if found is None or found.scale is None else LogicalType(found.name, scale or 0, precision or 0)


def parse_union(data: bytes, at: int) -> LogicalType | None:
    """Read parquet.thrift's union LogicalType at an offset; return None if it is empty."""
    members = kernels.thrift.fields(data, at)
    if not members or members[0][1] != wire.TYPE_STRUCT:
        return None
    member = members[0]
    entry = _by_id.get(member[0], _OTHER)
    return entry.read(entry.name or f"UNKNOWN_{member[0]}", data, member[3])


# ---- types and texts ---------------------------------------------------------------------------------------------


def _plain(physical: int | None) -> Entry:
    return entry_of(None, physical)


def arrow_type(logical: LogicalType | None, physical: int, width: int) -> pa.DataType:
    """Return the Arrow type of a leaf's values; an annotation that does not fit the physical type is ignored."""
    entry = entry_of(logical, physical)
    found = entry.arrow(logical, width) if entry.fits(logical, physical, width) else None
    return _plain(physical).arrow(None, width) if found is None else found


def order_of(logical: LogicalType | None, physical: int, width: int) -> SortOrder:
    """Return the order of a leaf's values in statistics; it is undefined if the annotation does not fit."""
    entry = entry_of(logical, physical)
    return entry.sort_order(logical) if entry.fits(logical, physical, width) else SortOrder.UNDEFINED


def reading_of(logical: LogicalType | None, physical: int | None, width: int) -> int:
    """Return how the catalog reads a leaf's bounds; an annotation that does not fit the physical type is ignored."""
    found = entry_of(logical, physical).reading(logical, physical, width)
    return _plain(physical).reading(None, physical, width) or 0 if found is None else found


def spark_type(logical: LogicalType | None, physical: int, width: int) -> str | None:
    """Return the type as which Spark reads a leaf, as in the JSON of Spark's schemas; None if Spark refuses it."""
    entry = entry_of(logical, physical)
    return entry.spark(logical, physical) if entry.fits(logical, physical, width) else None


def questdb_type(logical: LogicalType | None, physical: int, width: int) -> str | None:
    """Return the name of QuestDB's type for a leaf; None or an empty name if it has none."""
    entry = entry_of(logical, physical)
    found = entry.questdb(logical, physical, width) if entry.fits(logical, physical, width) else None
    return _plain(physical).questdb(None, physical, width) if found is None else found


@lru_cache(maxsize=1 << 10)
def sql_text(kind: pa.DataType) -> SqlText:
    """Return the names of an Arrow type in SQL."""
    found = (entry.sql_text(kind) for entry in entries())
    return next((text for text in found if text is not None), SqlText())


def parquet_text(logical: LogicalType) -> str:
    """Format an annotation as parquet-java does: ``TIMESTAMP(MICROS,true)``."""
    return entry_of(logical).parquet_text(logical)


def catalog_text(logical: LogicalType | None) -> str | None:
    """Format an annotation with its parameters: ``DECIMAL(18,2)``, ``TIMESTAMP(us,utc)``, ``INTEGER(8,unsigned)``."""
    return None if logical is None else entry_of(logical).catalog_text(logical)


def parse_catalog_text(text: str | None) -> LogicalType | None:
    """Parse the result of `catalog_text`; return None for other text."""
    name, bracket, rest = (text or "").partition("(")
    if not name.replace("_", "").isalnum() or (bracket and not rest.endswith(")")):
        return None
    try:
        return entry_named(name).parse(name, rest[:-1].split(",") if bracket else [])
    except (ValueError, KeyError):
        return None


_FAMILIES = (  # an entry of an earlier module is preferred to one of a later module
    "unannotated int96 strings decimals integers dates times timestamps long_timestamps fixed_length nested geospatial"
    " file_references"
)
for _family in _FAMILIES.split():
    register(import_module(f".{_family}", __name__).ENTRIES)
