"""Derive Spark's schema of a file: from its key-values if Spark wrote it, else by the rules of Spark's reader."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

import pyarrow as pa
from pyspark.errors import PySparkTypeError
from pyspark.sql import types as T

from ... import wire
from ...errors import ColumnError, Unsupported
from ...footer.elements import Element, parse_element
from ...footer.leaf_types import PHYSICAL_TYPES
from ...footer.model import GROUP, FooterReader
from ...footer.names import as_path
from ...logical_types import container_of, entries, spark_type
from ..spark_types import as_arrow_schema, as_arrow_type, nullable, within

SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


def spark_schema(form: FooterReader, columns: Iterable[str] | None) -> T.StructType:
    """Return the schema that Spark reads from a file, or that of the given top-level columns which the file has.

    Raises
    ------
    Unsupported
        If Spark does not read a type from Parquet.
    ColumnError
        If a name is ambiguous.
    """
    whole = _stored_schema(form)
    if whole is not None:
        return whole if columns is None else T.StructType(_named(list(whole), columns))
    if columns is None:
        return T.StructType([child.field() for child in _Tree.whole(form).children])
    trees = [_Tree.of_column(form, name) for name in columns]
    found = [tree for tree in trees if tree is not None]
    if len(found) < len(trees):  # by another case, perhaps
        found = _named(_Tree.whole(form).children, columns)
    return T.StructType([tree.field() for tree in found])


def _stored_schema(form: FooterReader) -> T.StructType | None:
    """Return the schema that Spark stored; as in Spark's reader, None if it has types of a later version."""
    pairs = map(form.key_value, range(form.key_value_count))
    stored = next((value for key, value in pairs if key == SPARK_SCHEMA), None)
    try:
        return None if stored is None else nullable(T.StructType.fromJson(json.loads(stored)))
    except (ValueError, KeyError):
        return None


def arrow_schema(schema: T.StructType) -> pa.Schema:
    """Return the Arrow schema of the batches that Spark accepts.

    Raises
    ------
    Unsupported
        If Spark does not accept a type from Arrow.
    """
    for field in schema:
        alien = next((kind for kind in within(field.dataType) if not _is_of_arrow(kind)), None)
        if alien is not None:
            raise Unsupported(
                f"column {field.name!r}: Spark takes no {alien.simpleString()} from Arrow: name the "
                "other columns, or use spark.read.parquet"
            )
    return as_arrow_schema(schema)


def _is_of_arrow(kind: T.DataType) -> bool:
    if isinstance(kind, (T.StructType, T.ArrayType, T.MapType)):
        return True
    if any(entry.spark_name == kind.typeName() and not entry.arrow_to_spark for entry in entries()):
        return False
    try:
        return as_arrow_type(kind) is not None
    except PySparkTypeError:
        return False


def merged(one: T.DataType, other: T.DataType, path: str = "") -> T.DataType:
    """Merge the types of two files as the option `mergeSchema` does: fields of both, compared without regard to case.

    Raises
    ------
    Unsupported
        If the types of a column differ.
    """
    if isinstance(one, T.StructType) and isinstance(other, T.StructType):
        theirs = {field.name.lower(): field for field in other}
        fields = []
        for field in one:
            twin = theirs.pop(field.name.lower(), None)
            kind = field.dataType if twin is None else merged(field.dataType, twin.dataType, f"{path}{field.name}.")
            fields.append(T.StructField(field.name, kind, True, field.metadata))
        return T.StructType([*fields, *theirs.values()])
    if isinstance(one, T.ArrayType) and isinstance(other, T.ArrayType):
        return T.ArrayType(merged(one.elementType, other.elementType, path), True)
    if isinstance(one, T.MapType) and isinstance(other, T.MapType):
        return T.MapType(merged(one.keyType, other.keyType, path), merged(one.valueType, other.valueType, path), True)
    if one == other:
        return one
    if isinstance(one, T.DecimalType) and isinstance(other, T.DecimalType) and one.scale == other.scale:
        return max(one, other, key=lambda kind: kind.precision)
    raise Unsupported(f"column {path[:-1]!r} is {one.simpleString()} in one file and {other.simpleString()} in another")


def _named(fields: list, columns: Iterable[str]) -> list:
    """Return the fields with these names; if there is no such field, the one whose name differs only in case."""
    found = []
    for name in columns:
        alike = [field for field in fields if field.name == name] or [
            field for field in fields if field.name.lower() == name.lower()
        ]
        if len(alike) > 1:
            raise ColumnError(f"column {name!r} is ambiguous")
        found += alike
    return found


