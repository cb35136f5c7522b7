"""GEOMETRY and GEOGRAPHY: well-known binary, with statistics of a separate kind."""

from __future__ import annotations

from .. import wire
from .entry import BYTES, Entry

DEFAULT_CRS = "OGC:CRS84"  # the meaning of an absent coordinate reference system


class _Geometry(Entry):
    name = "GEOMETRY"
    field_id = wire.LOGICAL_GEOMETRY
    widths = {BYTES: 0}
    table = "GeometryType"
    spark_name = "geometry"
    arrow_to_spark = spark_to_arrow = False

    def with_defaults(self, options):
        return {"crs": DEFAULT_CRS} | options

    def from_table(self, get):
        crs = get("crs", None)
        return {"crs": crs.decode("utf-8", "surrogateescape")} if crs else {}

    def to_table(self, options):
        # The public C++ reader follows this offset without a check, so the default is written, too.
        return {"crs": options.get("crs", DEFAULT_CRS)}


class _Geography(_Geometry):
    name = "GEOGRAPHY"
    field_id = wire.LOGICAL_GEOGRAPHY
    table = "GeographyType"
    spark_name = "geography"

    def with_defaults(self, options):
        return {"crs": DEFAULT_CRS, "algorithm": 0} | options

    def from_table(self, get):
        return super().from_table(get) | {"algorithm": get("algorithm", 0)}

    def to_table(self, options):
        return super().to_table(options) | {"algorithm": options.get("algorithm", 0)}


ENTRIES = _Geometry(), _Geography()
