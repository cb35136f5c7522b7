"""Check that readers accept a footer: its required fields, its schema's Thrift elements, and ARROW:schema."""

from __future__ import annotations

import base64
from bisect import bisect_right
from collections.abc import Iterator

import pyarrow as pa

from ... import kernels
from ...escaping import is_utf8
from ...findings import Finding
from ...footer.pyarrow_footer import ARROW_SCHEMA, schema_of

KIND, ARROW_KIND = "schema", "arrow-schema"
MISSING, WITHOUT_PATH = "missing-field", "path-omitted"


def check_required(footer: bytes, scan, names, offset: int) -> Iterator[Finding]:
    """Yield the first field that readers require and a scanned footer lacks; `names` names the leaves."""
    missing, without_path = kernels.required.find_missing(footer)
    if missing is not None:
        message = f"a {missing.structure} without {missing.field} (field {missing.id}), which readers require"
        yield Finding(MISSING, message, offset + missing.offset, _chunk_at(scan, missing.offset, names))
    if without_path:
        message = f"{without_path} column chunks have no path_in_schema: pyarrow itself refuses such a file"
        yield Finding(WITHOUT_PATH, message, place="Thrift footer", is_note=True)


def _chunk_at(scan, offset: int, names) -> str:
    """Return the name of the column chunk that contains an offset of the footer."""
    starts, lengths = scan.chunks("chunk_offset"), scan.chunks("chunk_length")
    index = bisect_right(starts, offset) - 1
    if not scan.regular or index < 0 or offset >= starts[index] + lengths[index]:
        return "Thrift footer"
    row_group, leaf = divmod(index, scan.leaf_count)
    return f"row group {row_group}, column {names(scan)[leaf]}"


def check_schema(footer: bytes, scan, offset: int) -> Iterator[Finding]:
    """Yield findings about the schema of a scanned footer at `offset` of the file that readers refuse."""
    named = list(_check_names(footer, scan, offset))
    yield from named
    if not named:
        yield from _check_elements(footer, scan)
    yield from _check_arrow_schema(footer, scan, offset)


def _check_names(footer: bytes, scan, offset: int) -> Iterator[Finding]:
    positions = list(zip(scan.elements("name_offset"), scan.elements("name_length"), strict=True))
    if is_utf8(b"\0".join([footer[start : start + length] for start, length in positions])):
        return
    for start, length in positions:
        if not is_utf8(footer[start : start + length]):
            yield Finding(
                KIND, f"a name that is no UTF-8: {footer[start : start + length]!r}", offset + start, "schema"
            )


def _check_elements(footer: bytes, scan) -> Iterator[Finding]:
    """Check that pyarrow accepts the schema. Of columns that differ only in their names, one is checked."""
    try:
        schema_of(kernels.slice.slice_footer(scan, _telling_leaves(footer, scan), [], arrow_schema=False))
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        yield Finding(KIND, f"pyarrow refuses it: {str(error).strip()}", place="schema")


def _telling_leaves(footer: bytes, scan) -> list[int]:
    elements = zip(
        *(scan.elements(name) for name in ("parent", "bytes_offset", "name_offset", "name_length", "bytes_length")),
        strict=True,
    )
    leaves, alike = [], set()
    parts = list(elements)
    for leaf, element in enumerate(scan.leaves):
        parent, start, name, length, size = parts[element]
        if parent == 0:
            rest = footer[start:name] + footer[name + length : start + size]
            if rest in alike:
                continue
            alike.add(rest)
        leaves.append(leaf)
    return leaves


def _check_arrow_schema(footer: bytes, scan, offset: int) -> Iterator[Finding]:
    positions = [scan.key_values(name) for name in ("key_offset", "key_length", "value_offset", "value_length")]
    for key, key_length, value, length in zip(*positions, strict=True):
        if footer[key : key + key_length] != ARROW_SCHEMA:
            continue
        try:
            pa.ipc.read_schema(pa.BufferReader(base64.b64decode(footer[value : value + length], validate=True)))
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            yield Finding(ARROW_KIND, f"pyarrow refuses it: {str(error).strip()}", offset + value, "ARROW:schema")
        return
