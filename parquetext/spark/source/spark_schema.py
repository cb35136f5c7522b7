"""Spark's schema of a Parquet file: as its key-values have it where Spark wrote it, else by the rules of its reader."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pyarrow as pa
from pyspark.errors import PySparkTypeError
from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from ... import wire
from ...errors import ColumnError, Unsupported
from ...footer.elements import Element, parse_element
from ...footer.leaf_types import LONG_TIMESTAMP, PHYSICAL_TYPES
from ...footer.model import GROUP, FooterReader
from ...footer.names import as_path
from ..spark_types import within

__all__ = ["SPARK_SCHEMA", "arrow_schema", "merged", "nullable", "spark_schema"]

SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
MAX_PRECISION = 38
_STRUCTS_OF_ARROW = ("variant", "geometry", "geography")  # stored otherwise than Arrow's structs have them
_PLAIN = {
    wire.PHYSICAL_BOOLEAN: BooleanType(),
    wire.PHYSICAL_INT32: IntegerType(),
    wire.PHYSICAL_INT64: LongType(),
    wire.PHYSICAL_INT96: TimestampType(),
    wire.PHYSICAL_FLOAT: FloatType(),
    wire.PHYSICAL_DOUBLE: DoubleType(),
    wire.PHYSICAL_BYTE_ARRAY: BinaryType(),
    wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY: BinaryType(),
}
_INTEGERS = {
    (8, True): ByteType(),
    (16, True): ShortType(),
    (32, True): IntegerType(),
    (64, True): LongType(),
    (8, False): ShortType(),
    (16, False): IntegerType(),
    (32, False): LongType(),
    (64, False): DecimalType(20, 0),
}
_OF_BYTES = {"STRING": StringType(), "ENUM": StringType(), "JSON": StringType(), "BSON": BinaryType()}


def spark_schema(form: FooterReader, columns: Iterable[str] | None) -> StructType:
    """What Spark makes of a file's schema, or of those of some top-level columns that are there.

    Raises
    ------
    Unsupported
        A type that Spark does not read from Parquet.
    ColumnError
        A name is ambiguous.
    """
    stored = next(
        (value for key, value in map(form.key_value, range(form.key_value_count)) if key == SPARK_SCHEMA), None
    )
    if stored is not None:
        whole = nullable(StructType.fromJson(json.loads(stored)))
        return whole if columns is None else StructType(_named(list(whole), columns))
    if columns is None:
        return StructType([child.field() for child in _Tree.whole(form).children])
    found = [_Tree.of_column(form, name) for name in columns]
    if None in found:  # by another case, perhaps
        found = _named(_Tree.whole(form).children, columns)
    return StructType([tree.field() for tree in found])


def nullable(kind: DataType) -> DataType:
    """The same with everything nullable, as Spark reads Parquet."""
    if isinstance(kind, StructType):
        return StructType([StructField(field.name, nullable(field.dataType), True, field.metadata) for field in kind])
    if isinstance(kind, ArrayType):
        return ArrayType(nullable(kind.elementType), True)
    return MapType(nullable(kind.keyType), nullable(kind.valueType), True) if isinstance(kind, MapType) else kind


def arrow_schema(schema: StructType) -> pa.Schema:
    """As Spark takes Arrow batches of it.

    Raises
    ------
    Unsupported
        A type that Spark does not take from Arrow.
    """
    for field in schema:
        alien = next((kind for kind in within(field.dataType) if not _is_of_arrow(kind)), None)
        if alien is not None:
            raise Unsupported(
                f"column {field.name!r}: Spark takes no {alien.simpleString()} from Arrow: name the "
                "other columns, or use spark.read.parquet"
            )
    return to_arrow_schema(schema, timezone="UTC")


def _is_of_arrow(kind: DataType) -> bool:
    if isinstance(kind, (StructType, ArrayType, MapType)):
        return True
    if kind.typeName() in _STRUCTS_OF_ARROW:
        return False
    try:
        return to_arrow_type(kind, timezone="UTC") is not None
    except PySparkTypeError:
        return False


def merged(one: DataType, other: DataType, path: str = "") -> DataType:
    """Two files' types as one, as `mergeSchema` has it: fields of both, by name without regard to case.

    Raises
    ------
    Unsupported
        The types of a column differ.
    """
    if isinstance(one, StructType) and isinstance(other, StructType):
        theirs = {field.name.lower(): field for field in other}
        fields = []
        for field in one:
            twin = theirs.pop(field.name.lower(), None)
            kind = field.dataType if twin is None else merged(field.dataType, twin.dataType, f"{path}{field.name}.")
            fields.append(StructField(field.name, kind, True, field.metadata))
        return StructType([*fields, *theirs.values()])
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        return ArrayType(merged(one.elementType, other.elementType, path), True)
    if isinstance(one, MapType) and isinstance(other, MapType):
        return MapType(merged(one.keyType, other.keyType, path), merged(one.valueType, other.valueType, path), True)
    if one == other:
        return one
    if isinstance(one, DecimalType) and isinstance(other, DecimalType) and one.scale == other.scale:
        return max(one, other, key=lambda kind: kind.precision)
    raise Unsupported(f"column {path[:-1]!r} is {one.simpleString()} in one file and {other.simpleString()} in another")


def _named(fields: list, columns: Iterable[str]) -> list:
    """Those of the fields that are named so, or if there is none, the one that differs by case alone."""
    found = []
    for name in columns:
        alike = [field for field in fields if field.name == name] or [
            field for field in fields if field.name.lower() == name.lower()
        ]
        if len(alike) > 1:
            raise ColumnError(f"column {name!r} is ambiguous")
        found += alike
    return found


class _Tree:
    """A schema element with its children."""

    def __init__(self, element: Element, name: str, is_leaf: bool):
        self.element, self.name, self.is_leaf = element, name, is_leaf
        self.children: list[_Tree] = []

    @classmethod
    def whole(cls, form: FooterReader) -> _Tree:
        """All of a schema, under its root."""
        return cls._built(form, [*range(form.leaf_count), *(GROUP | node for node in range(form.node_count))])

    @classmethod
    def of_column(cls, form: FooterReader, name: str) -> _Tree | None:
        """A top-level column, for which no other element is read; None where there is none."""
        encoded = name.encode()
        found = [identity for identity in form.find_name(encoded) if form.node(identity).path == encoded]
        if len(found) > 1:
            raise ColumnError(f"column {name!r} is ambiguous")
        return cls._built(form, _below(form, found[0])) if found else None

    @classmethod
    def _built(cls, form: FooterReader, identities: Iterable[int]) -> _Tree:
        """The tree of elements, the first of which in the schema's order is the top."""
        nodes = sorted(
            ((form.node(identity), identity) for identity in identities), key=lambda pair: pair[0].schema_index
        )
        made: dict[int, _Tree] = {}
        top = None
        for node, identity in nodes:
            tree = cls(parse_element(node.thrift), as_path(node.path)[-1], not identity & GROUP)
            if identity & GROUP:
                made[identity & ~GROUP] = tree
            if top is None:
                top = tree
            else:
                made[node.parent].children.append(tree)
        return top

    def field(self) -> StructField:
        """As a column or a member."""
        if self.element.repetition == wire.REPETITION_REPEATED:
            return StructField(self.name, ArrayType(self.type(), True))
        return StructField(self.name, self.type())

    def type(self) -> DataType:
        """Without regard to the repetition."""
        if self.is_leaf:
            return self._leaf()
        name = None if self.element.logical is None else self.element.logical.name
        if (
            name == "LIST"
            and len(self.children) == 1
            and self.children[0].element.repetition == wire.REPETITION_REPEATED
        ):
            return self._list(self.children[0])
        if (name == "MAP" or self.element.converted_type == wire.CONVERTED_MAP_KEY_VALUE) and len(self.children) == 1:
            return self._map(self.children[0])
        if name == "VARIANT":
            raise self._refused(name)
        return StructType([child.field() for child in self.children])

    def _list(self, repeated: _Tree) -> DataType:
        """By the rules for old lists: the repeated element is the list's own where it can be nothing else."""
        is_element = (
            not repeated.children
            or len(repeated.children) > 1
            or repeated.name == "array"
            or repeated.name == f"{self.name}_tuple"
        )
        return ArrayType(repeated.type() if is_element else repeated.children[0].field().dataType, True)

    def _map(self, entries: _Tree) -> DataType:
        if entries.element.repetition != wire.REPETITION_REPEATED or len(entries.children) != 2:
            raise self._refused(f"a map of {len(entries.children)} children")
        key, value = (child.field().dataType for child in entries.children)
        return MapType(key, value, True)

    def _leaf(self) -> DataType:
        physical, logical = self.element.type, self.element.logical
        name = None if logical is None else logical.name
        if name is None or name == "UNKNOWN":
            plain = _PLAIN.get(physical)
            if plain is None:
                raise self._refused(f"physical type {physical}")
            return plain
        if name == "DECIMAL" and physical in (
            wire.PHYSICAL_INT32,
            wire.PHYSICAL_INT64,
            wire.PHYSICAL_BYTE_ARRAY,
            wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY,
        ):
            if logical.precision <= MAX_PRECISION:
                return DecimalType(logical.precision, logical.scale)
        elif physical == wire.PHYSICAL_BYTE_ARRAY and name in _OF_BYTES:
            return _OF_BYTES[name]
        elif name == "INTEGER" and physical == (wire.PHYSICAL_INT64 if logical.bits == 64 else wire.PHYSICAL_INT32):
            return _INTEGERS[logical.bits, logical.signed]
        elif name == "DATE" and physical == wire.PHYSICAL_INT32:
            return DateType()
        elif name == "TIMESTAMP" and self._is_timestamp(physical) and logical.unit in ("ms", "us"):
            return TimestampType() if logical.utc else TimestampNTZType()
        raise self._refused(f"{PHYSICAL_TYPES[physical]} ({name})")

    def _is_timestamp(self, physical: int) -> bool:
        """Test that timestamps can be stored as this physical type: INT64 or FIXED_LEN_BYTE_ARRAY(12)."""
        is_long = physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and self.element.type_length == LONG_TIMESTAMP
        return physical == wire.PHYSICAL_INT64 or is_long

    def _refused(self, what: str) -> Unsupported:
        return Unsupported(
            f"column {self.name!r}: {what} is no type that Spark reads, or takes from Arrow; name the "
            "other columns, or see what spark.read.parquet makes of it"
        )


def _below(form: FooterReader, identity: int) -> list[int]:
    """A node and all that is below it."""
    if not identity & GROUP:
        return [identity]
    node = form.node(identity)
    prefix = node.path + b"\0"
    groups = (GROUP | other for other in range((identity & ~GROUP) + 1, form.node_count))
    inside = []
    for group in groups:
        if not form.node(group).path.startswith(prefix):
            break
        inside.append(group)
    return [identity, *inside, *range(node.first_leaf, node.first_leaf + node.leaf_count)]
