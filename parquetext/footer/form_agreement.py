"""Compare the forms of one footer with each other, field by field."""

from __future__ import annotations

from collections.abc import Iterator

from .. import extension
from ..errors import ParquetextError
from ..findings import Finding
from .chunk_fields import FIELD_NAMES
from .copied_chunks import payload_in, table_of
from .form_spec import FormSpec
from .model import GROUP, FooterReader
from .row_groups import RowGroup
from .thrift_form import contents_of, key_values_of

CHUNK_FIELDS = tuple(name for names in FIELD_NAMES.values() for name in names)
KIND = "forms-differ"
SHORT_BOUND = 16


def compare_form(scan, reader: FooterReader, spec: FormSpec) -> Iterator[Finding]:
    """Compare every field that a form stores with the scanned Thrift footer."""
    try:
        yield from _compare(scan, reader, spec)
    except ParquetextError as error:
        yield Finding.of(spec.damaged, error, spec.title)


def _compare(scan, form: FooterReader, spec: FormSpec) -> Iterator[Finding]:
    counts = [
        ("version", scan.version, form.version),
        ("num_rows", scan.num_rows, form.num_rows),
        ("leaves", scan.leaf_count, form.leaf_count),
        ("row groups", scan.row_group_count, form.row_group_count),
        ("key-values", scan.key_value_count, form.key_value_count),
        ("created_by", scan.created_by, form.created_by),
    ]
    different = [
        Finding(KIND, f"{name}: Thrift says {thrift!r}, {spec.name} {other!r}")
        for name, thrift, other in counts
        if thrift != other
    ]
    yield from different
    if different:
        return
    yield from _compare_arrays("row group", RowGroup._fields, scan.row_groups, form.row_groups, spec)
    yield from _compare_key_values(scan, form)
    yield from _compare_schema(scan, form)
    for leaf in range(scan.leaf_count):
        yield from _compare_column(leaf, scan.column(leaf), form.column(leaf), getattr(form, "is_lossless", True), spec)
    if spec.has_slots:
        yield from compare_copy_table(scan, form, spec)


def compare_copy_table(scan, form: FooterReader, spec: FormSpec, *, may_lack: bool = False) -> Iterator[Finding]:
    """Compare the slot that refers to copies with the Thrift footer."""
    found = payload_in(form)
    if found != table_of(scan) and not (may_lack and found is None):
        yield Finding(KIND, "its table of copies differs from the table in the Thrift footer", place=spec.title)


def compare_rebuilt(footer, spec: FormSpec, payload, rebuilt: bytes | None = None) -> Iterator[Finding]:
    """Compare the Thrift footer rebuilt from a lossless payload, now or before, with the file's Thrift footer."""
    try:
        thrift, rebuilt = extension.strip(footer), spec.rebuild(payload) if rebuilt is None else rebuilt
    except ParquetextError:
        return  # another check reports it
    if rebuilt != thrift:
        pairs = enumerate(zip(thrift, rebuilt, strict=False))
        at = next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(thrift), len(rebuilt)))
        yield Finding(
            KIND, f"the Thrift footer rebuilt from the {spec.name} footer differs at byte {at}", place=spec.title
        )


def _compare_arrays(label: str, names: tuple[str, ...], thrift, form, spec: FormSpec) -> Iterator[Finding]:
    omitted = spec.omitted_of_row_groups if names is RowGroup._fields else spec.omitted_of_chunks
    for name in names:
        if name in omitted:
            continue
        ours, theirs = thrift(name), form(name)
        if ours != theirs:
            index = next(i for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b)
            yield Finding(
                KIND, f"{name} of entry {index}: Thrift says {ours[index]}, {spec.name} {theirs[index]}", place=label
            )


def _compare_column(leaf: int, thrift, form, is_lossless: bool, spec: FormSpec) -> Iterator[Finding]:
    position = f"leaf {leaf}"
    yield from _compare_arrays(position, CHUNK_FIELDS, thrift.array, form.array, spec)
    for index, (ours, theirs) in enumerate(zip(_bounds(thrift), _bounds(form), strict=True)):
        if None in ours and not spec.has_single_bounds:
            ours = None, None
        if ours != theirs and (is_lossless or not _is_shortened(ours, theirs)):
            yield Finding(
                KIND, f"bounds of row group {index}: Thrift says {ours}, {spec.name} {theirs}", place=position
            )


def _is_shortened(thrift: tuple[bytes | None, bytes | None], form: tuple[bytes | None, bytes | None]) -> bool:
    """Return True if bounds are equal, or are shortened bounds of long strings that are still valid."""
    (low, high), (lower, higher) = thrift, form
    short_low = low is not None and lower is not None and len(low) > SHORT_BOUND >= len(lower) and lower <= low
    short_high = high is not None and higher is not None and len(high) > SHORT_BOUND >= len(higher) and higher >= high
    return (low == lower or short_low) and (high == higher or short_high)


def _bounds(chunks) -> list[tuple[bytes | None, bytes | None]]:
    return list(zip(chunks.bound_values(1), chunks.bound_values(2), strict=True))


def _compare_key_values(scan, form) -> Iterator[Finding]:
    for index, pair in enumerate(key_values_of(scan)):
        if pair != form.key_value(index):
            yield Finding(KIND, f"key-value {index} ({pair[0][:40]!r}) differs", place="key-values")


def _compare_schema(scan, form) -> Iterator[Finding]:
    orders, leaves, structs = scan.elements("column_order"), scan.leaves, [*contents_of(scan, scan.elements, "bytes")]
    groups = sorted(set(range(scan.element_count)) - set(leaves))
    ids = [*enumerate(leaves), *((GROUP | node, element) for node, element in enumerate(groups))]
    for identity, element in ids:
        node = form.node(identity)
        position = f"schema element {element}"
        if bytes(node.thrift) != structs[element]:
            yield Finding(KIND, "the SchemaElement differs", place=position)
        if node.schema_index != element or node.column_order != orders[element]:
            yield Finding(KIND, "its position or column order differs", place=position)
