"""The syntax of the part of Dogma v1 that our description uses: text in, rules as trees out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = [
    "Binary",
    "Call",
    "DogmaError",
    "Grammar",
    "Name",
    "Negation",
    "Node",
    "Number",
    "Range",
    "Repeat",
    "Rule",
    "Switch",
    "Text",
    "flatten",
    "parse",
]


class DogmaError(Exception):
    """A description that is not well formed; the message has the line."""


class Node:
    """A part of an expression."""


@dataclass(frozen=True, slots=True)
class Number(Node):
    value: int


@dataclass(frozen=True, slots=True)
class Text(Node):
    value: bytes


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A rule, a parameter or a variable; of a variable within another one all names, front to back."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`|`, `!` (without), `&`, a comparison, or arithmetic."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Negation(Node):
    """`-` before a number, `!` before a condition."""

    operator: str
    of: Node


@dataclass(frozen=True, slots=True)
class Range(Node):
    low: Node | None
    high: Node | None


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    """Repeat so many times; without a count, until the next element matches."""

    of: Node
    count: Node | None


@dataclass(frozen=True, slots=True)
class Switch(Node):
    entries: tuple[tuple[Node, Node], ...]
    default: Node | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A symbol or a macro, or a function that prose describes.

    Attributes
    ----------
    parameters : tuple of str
    types : tuple of str
        For functions: the types of the parameters and of the result. Empty for other rules.
    body : Node or str
        An expression; of a function the prose.
    line : int
    """

    name: str
    parameters: tuple[str, ...]
    types: tuple[str, ...]
    body: Node | str
    line: int

    @property
    def is_function(self) -> bool:
        return isinstance(self.body, str)


@dataclass(slots=True)
class Grammar:
    """A description: its header lines, and its rules in order; the first one is the start rule."""

    headers: dict[str, str] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)

    @property
    def start(self) -> Rule:
        return next(iter(self.rules.values()))


def flatten(node: Node, operator: str) -> list[Node]:
    """The operands of a chain of one operator, front to back."""
    if isinstance(node, Binary) and node.operator == operator:
        return flatten(node.left, operator) + flatten(node.right, operator)
    return [node]


TOKEN = re.compile(
    r"""(?P<skip>[ \t\r\n]+|\#[^\n]*)
    |(?P<prose>\"\"\".*?\"\"\")
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)
    |(?P<name>[A-Za-z][A-Za-z0-9_]*)
    |(?P<sign><=|>=|!=|[-=&|!~(){}\[\]:;,.?*+/%^<>])""",
    re.VERBOSE | re.DOTALL,
)
HEADER = re.compile(r"dogma_v1 utf-8\n((?:- [^\n]+\n)*)\n")
ESCAPE = re.compile(r"\\(?:\[([0-9a-fA-F]+)\]|(.))")
COMPARISONS = {"<", "<=", "=", "!=", ">=", ">"}
LEVELS = ({"|"}, {"!"}, {"&"}, COMPARISONS)  # the lowest precedence first
SUMS, PRODUCTS = ({"+", "-"}, {"*", "/", "%"})
OPERAND_BEGINS = {"number", "name", "text"}


def parse(text: str) -> Grammar:
    """Read a description.

    Raises
    ------
    DogmaError
    """
    header = HEADER.match(text)
    if header is None:
        raise DogmaError("line 1: the header of a Dogma v1 document, and an empty line behind it, are missing")
    grammar = Grammar()
    for line in header[1].splitlines():
        name, _, value = line.removeprefix("- ").partition("=")
        grammar.headers[name.strip()] = value.strip()
    reader = _Reader(text, header.end())
    while reader.kind:
        rule = reader.rule()
        if rule.name in grammar.rules:
            raise DogmaError(f"line {rule.line}: a second rule {rule.name}")
        grammar.rules[rule.name] = rule
    return grammar


