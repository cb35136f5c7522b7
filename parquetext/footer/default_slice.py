"""Build a slice from the model alone, for forms that have no faster way."""

from __future__ import annotations

from collections.abc import Sequence

from .. import thrift, wire
from ..thrift import read, write
from .chunk_fields import Fields
from .form_spec import FormSpec
from .model import GROUP, FooterReader, Node

NO_OFFSET = -1
ARROW_SCHEMA = b"ARROW:schema"
METADATA = ("type", "codec", "num_values", "total_uncompressed_size", "total_compressed_size", "data_page_offset")


def default_slice(
    spec: FormSpec, reader: FooterReader, leaves: Sequence[int], row_groups: Sequence[int], *, key_values: bool = False
) -> bytes:
    """Build a Thrift footer for leaves and row groups, without statistics.

    Parameters
    ----------
    spec : FormSpec
        The reader's form.
    leaves, row_groups : sequence of int
        In the order of the new footer; the leaves ascend.
    key_values : bool
        Include all key-values, and not only that of the Arrow schema.
    """
    nodes = {leaf: reader.node(leaf) for leaf in leaves}
    chunks = [spec.column(reader, leaf, fields=Fields.PLACEMENT) for leaf in leaves]
    columns = [
        ([_text(name) for name in nodes[leaf].path.split(b"\0")], found)
        for leaf, found in zip(leaves, chunks, strict=True)
    ]
    counts = reader.row_groups("num_rows")
    pairs = [reader.key_value(index) for index in range(reader.key_value_count)]
    footer = {
        "version": reader.version,
        "schema": _elements(reader, nodes),
        "num_rows": sum(counts[number] for number in row_groups),
        "row_groups": [
            {
                "columns": [_chunk(path, found, number) for path, found in columns],
                "total_byte_size": sum(found.array("total_uncompressed_size")[number] for found in chunks),
                "num_rows": counts[number],
            }
            for number in row_groups
        ],
    }
    kept = [_pair(*pair) for pair in pairs if key_values or pair[0] == ARROW_SCHEMA]
    if kept:
        footer["key_value_metadata"] = kept
    if reader.created_by is not None:
        footer["created_by"] = _text(reader.created_by)
    return write("FileMetaData", footer)


def _elements(reader: FooterReader, leaves: dict[int, Node]) -> list[thrift.Fields]:
    """Return the schema elements of leaves and the groups above them, with the numbers of children that are left."""
    nodes = {GROUP: reader.node(GROUP), **leaves}
    children: dict[int, int] = {}
    for identity in leaves:
        while (parent := nodes[identity].parent) is not None:
            parent |= GROUP
            children[parent] = children.get(parent, 0) + 1
            if parent in nodes:
                break
            nodes[parent], identity = reader.node(parent), parent
    found = []
    for identity in sorted(nodes, key=lambda identity: nodes[identity].schema_index):
        element = read("SchemaElement", nodes[identity].thrift)
        if identity & GROUP:
            element["num_children"] = children.get(identity, 0)
        found.append(element)
    return found


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _pair(key: bytes, value: bytes | None) -> dict[str, str]:
    return {"key": _text(key)} if value is None else {"key": _text(key), "value": _text(value)}


def _chunk(path: list[str], found, number: int) -> dict:
    encodings = found.array("encodings")[number]
    metadata = {name: found.array(name)[number] for name in METADATA}
    metadata["path_in_schema"] = path
    metadata["encodings"] = [number for number in wire.NAMES_OF_ENCODING if encodings >> number & 1]
    dictionary = found.array("dictionary_page_offset")[number]
    if dictionary > NO_OFFSET:
        metadata["dictionary_page_offset"] = dictionary
    return {"file_offset": 0, "meta_data": metadata}
