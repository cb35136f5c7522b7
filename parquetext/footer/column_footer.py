"""Write the Thrift footer of one leaf with the complete metadata of its chunks, for pyarrow's metadata objects.

A slice omits statistics, because reading values does not need them; this footer keeps every field of a chunk.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import kernels, wire
from ..thrift import binary, integer, list_header, read, write
from .arrow_errors import ArrowUnsupported
from .elements import parse_element
from .forms import spec_of
from .model import GROUP, FooterReader, Node
from .names import as_path
from .skeleton import column_order

PATH_IN_SCHEMA = (wire.COLUMN_CHUNK_META_DATA, wire.COLUMN_META_DATA_PATH_IN_SCHEMA)


def chunk_structs(form: FooterReader, leaf: int, first: int, count: int) -> list[bytes] | None:
    """Return the ColumnChunk structs of a leaf in row groups ``[first, first + count)``, or None."""
    spec = spec_of(form)
    return None if spec is None else spec.chunk_structs(form, leaf, first, count)


def column_footer(form: FooterReader, leaf: int, first: int, count: int) -> bytes | None:
    """Return a FileMetaData with `leaf` as its only column, in row groups ``[first, first + count)``.

    Groups above the leaf have no annotations, because pyarrow rejects an incomplete map. Row groups have their number
    of rows and the chunk, but no sizes. Return None if the form does not store Thrift structs of chunks.
    """
    structs = chunk_structs(form, leaf, first, count)
    if structs is None:
        return None
    rows, node, created_by = form.row_groups("num_rows"), form.node(leaf), form.created_by
    elements = [*_groups_above(form, node), node.thrift]
    parts = [b"\x15", integer(form.version), b"\x19", list_header(len(elements)), *elements]
    parts += [b"\x16", integer(form.num_rows), b"\x19", list_header(len(structs))]
    for index, struct in enumerate(structs):
        parts += [b"\x19", list_header(1), _with_path(struct, node), b"\x16\0\x16", integer(rows[first + index]), b"\0"]
    last = wire.FILE_META_DATA_ROW_GROUPS
    if created_by is not None:
        parts += [b"\x28", binary(created_by)]
        last = wire.FILE_META_DATA_CREATED_BY
    if node.column_order:
        header = wire.FILE_META_DATA_COLUMN_ORDERS - last << 4 | wire.TYPE_LIST
        parts += [bytes([header]), list_header(1), column_order(node.column_order)]
    return b"".join([*parts, b"\0"])


def _with_path(struct: bytes, node: Node) -> bytes:
    """Return a ColumnChunk with its path_in_schema: pyarrow requires it, and writers may omit it."""
    if kernels.thrift.path(struct, PATH_IN_SCHEMA) is not None:
        return struct
    fields = read("ColumnChunk", struct)
    metadata = fields.get("meta_data")
    if not isinstance(metadata, dict):
        return struct
    return write("ColumnChunk", fields | {"meta_data": metadata | {"path_in_schema": [*as_path(node.path)]}})


def schema_footer(form: FooterReader) -> bytes:
    """Return a FileMetaData with the whole schema and all key-values, but without row groups."""
    base = form.slice(range(form.leaf_count), [], arrow_schema=False)
    pairs = [form.key_value(index) for index in range(form.key_value_count)]
    if not pairs:
        return base
    structs = [b"".join(b"\x18" + binary(text) for text in pair if text is not None) + b"\0" for pair in pairs]
    end = next(field[4] for field in kernels.thrift.fields(base) if field[0] == wire.FILE_META_DATA_ROW_GROUPS)
    follows = base[end] - 0x10 if base[end] else 0  # its field id now counts from the key-values
    return b"".join((base[:end], b"\x19", list_header(len(pairs)), *structs, bytes([follows]), base[end + 1 :]))


def _groups_above(form: FooterReader, node: Node) -> list[bytes]:
    """Return SchemaElements for the groups above a leaf, the root first: repetition, a name, one child."""
    found = []
    while node.parent is not None:
        node = form.node(GROUP | node.parent)
        repetition = parse_element(node.thrift).repetition
        head = b"" if repetition is None or node.parent is None else b"\x35" + integer(repetition)
        found.append(b"".join((head, b"\x18" if head else b"\x48", b"\x05group\x15\x02\0")))
    return found[::-1]


def other_file(form: FooterReader, leaf: int, row_group: int) -> str:
    """Return the path that a chunk stores for the file with its values."""
    struct = (chunk_structs(form, leaf, row_group, 1) or [b"\0"])[0]
    path = read("ColumnChunk", struct).get("file_path", "")
    return path.decode("utf-8", "replace") if isinstance(path, bytes) else path


def check_here(
    form: FooterReader, leaves: Sequence[int], row_groups: Sequence[int], numbers: Sequence[int] | None = None
) -> None:
    """Raise an error if the values of a chunk of these leaves and row groups are in another file.

    Parameters
    ----------
    form : FooterReader
        A footer, or a slice of one.
    leaves, row_groups : sequence of int
        Of the form.
    numbers : sequence of int, optional
        Numbers of the row groups in the file, if the form is a slice.

    Raises
    ------
    ArrowUnsupported
        The error names the row group, the column and the other file.
    """
    for leaf in leaves:
        present = form.column(leaf).array("present")
        for position, row_group in enumerate(row_groups):
            if present[row_group] & wire.PRESENT_FILE_PATH:
                name = ".".join(as_path(form.node(leaf).path))
                number = int(row_group if numbers is None else numbers[position])
                path = other_file(form, leaf, row_group)
                raise ArrowUnsupported(
                    f"row group {number}, column {name}: the values are in another file, {path!r}; read that one, "
                    "or the dataset"
                )
