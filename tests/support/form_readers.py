"""Asking a reader of a footer's form for all that it can say."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import pytest

from parquetext.errors import ParquetextError

from . import flat_footers as thrift
from .chunk_members import COUNTS, INDEXES, SIZES
from .flat_payloads import outcome

__all__ = ["EQUAL_NAMES", "FACTS", "GROUP", "assert_cuts_columns", "assert_finds_every_name", "assert_refuses_number"]
__all__ += ["chunk_fields", "everything_of", "module"]

GROUP = 0x80000000
FACTS = (
    *SIZES,
    *COUNTS,
    *INDEXES,
    "type",
    "codec",
    "present",
    "encodings",
    "min_value_offset",
    "min_value_length",
    "max_value_offset",
    "max_value_length",
)
ROW_GROUP_FACTS = ("num_rows", "total_byte_size", "file_offset", "total_compressed_size", "ordinal", "chunk_count")

EQUAL_NAMES = thrift.footer(
    [
        thrift.element(b"schema", children=3),
        thrift.element(b"a.b", type=1),
        thrift.element(b"a", children=1),
        thrift.element(b"b", type=1),
        thrift.element(b"a.b", type=1),
    ],
    [],
)
"""A footer without row groups, whose three leaves have the dotted name ``a.b``."""


def module(package: str, name: str):
    """A kernel module of one implementation."""
    try:
        return importlib.import_module(f"parquetext._{package}.{name}")
    except ImportError:
        pytest.skip("the compiled kernels are not built: nothing to compare the twin with")


def chunk_fields(chunks) -> dict:
    fields = {name: list(chunks.array(name)) for name in FACTS}
    bounds = [list(part) for part in chunks.bounds()]
    values = [chunks.bound_values(bit) for bit in (1, 2)]
    return fields | {"count": len(chunks), "buffer": bytes(chunks.buffer), "bounds": bounds, "values": values}


def column_facts(found: tuple | None) -> tuple | None:
    return found and (found[0], chunk_fields(found[1]))


def as_text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def node_facts(node) -> tuple:
    return (
        bytes(node.thrift),
        bytes(node.path),
        node.parent,
        node.schema_index,
        node.first_leaf,
        node.leaf_count,
        node.column_order,
        node.max_definition,
        node.max_repetition,
    )


def everything_of(open_reader: Callable) -> dict:
    """All that a reader can be asked, each answer or error by itself and of a reader that nobody has asked before."""
    reader = outcome(open_reader)
    if isinstance(reader, tuple):
        return {"open": reader}
    found = {
        name: getattr(reader, name)
        for name in ("version", "num_rows", "leaf_count", "node_count", "row_group_count", "key_value_count")
    }
    ids = [*range(reader.leaf_count), *(GROUP | node for node in range(reader.node_count))]

    def ask(question, work, *arguments):
        found[question, *arguments] = outcome(lambda: work(open_reader(), *arguments))

    for id in ids:
        ask("node", lambda reader, id: node_facts(reader.node(id)), id)
    names = {answer[1] for question, answer in found.items() if question[0] == "node" and len(answer) == 9}
    for name in sorted(names | {b"", b"no such name"}):
        ask("name", lambda reader, name: list(reader.find_name(name)), name)
        ask("column by name", lambda reader, name: column_facts(reader.find_column(name)), as_text(name))
    for field_id in range(-2, 4):
        ask("field id", lambda reader, field_id: list(reader.find_field_id(field_id)), field_id)
    for leaf in range(reader.leaf_count):
        ask("column", lambda reader, leaf: chunk_fields(reader.column(leaf)), leaf)
    for name in ROW_GROUP_FACTS:
        ask("row groups", lambda reader, name: list(reader.row_groups(name)), name)
    for row_group in range(reader.row_group_count):
        ask("sorting", lambda reader, row_group: list(map(tuple, reader.sorting_columns(row_group))), row_group)
    for index in range(reader.key_value_count):
        ask("key value", lambda reader, index: tuple(reader.key_value(index)), index)
    ask("created by", lambda reader: reader.created_by)
    ask(
        "slice",
        lambda reader: bytes(reader.slice(range(reader.leaf_count), range(reader.row_group_count), key_values=True)),
    )
    return found


def assert_finds_every_name(reader, columns: int) -> None:
    """The reader of a `flat_footers.wide_footer` finds the names of its columns, and no others."""
    assert [list(reader.find_name(b"c%d" % n)) for n in range(columns)] == [[n] for n in range(columns)]
    assert [list(reader.find_name(b"d%d" % n)) for n in range(50)] == [[]] * 50


def assert_cuts_columns(reader, row_groups: int) -> None:
    """The reader of a `flat_footers.wide_footer` returns whole columns, and the chunks of their last row groups."""
    assert list(reader.column(1).array("data_page_offset")) == [5] * row_groups
    assert list(reader.row_groups("num_rows")) == [1] * row_groups
    first = max(0, row_groups - 2)
    assert len(reader.column(0, first, row_groups - first)) == row_groups - first


def assert_refuses_number(reader, index: int) -> None:
    """The reader has no leaf, node, key-value or row group of this number; it may have a group."""
    for ask in (reader.column, reader.node, reader.key_value, reader.sorting_columns):
        if ask == reader.node and index == GROUP:
            continue
        with pytest.raises((ParquetextError, OverflowError)):
            ask(index)
