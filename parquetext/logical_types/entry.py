"""The base class of the entries in the registry of logical types."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from .. import kernels, wire
from .annotation import LogicalType, Parameter, SortOrder, SqlText


class Entry:
    """Everything that depends on a logical type. Each entry is an instance of a subclass.

    The methods that take an annotation expect that it fits its physical type (`fits`), except where noted.

    Attributes
    ----------
    name : str or None
        The name of the annotation; None for types without one.
    field_id : int or None
        The field in parquet.thrift's union LogicalType.
    converted : mapping of int to LogicalType
        The ConvertedTypes with the same meaning.
    old_converted : frozenset of int
        More ConvertedTypes that readers treat as this type. They are not printed.
    widths : mapping of int to int
        The physical types that the annotation fits, and the length in bytes that FIXED_LEN_BYTE_ARRAY must have (0:
        any).
    order : SortOrder
        The order of the values in statistics. The kernels implement it.
    parameters : tuple of Parameter
        In the order in which they are printed.
    arrow_type, bounds_reading, spark_type, questdb_type : optional
        The results of `arrow`, `reading`, `spark` and `questdb`, if they are the same for all parameters.
    sql : mapping of pyarrow.DataType to SqlText
        The Arrow types that are written as this type, and their names in SQL.
    table : str
        The table of the parameters in the public FlatBuffers footer.
    spark_name : str
        The name of the type's class in Spark, if Arrow and Spark represent its values differently.
    arrow_to_spark, spark_to_arrow : bool
        True if Spark accepts such columns from Arrow, and if Spark reads files that Arrow writes of them.
    is_text : bool
        True for UTF-8.
    is_timestamp : bool
    is_list, is_map : bool
        True for groups with repeated children.
    is_written : bool
        False if pyarrow does not write the annotation.
    has_boxes : bool
        True if chunks have bounding boxes of the values, which are well-known binary.
    """

    name: str | None = None
    field_id: int | None = None
    converted: Mapping[int, LogicalType] = {}
    old_converted: frozenset[int] = frozenset()
    widths: Mapping[int, int] = {}
    order = SortOrder.UNDEFINED
    parameters: tuple[Parameter, ...] = ()
    arrow_type: pa.DataType | None = None
    bounds_reading: int | None = None
    spark_type: str | None = None
    questdb_type: str | None = None
    sql: Mapping[pa.DataType, SqlText] = {}
    table = "Empty"
    spark_name = ""
    arrow_to_spark = spark_to_arrow = True
    is_text = is_timestamp = is_list = is_map = has_boxes = False
    is_written = True

    def fits(self, logical: LogicalType | None, physical: int, width: int) -> bool:
        """Return True if the annotation is valid for a physical type of this width in bytes."""
        return self.widths.get(physical) in (0, width)

    def sort_order(self, logical: LogicalType | None) -> SortOrder:
        """Return the order of the values in statistics."""
        return self.order

    # ---- Thrift and FlatBuffers ----------------------------------------------------------------------------------

    def read(self, name: str, data: bytes, at: int) -> LogicalType:
        """Read the member of the Thrift union LogicalType at an offset."""
        fields = {field[0]: field for field in kernels.thrift.fields(data, at)} if self.parameters else {}
        return LogicalType(
            name, **{each.attribute: each.kind.read(data, fields.get(each.id)) for each in self.parameters}
        )

    def options(self, logical: LogicalType) -> dict:
        """Return the parameters as `thrift.values` reads them."""
        return {
            each.field: each.kind.to_thrift(getattr(logical, each.attribute))
            for each in sorted(self.parameters, key=lambda each: each.id)
        }

    def converted_type(self, options: dict) -> int | None:
        """Return the ConvertedType with the same meaning as parameters of `thrift.values`; None if there is none."""
        meanings = ((number, self.options(logical)) for number, logical in self.converted.items())
        return next((number for number, meaning in meanings if meaning == options), None)

    def with_defaults(self, options: dict) -> dict:
        """Add the defaults of absent parameters to the parameters of `thrift.values`."""
        return options

    def from_table(self, get) -> dict:
        """Return the parameters for `thrift.values` from ``get(slot, default)`` of the public FlatBuffers footer.

        Raises
        ------
        Unsupported
            If parquet.thrift has no such value.
        """
        return {
            each.field: each.kind.from_slot(get(each.slot, each.default))
            for each in sorted(self.parameters, key=lambda each: each.id)
        }

    def to_table(self, options: dict) -> dict:
        """Return the fields of the public FlatBuffers footer for parameters of `thrift.values`.

        Raises
        ------
        Unsupported
            If the footer has no such value.
        """
        return {each.slot: each.kind.to_slot(options.get(each.field, 0)) for each in self.parameters}

    # ---- Arrow ---------------------------------------------------------------------------------------------------

    def arrow(self, logical: LogicalType | None, width: int) -> pa.DataType | None:
        """Return the Arrow type of the values; None if it is that of the physical type."""
        return self.arrow_type

    def reading(self, logical: LogicalType | None, physical: int | None, width: int) -> int | None:
        """Return how the catalog reads bounds (``wire.READING_…``); None if as those of the physical type.

        The annotation need not fit.
        """
        return self.bounds_reading if physical in self.widths else None

    # ---- text ----------------------------------------------------------------------------------------------------

    def parquet_text(self, logical: LogicalType) -> str:
        """Format an annotation as parquet-java does: ``TIMESTAMP(MICROS,true)``."""
        return _with_arguments(
            logical.name, [each.kind.text(getattr(logical, each.attribute)) for each in self.parameters]
        )

    def catalog_text(self, logical: LogicalType) -> str:
        """Format an annotation with its parameters: ``TIMESTAMP(us,utc)``."""
        return _with_arguments(logical.name, [each.word(getattr(logical, each.attribute)) for each in self.parameters])

    def parse(self, name: str, words: list[str]) -> LogicalType:
        """Parse the name and the arguments of `catalog_text`; raise ValueError or KeyError if that fails."""
        found = zip(self.parameters, words, strict=False)
        values = {parameter.attribute: parameter.parse(word) for parameter, word in found}
        if len(values) < len(self.parameters):
            raise ValueError(f"{name} has {len(self.parameters)} arguments")
        return LogicalType(name, **values)

    def sql_text(self, kind: pa.DataType) -> SqlText | None:
        """Return the names of an Arrow type in SQL; None if it belongs to another entry."""
        return self.sql.get(kind)

    def annotated_sql(self, logical: LogicalType) -> SqlText:
        """Return the names in SQL of an annotation for which Arrow has no type; empty if Arrow's type has the names."""
        return SqlText()

    def spark(self, logical: LogicalType | None, physical: int) -> str | None:
        """Return the type as which Spark reads Parquet, as in the JSON of Spark's schemas; None if it refuses."""
        return self.spark_type

    def questdb(self, logical: LogicalType | None, physical: int, width: int) -> str | None:
        """Return the name of QuestDB's type; None if it is that of the physical type."""
        return self.questdb_type


def _with_arguments(name: str, arguments: list[str]) -> str:
    return f"{name}({','.join(arguments)})" if arguments else name


INT32, INT64, INT96 = wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, wire.PHYSICAL_INT96
BYTES, FIXED = wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
