"""Structs of one kind, divided into templates and values while a packed footer is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .packed_roles import Kind, make_book
from .packed_template import BOUND, PLACED, RAW, WORDS, Operation, StructParser, area_of
from .packed_tile import Chunk, write_numbers, write_templates
from .packed_words import write_words

MOST_TEMPLATES = 64
MOST_OPERATIONS = 255
MOST_ROLES = 254  # and that of structs that stay verbatim
VERBATIM = (Operation(RAW, role=1),)


class Structs:
    """Structs of one kind, in the order of their numbers.

    A struct stays verbatim if it has a field twice, or if it would be of one template too many.
    """

    def __init__(self, data, kind: Kind):
        self.data, self.kind = memoryview(data), kind
        self.numbers: dict[tuple[Operation, ...], int] = {}
        self.roles: set[tuple[int, int]] = set()
        self.parsed: list[tuple[int, list[Any]]] = []

    def add(self, parser: StructParser, begin: int, end: int) -> None:
        """Divide the struct at [begin, end)."""
        operations, values = parser.parse(begin)
        roles = [(operation.role, area_of(operation.kind)) for operation in operations if operation.role]
        if operations not in self.numbers and (
            len(operations) > MOST_OPERATIONS
            or len(set(roles)) < len(roles)
            or len(self.numbers) >= MOST_TEMPLATES
            or len(self.roles.union(roles)) > MOST_ROLES
        ):
            operations, values = VERBATIM, [(begin, end)]
        else:
            self.roles.update(roles)
        self.parsed.append((self.numbers.setdefault(operations, len(self.numbers)), values))

    def make_book(self) -> None:
        """Make the book, after the last struct has been added."""
        self.templates = list(self.numbers)
        self.book, self.number_of = make_book(self.kind, self.templates)

    def __getitem__(self, index: int) -> Chunk:
        template, values = self.parsed[index]
        with_role = [operation for operation in self.templates[template] if operation.role]
        found = {}
        for operation, value in zip(with_role, values, strict=True):
            area = area_of(operation.kind)
            if area == WORDS:
                value = bytes(self.data[value[0] : value[1]])
            found[self.number_of[operation.role, area]] = value
        return Chunk(template, found)

    def write_run(self, numbers: Sequence[int], compress: Callable[[bytes], bytes] | None) -> bytes:
        """Return a run of structs as one cell's content: a tile of one column, whose parts follow each other."""
        column = [self[number] for number in numbers]
        hot, cold = write_words(self.book, [column], compress)
        pieces = [write_numbers(self.book, area, [column]) for area in (PLACED, BOUND)]
        return b"".join((write_templates([column]), *pieces, hot, cold))
