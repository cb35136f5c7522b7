"""Check all of a modular footer, and compare it with the Thrift footer beside it."""

from __future__ import annotations

from typing import Any

from ... import kernels, wire
from ...errors import Damaged, ParquetextError
from ..jump_table.index_struct import element_paths
from .framing import FILE_METADATA, NAMES, PLACEMENT, SCHEMA, SCHEMA_INDEX, STATISTICS
from .modular_form import ModularForm

ARRAYS = (STATISTICS, PLACEMENT, SCHEMA_INDEX)  # modules that consist of arrays and flags
TEXTS = (2, 3, 4)  # of a column's statistics


def verify(form: ModularForm) -> None:
    """Check each byte of a footer that some reader may use: widths, counts, offsets, order, and padding.

    Raises
    ------
    Malformed, Damaged, Unsupported
        Offsets count from the file's start.
    """
    _check_overlaps(form)
    for kind in ARRAYS:
        if kind in form.modules:
            _at_module(form, kind, lambda data: kernels.modular.verify_struct(data))
    for kind in (SCHEMA, FILE_METADATA):
        if kind in form.modules:
            _at_module(form, kind, _check_length)
    for leaf in range(form.leaf_count):
        begin, data = form.statistics_of(leaf)
        if len(data):
            try:
                kernels.modular.verify_struct(data, TEXTS)
            except ParquetextError as error:
                raise error.at(None, form.offset_of(begin)) from None
        form.column(leaf)
    _check_dictionaries(form)
    _check_index(form)


def _at_module(form: ModularForm, kind: int, check: Any) -> None:
    try:
        check(form.module(kind))
    except ParquetextError as error:
        raise form.at_module(error, kind) from None


def _check_length(data) -> None:
    end = kernels.thrift.struct_end(data)
    if end != len(data):
        raise Damaged(f"a module of {len(data)} bytes, whose struct has {end}", offset=end, code=wire.STRAY_BYTES)


def _check_overlaps(form: ModularForm) -> None:
    """Check that no two modules share bytes."""
    last, name = 0, ""
    for (begin, length), kind in sorted((location, kind) for kind, location in form.modules.items()):
        if begin < last:
            message = f"the module {NAMES.get(kind, kind)} begins at {begin}, within the module {name}"
            raise _damaged(form, form.frame.root, message, last, begin)
        last, name = begin + length, NAMES.get(kind, str(kind))


def _damaged(form: ModularForm, at: int, message: str, expected: int, found: int) -> Damaged:
    return Damaged(message, offset=form.offset_of(at), expected=expected, found=found, code=wire.BAD_VALUE)


def _check_dictionaries(form: ModularForm) -> None:
    """Check that the chunks' dictionary pages are all of those listed: the chunks are read before."""
    expected = form.placement.dictionary_count
    found = sum(
        offset >= 0 for leaf in range(form.leaf_count) for offset in form.column(leaf).array("dictionary_page_offset")
    )
    if form.row_group_count and found != expected:
        message = f"{expected} dictionary pages of {found} chunks with a dictionary: one per chunk is supported"
        raise _damaged(form, form.modules[PLACEMENT][0], message, expected, found)


def _check_index(form: ModularForm) -> None:
    """Compare the index of the schema with the schema."""
    index, scan = form.schema_index, form.schema_scan
    if index is None:
        return
    at = form.modules[SCHEMA_INDEX][0]
    if index.elements != scan.element_count:
        message = f"the index has {index.elements} schema elements, the schema {scan.element_count}"
        raise _damaged(form, at, message, scan.element_count, index.elements)
    first = scan.elements("bytes_offset")[0] - form.first_element
    pairs: list[tuple[str, Any, Any]] = [
        ("offset", index.element_offset, [offset - first for offset in scan.elements("bytes_offset")]),
        ("parent", index.parent, [max(parent, 0) for parent in scan.elements("parent")]),
        ("leaf", index.leaf_element, list(scan.leaves)),
    ]
    for name, read, expected in pairs:
        for number, value in enumerate(expected):
            if read(number) != value:
                message = f"the {name} of entry {number} in the index of the schema is {read(number)}, not {value}"
                raise _damaged(form, at, message, value, read(number))
    paths = element_paths(scan)
    for leaf, element in enumerate(scan.leaves):
        if leaf not in index.candidates(paths[element]):
            message = f"the index of the schema does not lead to leaf {leaf}"
            raise _damaged(form, at, message, leaf, 0)
