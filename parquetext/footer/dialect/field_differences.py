"""Compare a Thrift footer with a buffer of the dialect: fields that are lost, shortened, or different."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

from ... import kernels, thrift, wire
from ...errors import Unsupported
from ...logical_types import entry_named
from ..losses import Loss
from ..thrift_form import refuse_encrypted
from .annotations import annotation_of
from .from_thrift import METADATA as SAME_METADATA
from .from_thrift import encode, is_fully_dictionary_encoded
from .packed_bounds import Column
from .to_thrift import DICTIONARY_ONLY, Decoded

EXTENSION = {-16384, 32767}  # field ids that a Thrift library reads from the markers of extensions
FOOTER = ("version", "num_rows", "created_by")
ELEMENT = ("type", "type_length", "name", "num_children", "field_id")
ROW_GROUP = ("total_byte_size", "num_rows", "sorting_columns", "file_offset", "total_compressed_size", "ordinal")
METADATA = (
    "type",
    "path_in_schema",
    "num_values",
    *SAME_METADATA,
    "key_value_metadata",
    "bloom_filter_offset",
    "bloom_filter_length",
)
UNSET = {
    "created_by": "",
    "file_offset": 0,
    "total_compressed_size": 0,
    "num_children": 0,
    "repetition_type": 0,
    "bloom_filter_offset": 0,
    "bloom_filter_length": 0,
}  # values that the dialect does not distinguish from absent ones
DERIVED = {"total_compressed_size"}  # the Rust writer adds the sum if Thrift has none
TITLE = "the arrow dialect"


class Kind(StrEnum):
    """The kind of a difference."""

    LOST = "lost"
    SHORTENED = "shortened"
    DIFFERS = "differs"


class Difference(NamedTuple):
    """A field whose values differ; `thrift` or `dialect` is None if it is absent there."""

    kind: Kind
    field: str
    label: str
    thrift: Any
    dialect: Any


def losses_of(found: Iterable[Difference]) -> tuple[Loss, ...]:
    """Count the differences that are not contradictions, by field."""
    counted: dict[tuple[str, Kind], Loss] = {}
    for one in found:
        if one.kind is not Kind.DIFFERS:
            loss = counted.get((one.field, one.kind), Loss(TITLE, one.field, one.kind, 0, one.label))
            counted[one.field, one.kind] = replace(loss, count=loss.count + 1)
    return tuple(counted.values())


def prepare(footer) -> tuple[bytes, tuple[Loss, ...]]:
    """Return the buffer for a Thrift footer, and the parts that it omits.

    The buffer is read again and compared with the footer, so the losses are those of readers of the dialect.

    Parameters
    ----------
    footer : bytes-like
        A FileMetaData.

    Raises
    ------
    Malformed
        If the footer is damaged.
    Refused
        If it is encrypted or signed.
    Unsupported
        If the dialect cannot represent a field that readers need; see `encode`.

    Notes
    -----
    It takes about 0.3 ms per column chunk.
    """
    refuse_encrypted(kernels.scan.scan(footer))
    fields = thrift.read("FileMetaData", footer)
    buffer = encode(fields)
    found = list(differences(fields, Decoded(buffer)))
    for one in found:
        if one.kind is Kind.DIFFERS:
            raise Unsupported(
                f"{one.field} ({one.label}) would come out of the arrow dialect as {one.dialect!r:.80}, "
                f"not {one.thrift!r:.80}",
                code=wire.UNSUPPORTED_VALUE,
            )
    return buffer, losses_of(found)


def differences(footer: dict, decoded: Decoded) -> Iterator[Difference]:
    """Compare a FileMetaData, as `parquetext.thrift` reads it, with a buffer; row group by row group.

    Raises
    ------
    Damaged, Unsupported
        If the buffer cannot be read.
    """
    handled = {*FOOTER, "schema", "row_groups", "key_value_metadata", "column_orders"}
    yield from _rest("FileMetaData", "file", footer, handled | EXTENSION)
    yield from _same("FileMetaData", "file", FOOTER, footer, decoded.footer)
    yield from _key_values("FileMetaData", "file", footer, decoded.footer)
    yield from _schema(footer["schema"], decoded.footer["schema"])
    yield from _column_orders(footer, decoded)
    groups = footer["row_groups"]
    count = 0
    for count, found in enumerate(decoded.row_groups(), 1):
        if count > len(groups):
            break
        yield from _row_group(count - 1, groups[count - 1], found, decoded)
    if count != len(groups):
        yield Difference(Kind.DIFFERS, "FileMetaData.row_groups", "file", len(groups), count)


def _same(struct: str, label: str, names: Iterable[str], thrift: dict, dialect: dict) -> Iterator[Difference]:
    """Compare fields that the dialect stores unchanged."""
    for name in names:
        ours, theirs, unset = thrift.get(name), dialect.get(name), UNSET.get(name)
        if ours == theirs or (unset is not None and {ours, theirs} <= {None, unset}):
            continue
        if ours is None and name in DERIVED:
            continue
        yield Difference(Kind.LOST if theirs is None else Kind.DIFFERS, f"{struct}.{name}", label, ours, theirs)


def _rest(struct: str, label: str, thrift: dict, handled: set) -> Iterator[Difference]:
    """Report fields that the dialect lacks."""
    for name, value in thrift.items():
        if name not in handled:
            field = name if isinstance(name, str) else f"field {name}"
            yield Difference(Kind.LOST, f"{struct}.{field}", label, value, None)


def _key_values(struct: str, label: str, thrift: dict, dialect: dict) -> Iterator[Difference]:
    """Compare pairs in order; one writer omits those that are not text, another all those of chunks."""
    ours, theirs = thrift.get("key_value_metadata"), dialect.get("key_value_metadata")
    if ours == theirs:
        return
    left = iter(theirs or [])
    expected = next(left, None)
    for pair in ours or []:
        if pair == expected:
            expected = next(left, None)
        else:
            yield Difference(Kind.LOST, f"{struct}.key_value_metadata", f"{label}, key {pair.get('key')!r}", pair, None)
    if expected is not None:
        yield Difference(Kind.DIFFERS, f"{struct}.key_value_metadata", label, None, expected)


# ---- schema ------------------------------------------------------------------------------------------------------


def _schema(thrift: list[dict], dialect: list[dict]) -> Iterator[Difference]:
    if len(thrift) != len(dialect):
        yield Difference(Kind.DIFFERS, "FileMetaData.schema", "file", len(thrift), len(dialect))
        return
    for index, (ours, theirs) in enumerate(zip(thrift, dialect, strict=True)):
        position = f"schema element {index}"
        names = ELEMENT if index and "repetition_type" not in ours else (*ELEMENT, "repetition_type")
        yield from _same("SchemaElement", position, names, ours, theirs)
        yield from _annotation(position, ours, theirs)
        handled = {*ELEMENT, "repetition_type", "converted_type", "scale", "precision", "logicalType"}
        yield from _rest("SchemaElement", position, ours, handled)


def _annotation(label: str, thrift: dict, dialect: dict) -> Iterator[Difference]:
    ours, theirs = annotation_of(thrift), dialect.get("logicalType")
    if _plain(ours) != _plain(theirs):
        kind = Kind.LOST if theirs is None else Kind.DIFFERS
        yield Difference(kind, "SchemaElement.logicalType", label, ours, theirs)
    elif "converted_type" in thrift and thrift["converted_type"] != dialect.get("converted_type"):
        yield Difference(Kind.LOST, "SchemaElement.converted_type", label, thrift["converted_type"], None)
    elif not _has_precision(ours) and (thrift.get("scale") or thrift.get("precision")):
        yield Difference(Kind.LOST, "SchemaElement.precision", label, thrift.get("precision"), None)


def _has_precision(annotation: dict | None) -> bool:
    return any(each.field == "precision" for name in annotation or {} for each in entry_named(name).parameters)


def _plain(annotation: dict | None) -> tuple | None:
    """Return an annotation with the defaults of its absent parameters."""
    if not annotation:
        return None
    name, options = next(iter(annotation.items()))
    if not isinstance(options, dict):
        return name, options
    return name, entry_named(name).with_defaults(options)


def _column_orders(footer: dict, decoded: Decoded) -> Iterator[Difference]:
    ours, theirs = footer.get("column_orders") or [], decoded.footer.get("column_orders") or []
    for leaf in range(len(decoded.columns)):
        thrift, dialect = ((orders[leaf] if leaf < len(orders) else {}) for orders in (ours, theirs))
        if thrift != dialect:
            kind = Kind.DIFFERS if dialect else Kind.LOST
            position = f"column {decoded.name_of(leaf)}"
            yield Difference(kind, "FileMetaData.column_orders", position, thrift, dialect)


# ---- row groups --------------------------------------------------------------------------------------------------


def _row_group(index: int, thrift: dict, dialect: dict, decoded: Decoded) -> Iterator[Difference]:
    position = f"row group {index}"
    yield from _same("RowGroup", position, ROW_GROUP, thrift, dialect)
    yield from _rest("RowGroup", position, thrift, {*ROW_GROUP, "columns"})
    ours, theirs = thrift["columns"], dialect["columns"]
    if len(ours) != len(theirs):
        yield Difference(Kind.DIFFERS, "RowGroup.columns", position, len(ours), len(theirs))
        return
    for leaf, (chunk, found) in enumerate(zip(ours, theirs, strict=True)):
        yield from _chunk(
            f"{position}, column {decoded.name_of(leaf)}", chunk, found["meta_data"], decoded.columns[leaf]
        )


def _chunk(label: str, thrift: dict, dialect: dict, column: Column) -> Iterator[Difference]:
    if thrift.get("file_offset"):
        yield Difference(Kind.LOST, "ColumnChunk.file_offset", label, thrift["file_offset"], None)
    yield from _rest("ColumnChunk", label, thrift, {"file_offset", "meta_data"})
    metadata = thrift.get("meta_data")
    if metadata is None:
        yield Difference(Kind.DIFFERS, "ColumnChunk.meta_data", label, None, dialect)
        return
    yield from _rest("ColumnMetaData", label, metadata, {*METADATA, "statistics"})
    yield from _same(
        "ColumnMetaData", label, (name for name in METADATA if name != "key_value_metadata"), metadata, dialect
    )
    yield from _key_values("ColumnMetaData", label, metadata, dialect)
    if dialect.get("encoding_stats") == DICTIONARY_ONLY and not is_fully_dictionary_encoded(metadata):
        yield Difference(Kind.DIFFERS, "ColumnMetaData.is_fully_dict_encoded", label, False, True)
    yield from _statistics(label, metadata.get("statistics") or {}, dialect.get("statistics") or {}, column)


def _statistics(label: str, thrift: dict, dialect: dict, column: Column) -> Iterator[Difference]:
    yield from _same("Statistics", label, ("null_count", "distinct_count"), thrift, dialect)
    bounds = {f"{side}_value" for side in ("min", "max")} | {f"is_{side}_value_exact" for side in ("min", "max")}
    yield from _rest("Statistics", label, thrift, {"null_count", "distinct_count", *bounds})
    for side in ("min", "max"):
        name, flag = f"{side}_value", f"is_{side}_value_exact"
        ours, theirs = thrift.get(name), dialect.get(name)
        if theirs is not None and ours != theirs:
            kind = Kind.SHORTENED if _holds(side, ours, theirs, column, dialect.get(flag)) else Kind.DIFFERS
            yield Difference(kind, f"Statistics.{name}", label, ours, theirs)
        elif ours is not None and theirs is None:
            yield Difference(Kind.LOST, f"Statistics.{name}", label, ours, None)
        elif dialect.get(flag) and not thrift.get(flag):
            yield Difference(Kind.DIFFERS, f"Statistics.{flag}", label, thrift.get(flag), True)
        elif thrift.get(flag) and not dialect.get(flag):
            yield Difference(Kind.LOST, f"Statistics.{flag}", label, True, None)


def _holds(side: str, value: bytes | None, bound: bytes, column: Column, exact: bool | None) -> bool:
    """Return True if a different bound is still valid."""
    if value is None or exact or not column.can_be_shortened:
        return False
    return bound <= value if side == "min" else bound >= value