@lru_cache(maxsize=1 << 10)
def _type_of(text: str) -> T.DataType:
    """Parse the name of a type in the JSON of Spark's schemas."""
    return T.StructField.fromJson({"name": "", "type": text, "nullable": True, "metadata": {}}).dataType


class _Tree:
    """A schema element with its children."""

    def __init__(self, element: Element, name: str, is_leaf: bool):
        self.element, self.name, self.is_leaf = element, name, is_leaf
        self.children: list[_Tree] = []

    @classmethod
    def whole(cls, form: FooterReader) -> _Tree:
        """Return the tree of a whole schema."""
        return cls._built(form, [*range(form.leaf_count), *(GROUP | node for node in range(form.node_count))])

    @classmethod
    def of_column(cls, form: FooterReader, name: str) -> _Tree | None:
        """Return the tree of a top-level column, without reading other elements; None if there is no such column."""
        encoded = name.encode()
        found = [identity for identity in form.find_name(encoded) if form.node(identity).path == encoded]
        if len(found) > 1:
            raise ColumnError(f"column {name!r} is ambiguous")
        return cls._built(form, _below(form, found[0])) if found else None

    @classmethod
    def _built(cls, form: FooterReader, identities: Iterable[int]) -> _Tree:
        """Return the tree of elements; the first of them in the schema's order is the top."""
        nodes = sorted(
            ((form.node(identity), identity) for identity in identities), key=lambda pair: pair[0].schema_index
        )
        made: dict[int | None, _Tree] = {}
        trees: list[_Tree] = []
        for node, identity in nodes:
            tree = cls(parse_element(node.thrift), as_path(node.path)[-1], not identity & GROUP)
            if identity & GROUP:
                made[identity & ~GROUP] = tree
            if trees:
                made[node.parent].children.append(tree)
            trees.append(tree)
        return trees[0]

    def field(self) -> T.StructField:
        """Return the element as a column, or as a field of a struct."""
        if self.element.repetition == wire.REPETITION_REPEATED:
            return T.StructField(self.name, T.ArrayType(self.type(), True))
        return T.StructField(self.name, self.type())

    def type(self) -> T.DataType:
        """Return the type without regard to the repetition."""
        if self.is_leaf:
            return self._leaf()
        entry = container_of(self.element.logical, self.element.converted_type)
        if len(self.children) == 1:
            child = self.children[0]
            if entry.is_list and child.element.repetition == wire.REPETITION_REPEATED:
                return self._list(child)
            if entry.is_map:
                return self._map(child)
        if not entry.arrow_to_spark:
            raise self._refused(str(entry.name))
        return T.StructType([child.field() for child in self.children])

    def _list(self, repeated: _Tree) -> T.DataType:
        """Apply the rules for old lists: the repeated element may be the item, or a wrapper around it."""
        is_element = (
            not repeated.children
            or len(repeated.children) > 1
            or repeated.name == "array"
            or repeated.name == f"{self.name}_tuple"
        )
        return T.ArrayType(repeated.type() if is_element else repeated.children[0].field().dataType, True)

    def _map(self, entries: _Tree) -> T.DataType:
        if entries.element.repetition != wire.REPETITION_REPEATED or len(entries.children) != 2:
            raise self._refused(f"a map of {len(entries.children)} children")
        key, value = (child.field().dataType for child in entries.children)
        return T.MapType(key, value, True)

    def _leaf(self) -> T.DataType:
        physical, logical = self.element.type, self.element.logical
        if physical not in wire.NAMES_OF_TYPE:
            raise self._refused(f"physical type {physical}")
        found = spark_type(logical, physical, self.element.type_length or 0)
        if found is None:
            assert logical is not None  # without an annotation, Spark reads all physical types
            raise self._refused(f"{PHYSICAL_TYPES[physical]} ({logical.name})")
        return _type_of(found)

    def _refused(self, what: str) -> Unsupported:
        return Unsupported(
            f"column {self.name!r}: {what} is no type that Spark reads, or takes from Arrow; name the "
            "other columns, or read the file with spark.read.parquet"
        )


def _below(form: FooterReader, identity: int) -> list[int]:
    """Return a node and all nodes below it."""
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