def _tokens(text: str, at: int) -> Iterator[tuple[str, str, int]]:
    line = text.count("\n", 0, at) + 1
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise DogmaError(f"line {line}: {text[at]!r} is not expected here")
        if found.lastgroup != "skip":
            yield found.lastgroup, found[0], line
        line += found[0].count("\n")
        at = found.end()
    yield "", "the end", line


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, text: str, at: int):
        self.tokens = list(_tokens(text, at))
        self.at = 0

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def token(self) -> str:
        return self.tokens[self.at][1]

    @property
    def line(self) -> int:
        return self.tokens[self.at][2]

    def take(self, *expected: str) -> str:
        kind, token, line = self.tokens[self.at]
        if expected and token not in expected and kind not in expected:
            raise DogmaError(f"line {line}: {token!r} where {' or '.join(expected)} is expected")
        self.at += 1
        return token

    def takes(self, *signs: str) -> str | None:
        return self.take() if self.kind == "sign" and self.token in signs else None

    def rule(self) -> Rule:
        line, name = self.line, self.take("name")
        parameters, types = [], []
        if self.takes("("):
            while True:
                parameters.append(self.take("name"))
                if self.takes(":"):
                    types.append(self.take("name"))
                if self.take(",", ")") == ")":
                    break
        if self.takes(":"):
            types.append(self.take("name"))
        if types and len(types) != len(parameters) + 1:
            raise DogmaError(f"line {line}: the function {name} lacks types")
        self.take("=")
        body = self.take("prose").strip('"').strip() if types else self.expression()
        self.take(";")
        return Rule(name, tuple(parameters), tuple(types), body, line)

    def expression(self, level: int = 0) -> Node:
        if level == len(LEVELS):
            return self.range()
        left = self.expression(level + 1)
        while (sign := self.takes(*LEVELS[level])) is not None:
            left = Binary(sign, left, self.expression(level + 1))
        return left

    def range(self) -> Node:
        low = None if self.token == "~" else self.sum()
        if not self.takes("~"):
            return low
        return Range(low, self.sum() if self.kind in OPERAND_BEGINS or self.token in ("(", "-") else None)

    def sum(self) -> Node:
        left = self.product()
        while (sign := self.takes(*SUMS)) is not None:
            left = Binary(sign, left, self.product())
        return left

    def product(self) -> Node:
        left = self.power()
        while (sign := self.takes(*PRODUCTS)) is not None:
            left = Binary(sign, left, self.power())
        return left

    def power(self) -> Node:
        left = self.repeated()
        return Binary("^", left, self.repeated()) if self.takes("^") else left

    def repeated(self) -> Node:
        if sign := self.takes("-", "!"):
            return Negation(sign, self.repeated())
        node = self.operand()
        while True:
            if self.takes("{"):
                node = Repeat(node, self.expression())
                self.take("}")
            elif self.token == "*" and not self.is_operand_next():
                self.take()
                node = Repeat(node, None)
            else:
                return node

    def is_operand_next(self) -> bool:
        kind, token, _ = self.tokens[self.at + 1]
        return kind in OPERAND_BEGINS or token in ("(", "-")

    def operand(self) -> Node:
        if self.takes("("):
            node = self.expression()
            self.take(")")
            return node
        if self.takes("["):
            return self.switch()
        if self.kind == "number":
            return Number(int(self.take(), 0))
        if self.kind == "text":
            return Text(_unescaped(self.take()[1:-1]))
        name = self.take("name")
        if self.takes("("):
            arguments = [self.expression()]
            while self.take(",", ")") == ",":
                arguments.append(self.expression())
            return Call(name, tuple(arguments))
        path = [name]
        while self.takes("."):
            path.append(self.take("name"))
        return Name(tuple(path))

    def switch(self) -> Switch:
        entries, default = [], None
        while not self.takes("]"):
            if default is not None:
                raise DogmaError(f"line {self.line}: an entry of a switch behind its default")
            condition = None if self.token == ":" else self.expression()
            self.take(":")
            value = self.expression()
            self.take(";")
            if condition is None:
                default = value
            else:
                entries.append((condition, value))
        return Switch(tuple(entries), default)


def _unescaped(text: str) -> bytes:
    return ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[2], text).encode()
