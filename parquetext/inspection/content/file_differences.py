"""Compare two files: their schemas, the values in their footers, and their rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import pyarrow as pa

from ... import compute as pc
from ...reading.request.read_request import ReadOptions
from ...reading.stages import plan_file
from ...records import frozen
from .footer_facts import columns_in_sum, key_values, named_columns
from .schema_text import Node, element_text, parquet_tree
from .value_text import as_json

SCHEMA, STATISTICS, VALUES = "schema", "statistics", "values"
KINDS = SCHEMA, STATISTICS, VALUES
ARROW_SCHEMA = "ARROW:schema"
BATCH_ROWS = 1 << 15
COLUMNS_AT_ONCE = 64  # the number of columns of wide files that are read together
FACTS = "num_values", "stats_null_count", "stats_min", "stats_max", "compression", "encodings"


@frozen
class Difference:
    """One thing that differs.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    name : str
        The dotted path of the column, or a property of the file, such as ``"num_rows"``.
    what : str
        The property that differs.
    a, b : object
        The values in both files, as in JSON; None if a file has none.
    rows, first_row : int or None
        Of values: how many rows differ, and the first of them.
    """

    kind: str
    name: str
    what: str
    a: Any
    b: Any
    rows: int | None = None
    first_row: int | None = None


def differences(a, b, kinds: Collection[str] = KINDS) -> Iterator[Difference]:
    """Yield the differences of two open files, in the order of `KINDS`.

    Parameters
    ----------
    a, b : parquetext.File
    kinds : collection of str
        Which kinds to look for. Values are compared row by row, of columns that both files have with the same type.
    """
    compare: dict[str, Callable] = {SCHEMA: _of_schemas, STATISTICS: _of_statistics, VALUES: _of_values}
    for kind in KINDS:
        if kind in kinds:
            yield from compare[kind](a, b)


def _of_schemas(a, b) -> Iterator[Difference]:
    ours, theirs = (dict(_elements(file._on_form(parquet_tree))) for file in (a, b))
    for path in dict.fromkeys((*ours, *theirs)):
        one, another = ours.get(path), theirs.get(path)
        if one != another:
            yield Difference(SCHEMA, path, "element", one, another)
    if ours == theirs and list(ours) != list(theirs):
        yield Difference(SCHEMA, "", "order of columns", list(ours), list(theirs))
    kinds = [{field.name: str(field.type) for field in file.schema} for file in (a, b)]
    for name in kinds[0]:
        if ours.get(name) == theirs.get(name) and name in kinds[1]:
            yield from _compared(SCHEMA, name, "Arrow type", kinds[0][name], kinds[1][name])


def _elements(node: Node, above: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the paths and texts of all elements below the root."""
    for child in node.children:
        path = *above, child.element.name
        yield ".".join(path), element_text(child)
        yield from _elements(child, path)


def _of_statistics(a, b) -> Iterator[Difference]:
    for name in ("num_rows", "num_columns"):
        yield from _compared(STATISTICS, name, "", getattr(a, name), getattr(b, name))
    yield from _compared(STATISTICS, "num_row_groups", "", len(a.row_groups), len(b.row_groups))
    ours, theirs = key_values(a), key_values(b)
    for key in dict.fromkeys((*ours, *theirs)):
        if key != ARROW_SCHEMA:  # the types that it is about are compared as such
            yield from _compared(STATISTICS, key, "key-value", ours.get(key), theirs.get(key))
    fields = [{each["path_in_schema"]: each for each in columns_in_sum(named_columns(file, None))} for file in (a, b)]
    for path in (path for path in fields[0] if path in fields[1]):
        for fact in FACTS:
            yield from _compared(STATISTICS, path, fact, fields[0][path][fact], fields[1][path][fact])


def _compared(kind: str, name: str, what: str, one: object, another: object) -> Iterator[Difference]:
    if one != another:
        yield Difference(kind, name, what, one, another)


def _of_values(a, b) -> Iterator[Difference]:
    yield from _compared(VALUES, "num_rows", "", a.num_rows, b.num_rows)
    ours, theirs = ({field.name: field.type for field in file.schema} for file in (a, b))
    common = []
    for name in ours:
        if name in theirs and ours[name] == theirs[name]:
            common.append(name)
        elif name in theirs:
            yield Difference(VALUES, name, "types: not compared", str(ours[name]), str(theirs[name]))
    for file in (a, b):
        plan = plan_file(file, [(name,) for name in common], None, None, ReadOptions())
        file._check_expansion(plan.part, None)
    for begin in range(0, len(common), COLUMNS_AT_ONCE):
        yield from _of_columns(a, b, common[begin : begin + COLUMNS_AT_ONCE])


class _Tally:
    """The rows of one column that differ."""

    def __init__(self) -> None:
        self.rows = 0
        self.first: int | None = None
        self.pair: tuple[object, object] = None, None

    def add(self, begin: int, one: pa.Array, another: pa.Array) -> None:
        """Compare the values of some rows, of which `begin` is the first one."""
        at = _differing(one, another)
        if at and self.first is None:
            self.first, self.pair = begin + at[0], (as_json(one[at[0]]), as_json(another[at[0]]))
        self.rows += len(at)


def _of_columns(a, b, names: list[str]) -> Iterator[Difference]:
    tallies, begin = {name: _Tally() for name in names}, 0
    for one, another in _aligned(*(_batches(file, names) for file in (a, b))):
        for name, tally in tallies.items():
            tally.add(begin, one.column(name), another.column(name))
        begin += one.num_rows
    for name, tally in tallies.items():
        if tally.rows:
            yield Difference(VALUES, name, "rows", *tally.pair, rows=tally.rows, first_row=tally.first)


def _batches(file, names: list[str]) -> Iterator[pa.RecordBatch]:
    return file.iter_batches([(name,) for name in names], batch_size=BATCH_ROWS, engine="auto")


def _aligned(
    ours: Iterator[pa.RecordBatch], theirs: Iterator[pa.RecordBatch]
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """Batches of the same rows of both, as far as both have rows."""
    one = another = None
    while True:
        one = one if one is not None and one.num_rows else next(ours, None)
        another = another if another is not None and another.num_rows else next(theirs, None)
        if one is None or another is None:
            return
        rows = min(one.num_rows, another.num_rows)
        yield one.slice(0, rows), another.slice(0, rows)
        one, another = one.slice(rows), another.slice(rows)


def _differing(one: pa.Array, another: pa.Array) -> list[int]:
    """Return the rows in which two arrays of one type differ; NaN equals NaN, and null equals null."""
    if one.equals(another):
        return []
    if pa.types.is_nested(one.type) or isinstance(one.type, pa.BaseExtensionType):
        pairs = enumerate(zip(one, another, strict=True))
        return [at for at, (ours, theirs) in pairs if not ours.equals(theirs) and as_json(ours) != as_json(theirs)]
    if pa.types.is_dictionary(one.type):
        one, another = one.dictionary_decode(), another.dictionary_decode()
    differs = pc.fill_null(pc.not_equal(one, another), False)
    if pa.types.is_floating(one.type):
        both = pc.and_(pc.is_nan(one), pc.is_nan(another))
        differs = pc.and_not(differs, pc.fill_null(both, False))
    differs = pc.or_(differs, pc.xor(one.is_null(), another.is_null()))
    return pc.indices_nonzero(differs).to_pylist()
