"""The field tables and UUIDs in docs/parquet.dogma equal those in csrc/tables/wire.toml."""

from __future__ import annotations

import inspect
import re
import tomllib
from pathlib import Path
from uuid import UUID

import pytest

from dogma.functions import FUNCTIONS
from dogma.kinds import kinds_of
from dogma.parquet import description, parquet
from dogma.syntax import Binary, Call, Name, Node, Number, Rule, flatten
from parquetext.inspection.layout.part_kinds import KINDS

WIRE = tomllib.loads((Path(__file__).parents[2] / "csrc" / "tables" / "wire.toml").read_text())
RULES = parquet().rules
FIELDS_ELSEWHERE = {"encrypted_with": "encryption_algorithm"}  # rules whose name is not their field's
BOOLEANS = "BOOLEANS"
FLAT = {  # slots that the description uses, by table
    "FILE": "FileMetaData",
    "ELEMENT": "SchemaElement",
    "ROW_GROUP": "RowGroup",
    "CHUNK": "ColumnChunk",
    "OWN": "OwnChunk",
    "METADATA": "ColumnMetadata",
    "BLOOM": "BloomFilterInfo",
}
FLAT_FIELDS = {"REPETITION": "repetition_type"}
BITS = {1: 8, 2: 16, 4: 32, 8: 64}


def field_of(node: Node) -> tuple[str, int, str]:
    """Name, id and type of a member of a struct."""
    name = None
    if isinstance(node, Call) and node.name == "var":
        name, node = node.arguments[0].path[0], node.arguments[1]
    if isinstance(node, Name) or (isinstance(node, Call) and node.name not in FUNCTIONS):
        rule = node.path[0] if isinstance(node, Name) else node.name
        name, node = name or rule, RULES[rule].body
    header, *value = flatten(node, "&")
    id, kind = header.arguments
    if isinstance(kind, Call):
        name, kind = kind.arguments[0].path[0], kind.arguments[1]
    return name or bound(value), id.value, kind.path[0].removeprefix("TYPE_")


def bound(nodes: list[Node]) -> str:
    """The variable that a value is bound to: the call of var itself, or its argument."""
    [value] = nodes
    variable = value if value.name == "var" else value.arguments[0]
    return variable.arguments[0].path[0]


def members(struct: str) -> dict[str, tuple[int, str]]:
    body = RULES[struct].body
    assert isinstance(body, Call) and body.name == "struct"
    nodes = [node for node in flatten(body.arguments[0], "|") if "extension" not in repr(node)]
    return {name: (id, kind) for name, id, kind in map(field_of, nodes)}


def constants(prefix: str) -> dict[str, int]:
    found = {name: rule.body for name, rule in RULES.items() if name.startswith(f"{prefix}_")}
    return {name.removeprefix(f"{prefix}_"): body.value for name, body in found.items() if isinstance(body, Number)}


@pytest.mark.parametrize("enum", [name for name in WIRE["enums"] if name not in ("LogicalType", "ColumnOrder")])
def test_enumerations_are_those_of_the_tables(enum):
    wanted = dict(WIRE["enums"][enum])
    assert constants(wanted.pop("prefix")) == wanted


def test_compact_types_are_those_of_the_tables():
    assert constants("TYPE") == WIRE["compact_types"]


def test_kinds_of_cells_are_those_of_the_tables():
    assert constants("KIND") == WIRE["flat_kinds"]


def test_uuids_are_those_of_the_tables():
    assert {name: UUID(int=value) for name, value in constants("UUID").items()} == {
        name: UUID(text)
        for name, text in WIRE["uuids"].items()
        if name not in ("PACKED_FOOTER", "MODULAR_FOOTER")  # not frozen yet
    }


