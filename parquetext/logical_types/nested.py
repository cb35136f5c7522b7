"""LIST, MAP and VARIANT: annotations of groups."""

from __future__ import annotations

from .. import kernels, wire
from .annotation import LogicalType, SqlText, read_integer
from .entry import Entry

VERSION = 1  # field of VariantType


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
    """A group of binaries, or of more columns if it is shredded; pyarrow has no type for it, and reads a struct."""

    name = "VARIANT"
    field_id = wire.LOGICAL_VARIANT
    table = "VariantType"
    spark_name = "variant"
    arrow_to_spark = is_written = False

    def read(self, name, data, at):
        fields = {field[0]: field for field in kernels.thrift.fields(data, at)}
        return LogicalType(name, version=read_integer(data, fields.get(VERSION)))

    def options(self, logical):
        return {} if logical.version is None else {"specification_version": logical.version}

    def parquet_text(self, logical):
        return logical.name if logical.version is None else f"{logical.name}({logical.version})"

    catalog_text = parquet_text

    def parse(self, name, words):
        return LogicalType(name, version=int(words[0]) if words else None)

    def annotated_sql(self, logical):
        return SqlText("VARIANT", "VARIANT")

    def from_table(self, get):
        version = get("specification_version", None)
        return {} if version is None else {"specification_version": version}

    def to_table(self, options):
        return {"specification_version": options.get("specification_version")}


ENTRIES = _List(), _Map(), _Variant()
