"""Everything that a reader of a footer answers, in a form that can be compared between two readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from support.chunk_members import COUNTS, INDEXES, SIZES
from support.form_readers import GROUP, node_facts

import parquetext
from parquetext import kernels, wire
from parquetext.errors import ParquetextError

__all__ = ["FileAnswers", "Outcome", "answers_of", "file_answers", "implementations", "opened", "outcome"]

FACTS = (*SIZES, *COUNTS, *INDEXES, "type", "codec", "present", "encodings")
ROW_GROUP_FACTS = ("num_rows", "total_byte_size", "file_offset", "total_compressed_size", "ordinal", "chunk_count")
COUNTED = ("version", "num_rows", "leaf_count", "node_count", "row_group_count", "key_value_count", "created_by")
FIRST, MOST = 6, 12  # of columns and of nodes, so that a wide footer does not slow the fuzzing down

Outcome = tuple[str, Any]
FileAnswers = dict[str, Outcome]


def outcome(ask: Callable, *arguments, **options) -> Outcome:
    """Return a call's result, or its error, which has to be of this package."""
    try:
        return "result", ask(*arguments, **options)
    except ParquetextError as error:
        return "error", error


def opened(data: bytes, form: str | None = None) -> Outcome:
    """Return the open file or the error."""
    return outcome(parquetext.open, data, form=form)


def implementations(both: bool) -> Iterator[str]:
    """Yield the names of the kernels while they are in use: those of this process, and with `both` the twin."""
    before = kernels.implementation()
    try:
        for name in dict.fromkeys((before, "pure")) if both else (before,):
            kernels.use(name)
            yield name
    finally:
        kernels.use(before)


def some(count: int) -> list[int]:
    """Return a few numbers below a count: the first ones, and the last."""
    return sorted({*range(min(count, FIRST)), *range(max(0, count - 1), count)})


def chunk_answers(chunks) -> dict[str, list]:
    """Return the members of chunks, and their bounds as bytes; positions of bounds differ between readers."""
    fields = {name: list(chunks.array(name)) for name in FACTS}
    fields["present"] = [bits & ~wire.PRESENT_PATH_IN_SCHEMA for bits in fields["present"]]  # which readers add
    return fields | {f"bound {bit}": list(chunks.bound_values(bit)) for bit in (1, 2)} | {"count": [len(chunks)]}


def answers_of(reader) -> Iterator[tuple[tuple, Outcome]]:
    """Yield questions with the answers of a reader."""
    yield ("counts",), outcome(lambda: [getattr(reader, name) for name in COUNTED])
    leaves, row_groups = some(reader.leaf_count), some(reader.row_group_count)
    names = {b"", b"no such name"}
    for identity in [*leaves, *(GROUP | node for node in some(reader.node_count))]:
        found = outcome(lambda identity=identity: node_facts(reader.node(identity)))
        yield ("node", identity), found
        if found[0] == "result":
            names |= {found[1][1], found[1][1].replace(b"\0", b"."), found[1][1].swapcase()}
    for name in sorted(names)[:MOST]:
        yield ("name", name), outcome(lambda name=name: sorted(reader.find_name(name)))
    for field_id in range(-1, 3):
        yield ("field id", field_id), outcome(lambda id=field_id: sorted(reader.find_field_id(id)))
    for leaf in leaves:
        yield ("column", leaf), outcome(lambda leaf=leaf: chunk_answers(reader.column(leaf)))
    for fact in ROW_GROUP_FACTS:
        yield ("row groups", fact), outcome(lambda fact=fact: list(reader.row_groups(fact)))
    for number in row_groups:
        yield ("sorting", number), outcome(lambda number=number: [*map(tuple, reader.sorting_columns(number))])
    for number in some(reader.key_value_count):
        yield ("key value", number), outcome(lambda number=number: tuple(reader.key_value(number)))
    for some_leaves, some_groups in ((leaves, row_groups), (leaves[-1:], row_groups[::-1]), (leaves[:1], [])):
        question = "slice", *some_leaves, "of", *some_groups
        yield question, outcome(lambda a=some_leaves, b=some_groups: bytes(reader.slice(a, b, key_values=True)))


def file_answers(file) -> FileAnswers:
    """Return the answers of an open file by question."""
    found: FileAnswers = {
        "rows": ("result", file.num_rows),
        "schema": schema_answer(file),
        "key values": outcome(lambda: file.key_values),
        "row groups": outcome(lambda: [list(file.row_groups.num_rows), list(file.row_groups.total_byte_size)]),
    }
    for leaf in some(file.num_columns):
        path = outcome(lambda leaf=leaf: tuple(file._on_form(lambda form: form.node(leaf).path).split(b"\0")))
        if path[0] == "error":
            found[f"path {leaf}"] = path
            continue
        name = tuple(part.decode("utf-8", "surrogateescape") for part in path[1])
        found[f"column {leaf}"] = outcome(lambda name=name: column_answers(file.column(name)))
    return found


def schema_answer(file) -> Outcome:
    """Return the Arrow schema or the error, which may be of pyarrow."""
    try:
        return outcome(lambda: file.schema.serialize().to_pybytes())
    except (pa.ArrowException, OSError) as error:
        return "result", repr(error)


def column_answers(column) -> tuple:
    """Return a column's number, path and sizes, and its bounds as bytes."""
    sizes = list(column.data_page_offset), list(column.null_count), list(column.num_values)
    return column.leaf, column.path, sizes, list(column.min_bytes), list(column.max_bytes)
