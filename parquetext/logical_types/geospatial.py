"""GEOMETRY and GEOGRAPHY: well-known binary, with statistics of a separate kind."""

from __future__ import annotations

from .. import kernels, wire
from ..escaping import escaped
from .annotation import LogicalType, SqlText, read_integer, read_text
from .entry import BYTES, Entry

DEFAULT_CRS = "OGC:CRS84"  # the meaning of an absent coordinate reference system
ALGORITHMS = "SPHERICAL", "VINCENTY", "THOMAS", "ANDOYER", "KARNEY"  # by number; the first one if it is absent
CRS, ALGORITHM = 1, 2  # fields of GeometryType and GeographyType
SRIDS = {None: 4326, "": 4326, DEFAULT_CRS: 4326, "EPSG:4326": 4326}  # of Spark, by coordinate reference system
_UNKNOWN = "UNKNOWN_"


class _Geometry(Entry):
    name = "GEOMETRY"
    field_id = wire.LOGICAL_GEOMETRY
    widths = {BYTES: 0}
    table = "GeometryType"
    spark_name = "geometry"
    arrow_to_spark = spark_to_arrow = False
    has_boxes = True
    is_written = False

    def read(self, name, data, at):
        fields = {field[0]: field for field in kernels.thrift.fields(data, at)}
        return LogicalType(name, crs=read_text(data, fields.get(CRS)))

    def options(self, logical):
        return {} if logical.crs is None else {"crs": logical.crs}

    def parquet_text(self, logical):
        return escaped(self.catalog_text(logical))

    def catalog_text(self, logical):
        return f"{logical.name}({logical.crs})" if logical.crs else logical.name

    def parse(self, name, words):
        return LogicalType(name, crs=",".join(words) if words else None)

    def annotated_sql(self, logical):
        srid = SRIDS.get(logical.crs)
        return SqlText(None if srid is None else f"{self.name}({srid})", "GEOMETRY")

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

    def read(self, name, data, at):
        fields = {field[0]: field for field in kernels.thrift.fields(data, at)}
        number = read_integer(data, fields.get(ALGORITHM))
        known = number is not None and 0 <= number < len(ALGORITHMS)
        algorithm = None if number is None else ALGORITHMS[number] if known else f"{_UNKNOWN}{number}"
        return LogicalType(name, crs=read_text(data, fields.get(CRS)), algorithm=algorithm)

    def options(self, logical):
        algorithm = logical.algorithm
        if algorithm is None:
            return super().options(logical)
        known = algorithm in ALGORITHMS
        number = ALGORITHMS.index(algorithm) if known else int(algorithm.removeprefix(_UNKNOWN))
        return super().options(logical) | {"algorithm": number}

    def catalog_text(self, logical):
        if not logical.crs and logical.algorithm is None:
            return logical.name
        return f"{logical.name}({logical.crs or DEFAULT_CRS},{logical.algorithm or ALGORITHMS[0]})"

    def parse(self, name, words):
        if not words:
            return LogicalType(name)
        *crs, algorithm = words
        return LogicalType(name, crs=",".join(crs), algorithm=algorithm)

    def with_defaults(self, options):
        return {"crs": DEFAULT_CRS, "algorithm": 0} | options

    def from_table(self, get):
        return super().from_table(get) | {"algorithm": get("algorithm", 0)}

    def to_table(self, options):
        return super().to_table(options) | {"algorithm": options.get("algorithm", 0)}


ENTRIES = _Geometry(), _Geography()
