"""A file's schema as Parquet's own text, as Arrow's, and as SQL for Spark and DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from ...errors import Unsupported
from ...footer.elements import Element, parse_element
from ...footer.leaf_types import PHYSICAL_TYPES, REPETITIONS
from ...footer.model import GROUP, FooterReader
from ...footer.path_sizes import check_form
from ...footer.schema import named
from ...logical_types import parquet_text
from .sql import DUCKDB, SPARK, Dialect

INDENT = "  "


@dataclass(slots=True)
class Node:
    """A schema element with those below it."""

    element: Element
    children: list[Node] = field(default_factory=list)


def parquet_tree(form: FooterReader) -> Node:
    """Return the schema's root."""
    check_form(form, groups=True)
    ids = [*range(form.leaf_count), *(GROUP | node for node in range(form.node_count))]
    found = sorted((form.node(identity) for identity in ids), key=lambda node: node.schema_index)
    stack: list[Node] = []
    for node in found:
        depth = 0 if node.parent is None else node.path.count(b"\0") + 1
        made = Node(parse_element(node.thrift))
        del stack[depth:]
        if stack:
            stack[-1].children.append(made)
        stack.append(made)
    return stack[0]


def schema_text(file, form: str) -> str:
    """Return the schema as text.

    Parameters
    ----------
    file : parquetext.File
    form : {"parquet", "arrow", "spark", "duckdb"}

    Raises
    ------
    Unsupported
        The SQL dialect has no type for a column.
    """
    return FORMATS[form](file)


def schema_as_dict(file) -> dict:
    """Return the schema as nested dictionaries for JSON."""
    return _as_dict(file._on_form(parquet_tree))


def _as_dict(node: Node) -> dict:
    element = node.element
    found = {
        "name": element.name,
        "type": named(PHYSICAL_TYPES, element.type),
        "type_length": element.type_length,
        "repetition_type": named(REPETITIONS, element.repetition),
        "logical_type": None if element.logical is None else element.logical.as_dict(),
        "field_id": element.field_id,
    }
    kept = {name: value for name, value in found.items() if value is not None or name == "name"}
    return kept | ({"children": [_as_dict(child) for child in node.children]} if node.children else {})


def _parquet_text(file) -> str:
    root = file._on_form(parquet_tree)
    lines = [f"message {root.element.name or 'schema'} {{"]
    for child in root.children:
        lines += _lines(child, 1)
    return "\n".join((*lines, "}"))


def _lines(node: Node, depth: int) -> Iterator[str]:
    start = INDENT * depth + element_text(node)
    if not _is_group(node):
        yield f"{start};"
        return
    yield f"{start} {{"
    for child in node.children:
        yield from _lines(child, depth + 1)
    yield f"{INDENT * depth}}}"


def _is_group(node: Node) -> bool:
    return bool(node.children) or node.element.type is None


def element_text(node: Node) -> str:
    """Return one element, as parquet-tools prints it: ``optional int64 when (TIMESTAMP(MICROS,true)) = 7``."""
    element = node.element
    repetition = (named(REPETITIONS, element.repetition) or "required").lower()
    kind = (named(PHYSICAL_TYPES, None if node.children else element.type) or "group").lower()
    kind = "binary" if kind == "byte_array" else kind
    if element.type_length and kind == "fixed_len_byte_array":
        kind += f"({element.type_length})"
    logical = "" if element.logical is None else f" ({parquet_text(element.logical)})"
    number = "" if element.field_id is None else f" = {element.field_id}"
    return f"{repetition} {kind} {element.name}{logical}{number}"


def _arrow_text(file) -> str:
    schema: pa.Schema = file.schema
    return "\n".join(f"{each.name}: {each.type}{'' if each.nullable else ' not null'}" for each in schema)


def _sql(dialect: Dialect) -> Callable[[object], str]:
    def text(file) -> str:
        lines = []
        schema, nodes = file.schema, file._on_form(parquet_tree).children
        for each, node in zip(schema, nodes if len(nodes) == len(schema) else [None] * len(schema), strict=True):
            try:
                kind = dialect.type_of(each.type, node)
            except Unsupported as error:
                raise Unsupported(f"column {each.name!r}: {error.message}", file=str(file.path)) from None
            lines.append(f"{INDENT}{dialect.quoted(each.name)} {kind}{'' if each.nullable else ' NOT NULL'}")
        return dialect.statement(lines, str(file.path))

    return text


FORMATS: dict[str, Callable[[object], str]] = {
    "parquet": _parquet_text,
    "arrow": _arrow_text,
    "spark": _sql(SPARK),
    "duckdb": _sql(DUCKDB),
}
