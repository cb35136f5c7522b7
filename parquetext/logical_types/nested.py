"""LIST, MAP and VARIANT: annotations of groups."""

from __future__ import annotations

from .. import wire
from .annotation import LogicalType
from .entry import Entry


class _List(Entry):
    name = "LIST"
    field_id = wire.LOGICAL_LIST
    converted = {wire.CONVERTED_LIST: LogicalType("LIST")}
    is_list = True


class _Map(Entry):
    name = "MAP"
    field_id = wire.LOGICAL_MAP
    converted = {wire.CONVERTED_MAP: LogicalType("MAP")}
    old_converted = frozenset({wire.CONVERTED_MAP_KEY_VALUE})
    is_map = True


class _Variant(Entry):
    name = "VARIANT"
    field_id = wire.LOGICAL_VARIANT
    table = "VariantType"
    spark_name = "variant"
    arrow_to_spark = False

    def from_table(self, get):
        version = get("specification_version", None)
        return {} if version is None else {"specification_version": version}

    def to_table(self, options):
        return {"specification_version": options.get("specification_version")}


ENTRIES = _List(), _Map(), _Variant()
