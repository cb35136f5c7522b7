"""Check that all structs of a footer have the fields that readers' parsers require."""

from __future__ import annotations

from typing import NamedTuple

from .. import wire
from ..errors import wire_error
from .thrift import Walk

__all__ = ["Missing", "find_missing"]

FOOTER = 0
COLUMN_META_DATA = next(number for number, (name, _) in enumerate(wire.RULES) if name == "ColumnMetaData")
PATH = wire.COLUMN_META_DATA_PATH_IN_SCHEMA
BOOLEANS = (wire.TYPE_TRUE, wire.TYPE_FALSE)
LARGEST = 0xFFFFFFFF


class Missing(NamedTuple):
    """A struct at `offset` that lacks a field, by their names in parquet.thrift."""

    structure: str
    field: str
    id: int
    offset: int


def find_missing(data) -> tuple[Missing | None, int]:
    """Return the first struct of a footer that lacks a required field, and the number of chunks without path_in_schema.

    Parameters
    ----------
    data : bytes-like
        A FileMetaData; more bytes may follow it.

    Returns
    -------
    missing : Missing or None
        Inner structs come first. A field whose type differs from the expected one counts as absent.
    without_path : int
        The number of ColumnMetaData without ``path_in_schema``. Readers require it, but it follows from the schema.

    Raises
    ------
    Malformed
        If the bytes are not a Thrift struct.
    """
    walk = RuleWalk(data)
    walk.struct(0, FOOTER, 0)
    return walk.missing, walk.without_path


class RuleWalk:
    """A walk over a footer that applies the rules."""

    def __init__(self, data):
        view = memoryview(data).cast("B")
        if len(view) > LARGEST:
            raise wire_error(wire.TOO_LARGE, 0, LARGEST, len(view))
        self.walk = Walk(view, 0, wire.MAX_DEPTH)
        self.missing: Missing | None = None
        self.without_path = 0

    def struct(self, start: int, structure: int, depth: int) -> int:
        """Return the offset after the struct at `start`."""
        rules = wire.RULES[structure][1]
        seen: set[int] = set()
        wrong: set[int] = set()
        self.walk.enter(start, depth)

        def read(id: int, type: int, at: int) -> int:
            if id not in rules:
                return self.walk.skip(at, type, depth + 1)
            right, at = self.field(at, type, rules[id], depth + 1)
            (seen if right else wrong).add(id)
            return at

        end = self.walk.each(start, read)
        self.conclude(structure, start, seen, wrong)
        return end

    def field(self, at: int, type: int, rule: tuple, depth: int) -> tuple[bool, int]:
        """Return True if the field whose value is at `at` matches the rule, and the offset after it."""
        _, expected, item, inner, _ = rule
        right = type == expected or (type in BOOLEANS and expected in BOOLEANS)
        if right and type == wire.TYPE_LIST:
            return self.list(at, item, inner, depth)
        if right and inner:
            return True, self.struct(at, inner, depth)
        return right, self.walk.skip(at, type, depth)

    def list(self, at: int, item: int, inner: int, depth: int) -> tuple[bool, int]:
        self.walk.enter(at, depth)
        type, count, at = self.walk.list_header(at)
        right = not count or type == item
        for _ in range(count):
            if right and inner:
                at = self.struct(at, inner, depth + 1)
            else:
                at = self.walk.skip(at, type, depth + 1, item=True)
        return right, at

    def conclude(self, structure: int, start: int, seen: set[int], wrong: set[int]) -> None:
        """Record a missing required field. A missing path follows from the schema; a path of another type is damage."""
        name, rules = wire.RULES[structure]
        required = {id for id, rule in rules.items() if rule[4]}
        if structure == COLUMN_META_DATA:
            self.without_path += PATH not in seen | wrong
            required |= wrong & {PATH}
        lacking = min(required - seen, default=None)
        if lacking is not None and self.missing is None:
            self.missing = Missing(name, rules[lacking][0], lacking, start)
