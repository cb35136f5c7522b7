"""Roles: which values of a struct are predicted from others (docs/formats.md, 15.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .. import wire
from .packed_content import Content
from .packed_template import (
    META,
    PLACED,
    SIZES,
    STATISTICS,
    WORDS,
    Operation,
    area_of,
    code_of,
    read_operations,
    write_operations,
)

ALONE, SAME = wire.PREDICTOR_ALONE, wire.PREDICTOR_SAME
DIFFERENCE, CHAINED = wire.PREDICTOR_DIFFERENCE, wire.PREDICTOR_CHAINED
MOST_PREDICTOR = (CHAINED, DIFFERENCE, SAME)  # of the areas
NO_ROLE = wire.PACKED_NO_ROLE


class Role(NamedTuple):
    """The values of one path of fields.

    `predictor` says from what each value's distance is stored: zero, another role's value, the difference of two, or
    the position in a chain.
    """

    area: int
    predictor: int = ALONE
    first: int = 0
    second: int = 0


class Chain(NamedTuple):
    """Byte ranges of a row group's chunks that follow each other: the roles of their lengths and of their begins.

    A chunk's begin is the value of `first`, or of `second` if it has no value of `first`.
    """

    length: int
    first: int
    second: int = NO_ROLE


class Book(NamedTuple):
    """The roles, chains and templates of one kind of struct."""

    roles: tuple[Role, ...]
    chains: tuple[Chain, ...]
    templates: tuple[tuple[Operation, ...], ...]

    def write(self) -> bytes:
        counts = bytes((len(self.roles), len(self.chains), len(self.templates)))
        numbers = bytes(number for entry in (*self.roles, *self.chains) for number in entry)
        return counts + numbers + b"".join(map(write_operations, self.templates))

    @classmethod
    def read(cls, content: Content) -> Book:
        """Read a book; roles refer to earlier roles only."""
        counts = content.take(3)
        roles: list[Role] = []
        for number in range(counts[0]):
            at, role = content.at, Role(*content.take(4))
            if role.area > WORDS:
                raise content.fail(wire.BAD_VALUE, at, WORDS, role.area)
            if role.predictor > MOST_PREDICTOR[role.area]:
                raise content.fail(wire.BAD_VALUE, at + 1, MOST_PREDICTOR[role.area], role.predictor)
            for step, used in enumerate(role[2 : 2 + {SAME: 1, DIFFERENCE: 2}.get(role.predictor, 0)], 2):
                if used >= number or roles[used].area != role.area:
                    raise content.fail(wire.BAD_VALUE, at + step, number, used)
            if role.predictor == CHAINED and role.first >= counts[1]:
                raise content.fail(wire.BAD_VALUE, at + 2, counts[1], role.first)
            roles.append(role)
        chains = []
        for _ in range(counts[1]):
            at, chain = content.at, Chain(*content.take(3))
            for step, used in enumerate(chain):
                is_placed = used < counts[0] and roles[used].area == PLACED
                if not is_placed and (step < 2 or used != NO_ROLE):
                    raise content.fail(wire.BAD_VALUE, at + step, counts[0], used)
            if chain.first >= chain.second:
                raise content.fail(wire.BAD_VALUE, at + 2, chain.first + 1, chain.second)
            chains.append(chain)
        areas = [role.area for role in roles]
        templates = tuple(read_operations(content, areas) for _ in range(counts[2]))
        return cls(tuple(roles), tuple(chains), templates)


# ---- the roles of parquet.thrift


def known_roles() -> dict[int, tuple[int, tuple[int, ...]]]:
    """Return the codes of known roles in their order, with their predictor and its arguments, which are codes."""
    c, m, s, z = "COLUMN_CHUNK", "COLUMN_META_DATA", "STATISTICS", "SIZE_STATISTICS"

    def chunk(name: str) -> int:
        return code_of((getattr(wire, f"{c}_{name}"),))

    def meta(name: str) -> int:
        return code_of((META, getattr(wire, f"{m}_{name}")))

    def statistic(name: str) -> int:
        return code_of((*STATISTICS, getattr(wire, f"{s}_{name}")))

    def level(name: str, from_end: int) -> int:
        return code_of((*SIZES, getattr(wire, f"{z}_{name}_LEVEL_HISTOGRAM"), from_end))

    values, nulls = meta("NUM_VALUES"), statistic("NULL_COUNT")
    return {
        meta("TOTAL_COMPRESSED_SIZE"): (ALONE, ()),
        meta("TOTAL_UNCOMPRESSED_SIZE"): (SAME, (meta("TOTAL_COMPRESSED_SIZE"),)),
        meta("DICTIONARY_PAGE_OFFSET"): (CHAINED, (0,)),
        meta("DATA_PAGE_OFFSET"): (CHAINED, (0,)),
        values: (ALONE, ()),
        nulls: (ALONE, ()),
        level("DEFINITION", 0): (DIFFERENCE, (values, nulls)),
        level("DEFINITION", 1): (SAME, (nulls,)),
        level("REPETITION", 1): (ALONE, ()),
        level("REPETITION", 0): (DIFFERENCE, (values, level("REPETITION", 1))),
        chunk("FILE_OFFSET"): (SAME, (meta("DATA_PAGE_OFFSET"),)),
        chunk("COLUMN_INDEX_LENGTH"): (ALONE, ()),
        chunk("COLUMN_INDEX_OFFSET"): (CHAINED, (1,)),
        chunk("OFFSET_INDEX_LENGTH"): (ALONE, ()),
        chunk("OFFSET_INDEX_OFFSET"): (CHAINED, (2,)),
        meta("BLOOM_FILTER_LENGTH"): (ALONE, ()),
        meta("BLOOM_FILTER_OFFSET"): (CHAINED, (3,)),
        statistic("MIN_VALUE"): (ALONE, ()),
        statistic("MAX_VALUE"): (SAME, (statistic("MIN_VALUE"),)),
        statistic("MIN"): (SAME, (statistic("MIN_VALUE"),)),
        statistic("MAX"): (SAME, (statistic("MAX_VALUE"), statistic("MIN"))),
    }


def known_chains() -> list[tuple[int, int, int]]:
    """Return the codes of the roles of known chains, of length, first and second begin; 0 for no role."""
    c, m = "COLUMN_CHUNK", "COLUMN_META_DATA"

    def code(*names: str) -> int:
        return code_of(tuple(getattr(wire, name) for name in names))

    meta = f"{c}_META_DATA"
    return [
        (
            code(meta, f"{m}_TOTAL_COMPRESSED_SIZE"),
            code(meta, f"{m}_DICTIONARY_PAGE_OFFSET"),
            code(meta, f"{m}_DATA_PAGE_OFFSET"),
        ),
        (code(f"{c}_COLUMN_INDEX_LENGTH"), code(f"{c}_COLUMN_INDEX_OFFSET"), 0),
        (code(f"{c}_OFFSET_INDEX_LENGTH"), code(f"{c}_OFFSET_INDEX_OFFSET"), 0),
        (code(meta, f"{m}_BLOOM_FILTER_LENGTH"), code(meta, f"{m}_BLOOM_FILTER_OFFSET"), 0),
    ]


ROW_GROUP_CODES = {
    code_of((wire.ROW_GROUP_TOTAL_COMPRESSED_SIZE,)): (ALONE, ()),
    code_of((wire.ROW_GROUP_TOTAL_BYTE_SIZE,)): (SAME, (code_of((wire.ROW_GROUP_TOTAL_COMPRESSED_SIZE,)),)),
    code_of((wire.ROW_GROUP_FILE_OFFSET,)): (ALONE, ()),
}


class Kind(NamedTuple):
    """The roles and chains that are known of a kind of struct."""

    roles: Mapping[int, tuple[int, tuple[int, ...]]]
    chains: Sequence[tuple[int, int, int]]


CHUNKS, ROW_GROUPS, ELEMENTS = Kind(known_roles(), known_chains()), Kind(ROW_GROUP_CODES, []), Kind({}, [])

Key = tuple[int, int]  # a path's code and the area of its values


def order_of(kind: Kind, keys: Iterable[Key]) -> list[Key]:
    """Return the roles in the order in which they are decoded: known ones first, then by their codes."""
    ranks = {code: rank for rank, code in enumerate(kind.roles)}
    return sorted(keys, key=lambda key: (key[1], ranks.get(key[0], len(ranks)), key[0]))


def make_book(kind: Kind, templates: Sequence[tuple[Operation, ...]]) -> tuple[Book, dict[Key, int]]:
    """Return the book of some templates: their roles get numbers, and known roles are predicted.

    Returns
    -------
    book : Book
    number_of : dict
        The number of each role by its code and its area.
    """
    keys = {
        (operation.role, area_of(operation.kind)) for template in templates for operation in template if operation.role
    }
    order = order_of(kind, keys)
    number_of = {key: number for number, key in enumerate(order)}
    chains: list[Chain] = []
    chain_of: dict[int, int] = {}
    for number, (length, first, second) in enumerate(kind.chains):
        found = [number_of.get((code, PLACED), NO_ROLE) for code in (length, first, second)]
        begins = [role for role in found[1:] if role != NO_ROLE]
        if found[0] != NO_ROLE and begins:
            chain_of[number] = len(chains)
            chains.append(Chain(found[0], *[*begins, NO_ROLE][:2]))
    roles = []
    for code, area in order:
        predictor, used = kind.roles.get(code, (ALONE, ()))
        roles.append(role_of(area, predictor, used, number_of, chain_of))
    numbered = tuple(
        tuple(
            operation._replace(role=number_of[operation.role, area_of(operation.kind)]) if operation.role else operation
            for operation in template
        )
        for template in templates
    )
    return Book(tuple(roles), tuple(chains), numbered), number_of


def role_of(
    area: int, predictor: int, used: tuple[int, ...], number_of: dict[Key, int], chain_of: dict[int, int]
) -> Role:
    """Return a known role, predicted if there are the roles that its prediction uses."""
    if predictor == CHAINED:
        return Role(area, CHAINED, chain_of[used[0]]) if area == PLACED and used[0] in chain_of else Role(area)
    found = [number_of[code, area] for code in used if (code, area) in number_of]
    if predictor == SAME and found:
        return Role(area, SAME, found[0])
    if predictor == DIFFERENCE and len(found) == 2 and area != WORDS:
        return Role(area, DIFFERENCE, *found)
    return Role(area)
