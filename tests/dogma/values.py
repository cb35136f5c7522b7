"""Values of names while a document is matched, and compilation of expressions without bits into closures."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

from .document import Document
from .syntax import Binary, Call, DogmaError, Name, Negation, Node, Number, Range, Repeat, Rule, Switch, Text

__all__ = ["Bound", "Deferred", "Scope", "Values", "bound_names"]

NUMBERS = {"number", "uinteger", "sinteger"}
SETS = {"numbers", "uintegers", "sintegers"}
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


class Deferred(NamedTuple):
    """An argument that is used in place of its parameter, under the names of the caller."""

    run: Callable
    names: dict


class Bound(NamedTuple):
    """The value of a variable that was bound to bits: these bits, and the variables of the rule that matched them."""

    names: dict
    data: bytes
    begin: int
    end: int

    @property
    def bits(self) -> bytes:
        return self.data[self.begin >> 3 : self.end >> 3]


class Scope(NamedTuple):
    """The names that a rule has for itself: parameters and variables."""

    rule: str
    locals: frozenset[str]


def bound_names(node: Node | str) -> set[str]:
    """The variables that an expression binds."""
    found: set[str] = set()
    match node:
        case Call("var", (Name((name,)), value)):
            found = {name} | bound_names(value)
        case Call(_, arguments):
            found = set().union(*map(bound_names, arguments))
        case Binary(_, left, right) | Range(left, right):
            found = bound_names(left) | bound_names(right)
        case Negation(_, of) | Repeat(of, _):
            found = bound_names(of)
        case Switch(entries, default):
            found = set().union(*(bound_names(value) for _, value in entries), bound_names(default))
    return found


def _divided(left, right):
    """Return the quotient, an integer if it is one."""
    return left // right if left % right == 0 else left / right


ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": operator.mod,  # of non-negative numbers
    "^": operator.pow,
}


class Values:
    """Compiles numbers, sets of numbers, and conditions."""

    rules: dict[str, Rule]
    functions: dict[str, Callable]

    def __init__(self):
        self._types: dict[str, str] = {}
        self._bodies: dict[str, Callable] = {}

    def type_of(self, node: Node | None, scope: Scope) -> str:
        """The type of an expression: number, numbers, bits, condition, or local if only its value shows the type."""
        match node:
            case Number():
                return "number"
            case Range():
                return "numbers"
            case Text() | Repeat():
                return "bits"
            case Negation(sign, _):
                return "number" if sign == "-" else "condition"
            case Binary("|" | "!" | "&", left, _):
                kind = self.type_of(left, scope)
                return "numbers" if kind in ("number", "local") and node.operator != "&" else kind
            case Binary(sign, _, _):
                return "condition" if sign in COMPARE else "number"
            case Switch(entries, default):
                return self.type_of(entries[0][1] if entries else default, scope)
            case Call("var", (_, value)):
                kind = self.type_of(value, scope)
                return "numbers" if kind == "number" else kind
            case Name((name, *rest)):
                return "local" if rest or name in scope.locals else self._type_of_rule(name, scope)
            case Call(name, _):
                return self._type_of_rule(name, scope) if name in self.rules else "bits"
        raise DogmaError(f"rule {scope.rule}: an expression without a type")

    def _type_of_rule(self, name: str, scope: Scope) -> str:
        if name not in self._types:
            rule = self.rule(name, scope)
            self._types[name] = "bits"  # of a rule within itself
            kind = rule.types[-1] if rule.is_function else self.type_of(rule.body, self.scope(rule))
            kind = {"local": "number", "nothing": "bits"}.get(kind, kind)  # of parameters only numbers are passed on
            self._types[name] = "number" if kind in NUMBERS else "numbers" if kind in SETS else kind
        return self._types[name]

    def rule(self, name: str, scope: Scope) -> Rule:
        if name not in self.rules:
            raise DogmaError(f"rule {scope.rule}: there is no {name}")
        return self.rules[name]

    def scope(self, rule: Rule) -> Scope:
        return Scope(rule.name, frozenset(rule.parameters) | bound_names(rule.body))

    # Each of the following gives a closure of (document, names), that of sets one of (document, names, number).

    def number(self, node: Node, scope: Scope) -> Callable:
        match node:
            case Number(value):
                return lambda document, names: value
            case Negation("-", of):
                inner = self.number(of, scope)
                return lambda document, names: -inner(document, names)
            case Binary(sign, left, right) if sign in ARITHMETIC:
                apply, first, second = ARITHMETIC[sign], self.number(left, scope), self.number(right, scope)
                return lambda document, names: apply(first(document, names), second(document, names))
            case Switch():
                return self.switch(node, scope, self.number)
            case Name(path) if len(path) > 1 or path[0] in scope.locals:
                return self.variable(path)
            case Name((name,)):
                return self._called(name, (), scope, self.number)
            case Call(name, arguments):
                return self._called(name, arguments, scope, self.number)
        raise DogmaError(f"rule {scope.rule}: a number is expected")

    def _called(self, name: str, arguments: tuple[Node, ...], scope: Scope, compile: Callable) -> Callable:
        rule = self.rule(name, scope)
        if rule.is_function:
            return self.function(rule, arguments, scope)
        if isinstance(rule.body, Number):
            return compile(rule.body, scope)
        return self._calling(rule, compile, arguments, scope)

    def variable(self, path: tuple[str, ...], *, is_optional: bool = False) -> Callable:
        first, *rest = path

        def look_up(document: Document, names: dict):
            try:
                value = names[first]
                for name in rest:
                    value = value.names[name]
            except (KeyError, AttributeError):
                if is_optional:
                    return None
                raise document.fail(f"{'.'.join(path)} is missing") from None
            return value

        return look_up

    def numbers(self, node: Node, scope: Scope) -> Callable:
        match node:
            case Range(None, None):
                return lambda document, names, number: True
            case Range(low, high):
                least = self.number(low, scope) if low else lambda document, names: -(1 << 64)
                most = self.number(high, scope) if high else lambda document, names: 1 << 64
                return lambda document, names, number: least(document, names) <= number <= most(document, names)
            case Binary("|", left, right):
                first, second = self.numbers(left, scope), self.numbers(right, scope)
                return lambda document, names, number: first(document, names, number) or second(document, names, number)
            case Binary("!", left, right):
                first, second = self.numbers(left, scope), self.numbers(right, scope)
                return lambda document, names, number: (
                    first(document, names, number) and not second(document, names, number)
                )
            case Call("var", (Name((name,)), value)):
                return self._binding(name, self.numbers(value, scope))
            case Name((name,)) if name in scope.locals:
                return self._chosen(self.variable((name,)))
            case Name((name,)) if self._type_of_rule(name, scope) == "numbers":
                return self.numbers(self.rules[name].body, self.scope(self.rules[name]))
        expected = self.number(node, scope)
        return lambda document, names, number: number == expected(document, names)

    def _binding(self, name: str, accepts: Callable) -> Callable:
        def bind(document: Document, names: dict, number: int) -> bool:
            if not accepts(document, names, number):
                return False
            names[name] = number
            return True

        return bind

    def _chosen(self, look_up: Callable) -> Callable:
        def accept(document: Document, names: dict, number: int) -> bool:
            value = look_up(document, names)
            return value.run(document, value.names, number) if isinstance(value, Deferred) else number == value

        return accept

    def condition(self, node: Node, scope: Scope) -> Callable:
        match node:
            case Binary("|", left, right):
                first, second = self.condition(left, scope), self.condition(right, scope)
                return lambda document, names: first(document, names) or second(document, names)
            case Binary("&", left, right):
                first, second = self.condition(left, scope), self.condition(right, scope)
                return lambda document, names: first(document, names) and second(document, names)
            case Negation("!", of):
                inner = self.condition(of, scope)
                return lambda document, names: not inner(document, names)
            case Binary(sign, left, Text(value)) if sign in ("=", "!="):
                compare, first = COMPARE[sign], self.number(left, scope)
                return lambda document, names: compare(first(document, names).bits, value)
            case Binary(sign, left, right) if sign in COMPARE:
                compare, first, second = COMPARE[sign], self.number(left, scope), self.number(right, scope)
                return lambda document, names: compare(first(document, names), second(document, names))
            case Name((name,)) if name not in scope.locals:
                return self._called(name, (), scope, self.condition)
            case Call(name, arguments):
                return self._called(name, arguments, scope, self.condition)
        raise DogmaError(f"rule {scope.rule}: a condition is expected")

    def _calling(self, rule: Rule, compile: Callable, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        """A call of a rule, which is compiled when it is first called: it may call itself."""
        bind = self.arguments(rule, arguments, scope)

        def call(document: Document, names: dict):
            body = self._bodies.get(rule.name)
            if body is None:
                body = self._bodies[rule.name] = compile(rule.body, self.scope(rule))
            return body(document, bind(document, names))

        return call

    def switch(self, node: Switch, scope: Scope, compile: Callable) -> Callable:
        entries = [(self.condition(condition, scope), compile(value, scope)) for condition, value in node.entries]
        default = compile(node.default, scope) if node.default else lambda document, names: None

        def choose(document: Document, names: dict):
            for holds, value in entries:
                if holds(document, names):
                    return value(document, names)
            return default(document, names)

        return choose

    def function(self, rule: Rule, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        """A call of a function described in prose: numbers and conditions are passed as values, others as closures."""
        if len(arguments) != len(rule.parameters):
            raise DogmaError(f"rule {scope.rule}: {rule.name} takes {len(rule.parameters)} arguments")
        apply = self.functions[rule.name]
        compiled = [
            self._argument_of_function(node, kind, scope) for node, kind in zip(arguments, rule.types[:-1], strict=True)
        ]
        if not compiled:
            return apply
        if len(compiled) == 1:
            [only] = compiled
            return lambda document, names: apply(document, names, only(document, names))
        return lambda document, names: apply(document, names, *[each(document, names) for each in compiled])

    def _argument_of_function(self, node: Node, kind: str, scope: Scope) -> Callable:
        if kind in NUMBERS:
            return self.number(node, scope)
        if kind == "condition":
            return self.condition(node, scope)
        if kind in SETS:
            accepts = self.numbers(node, scope)
            return lambda document, names: lambda number: accepts(document, names, number)
        if kind == "bits":
            inner = self.bits(node, scope)
            return lambda document, names: lambda: inner(document, names)
        if kind == "expression":
            look_up = self.variable(node.path, is_optional=True)
            return lambda document, names: lambda: look_up(document, names)
        raise DogmaError(f"rule {scope.rule}: a function of {kind}")

    def arguments(self, rule: Rule, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        """Compile the arguments of a rule: numbers by value, sets and bits by name."""
        if len(arguments) != len(rule.parameters):
            raise DogmaError(f"rule {scope.rule}: {rule.name} takes {len(rule.parameters)} arguments")
        compiled = [(name, self._argument(node, scope)) for name, node in zip(rule.parameters, arguments, strict=True)]
        if not compiled:
            return lambda document, names: {}
        return lambda document, names: {name: value(document, names) for name, value in compiled}

    def _argument(self, node: Node, scope: Scope) -> Callable:
        kind = self.type_of(node, scope)
        if kind == "local":
            return self.variable(node.path)
        if kind == "number":
            return self.number(node, scope)
        run = self.numbers(node, scope) if kind == "numbers" else self.bits(node, scope)
        return lambda document, names: Deferred(run, names)

    def bits(self, node: Node, scope: Scope) -> Callable:
        raise NotImplementedError
