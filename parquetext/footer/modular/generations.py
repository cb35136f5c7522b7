"""Recognize the older generations of the modular footer by their structure: they have no mark, and differ in fields."""

from __future__ import annotations

from ... import kernels, wire
from ...errors import ParquetextError, Unsupported
from ...thrift import list_start

MODULES, KIND, LOCATION = 5, 1, 2
OLDEST_LOCATIONS = range(6, 12)  # fields of the first root: one for each module
PAGE_INDEX = "the page-header draft, whose root lists the locations of pages"
PLACEMENT = 1


def check_generation(payload, root: int, start: int) -> None:
    """Raise Unsupported if the root is that of an older generation; `start` is the payload's absolute offset.

    Bytes that are no struct are left to the reader of the root.
    """
    payload = memoryview(payload)
    try:
        name = _generation(payload, root, start)
    except (ParquetextError, IndexError):
        return
    if name:
        message = f"a modular footer of an older generation: {name}; this version reads row counts in the placement"
        raise Unsupported(message, offset=root, expected=4, code=wire.UNKNOWN_LAYOUT)


def _generation(payload: memoryview, root: int, start: int) -> str:
    """Return the description of an older generation, or an empty string."""
    fields = {field[0]: field for field in kernels.thrift.fields(payload, root)}
    if MODULES not in fields:
        is_list = 1 in fields and fields[1][1] == wire.TYPE_LIST
        return PAGE_INDEX if is_list and not _is_version(fields) else ""
    _, type, _, value, _ = fields[MODULES]
    if type != wire.TYPE_LIST:
        return ""
    if payload[value] & 15 == wire.TYPE_STRUCT:
        return ""
    if any(id in fields and fields[id][1] == wire.TYPE_STRUCT for id in OLDEST_LOCATIONS):
        return "the first one, of 2026-08-28, whose root has a field for each module"
    if 6 not in fields or fields[6][1] != wire.TYPE_LIST:
        return "its root has row counts, and no list of modules"
    is_page = _has_array_pages(payload, fields[6][3], root, start)
    if is_page:
        return "row counts in the root, and arrays as pages with parameters (magic MFP1 of the Rust reader)"
    return "row counts in the root, and arrays as in the present one"


def _is_version(fields: dict[int, tuple[int, int, int, int, int]]) -> bool:
    return fields[1][1] == wire.TYPE_I32


def _has_array_pages(payload: memoryview, modules: int, root: int, start: int) -> bool:
    """Return True if the first array of the placement has the bytes of its values in field 1."""
    count, at = list_start(payload, modules)
    offsets: dict[int, int] = {}
    for _ in range(count):
        entry = {field[0]: field for field in kernels.thrift.fields(payload, at)}
        kind, location = _number(payload, entry[KIND][3]), kernels.thrift.find(payload, 1, entry[LOCATION][3])
        if location is not None:
            offsets[kind] = _number(payload, location[3])
        at = kernels.thrift.struct_end(payload, at)
    base = start if max(offsets.values()) > root else 0
    arrays = kernels.thrift.fields(payload, offsets[PLACEMENT] - base)
    first = next(field for field in arrays if field[1] == wire.TYPE_STRUCT)
    data = kernels.thrift.find(payload, 1, first[3])
    return data is not None and data[1] == wire.TYPE_BINARY


def _number(payload: memoryview, at: int) -> int:
    return kernels.varint.zigzag_decode(kernels.varint.decode64(payload, at)[0])