@pytest.mark.parametrize("union", ["LogicalType", "ColumnOrder"])
def test_members_of_unions_are_those_of_the_tables(union):
    wanted = {name: id for name, id in WIRE["enums"][union].items() if name != "prefix"}
    assert {name: id for name, (id, _) in members(union).items()} == wanted
    assert {kind for _, kind in members(union).values()} == {"STRUCT"}


@pytest.mark.parametrize("struct", WIRE["thrift"])
def test_fields_are_those_of_the_tables(struct):
    assert {name: id for name, (id, _) in members(struct).items()} == WIRE["thrift"][struct]


@pytest.mark.parametrize("struct", [name for name in WIRE["rules"] if name in RULES])
def test_types_of_fields_are_those_that_readers_require(struct):
    found = members(struct)
    for name, (id, rule) in WIRE["rules"][struct].items():
        kind = rule.removeprefix("?").split()[0]
        assert found[name] == (id, BOOLEANS if kind == "BOOL" else kind), name


def test_slots_of_the_flat_footer_are_those_of_the_tables():
    found = constants("FLAT")
    assert found
    for name, slot in found.items():
        table = next(table for table in sorted(FLAT, key=len, reverse=True) if name.startswith(f"{table}_"))
        field = name.removeprefix(f"{table}_")
        assert WIRE["flat"][FLAT[table]][FLAT_FIELDS.get(field, field.lower())][0] == slot, name


def test_slots_have_the_widths_of_the_tables():
    calls = re.findall(r"scalar\([^,]+(?: \+ distance)?, FLAT_(\w+), (\d+)\)", description())
    assert calls
    for name, bits in calls:
        table = next(table for table in sorted(FLAT, key=len, reverse=True) if name.startswith(f"{table}_"))
        field = name.removeprefix(f"{table}_")
        assert BITS[WIRE["flat"][FLAT[table]][FLAT_FIELDS.get(field, field.lower())][1]] == int(bits), name


def test_prose_describes_exactly_the_implemented_functions():
    described = {name: rule for name, rule in RULES.items() if rule.is_function}
    assert described.keys() == FUNCTIONS.keys()
    for name, rule in described.items():
        assert len(inspect.signature(FUNCTIONS[name]).parameters) == 2 + len(rule.parameters), name
        assert rule.body


def test_every_rule_is_used():
    used = set().union(*(names_in(rule) for rule in RULES.values()))
    constants_of_tables = {name for name in RULES if re.fullmatch(r"[A-Z0-9]+(_[A-Z0-9]+)*", name)}
    assert RULES.keys() - used - constants_of_tables == {parquet().grammar.start.name}


def names_in(rule: Rule) -> set[str]:
    """The rules that a rule calls."""

    def walk(part) -> set[str]:
        if isinstance(part, Name):
            return {part.path[0]}
        if isinstance(part, tuple):
            return set().union(*map(walk, part))
        if isinstance(part, Node):
            own = {part.name} if isinstance(part, Call) else set()
            return own.union(*(walk(getattr(part, slot)) for slot in part.__slots__))
        return set()

    return walk(rule.body)


def test_every_rule_is_well_formed():
    parquet().compile_all()


def test_every_kind_that_a_sound_file_has_is_described():
    only_of_damage = {"unread-footer", "unread-pages", "unread-copy", "stray"}
    only_left_over = {"dead-footer", "dead-block", "gap"}
    not_described = {
        "jump-table",
        "parx-footer",
        "packed-footer",
        "modular-footer",
    }  # proposals, and a layout that is not frozen
    described = KINDS.keys() - only_of_damage - only_left_over - not_described
    assert set(kinds_of(parquet().grammar).values()) == described


def test_alternatives_of_fields_have_different_ids():
    for name, rule in RULES.items():
        if isinstance(rule.body, Call) and rule.body.name == "struct" and isinstance(rule.body.arguments[0], Binary):
            nodes = [node for node in flatten(rule.body.arguments[0], "|") if "extension" not in repr(node)]
            assert len(members(name)) == len(nodes), name
