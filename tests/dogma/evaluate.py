"""Runs a description over a document: its rules as closures, which match bytes and claim them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from .document import Claim, Document, Mismatch, Owner
from .functions import FUNCTIONS, NOTED, NoField, read_field
from .syntax import Binary, Call, DogmaError, Grammar, Name, Node, Range, Repeat, Rule, Switch, Text, flatten
from .syntax import Number as NumberNode
from .values import Bound, Deferred, Scope, Values

__all__ = ["Evaluator"]

MOST_DEPTH = 1000  # rules within rules
FRAMES = 20_000
OWNER_NAMES = "row_group", "column", "page"


class _Compiled:
    """A rule that is ready to run: once it is used for the first time its body is a closure."""

    __slots__ = ("compile", "is_noted", "kind", "name", "owner_names", "run")

    def __init__(self, rule: Rule, kind: str | None, is_noted: bool, compile: Callable):
        self.name, self.kind, self.is_noted, self.compile, self.run = rule.name, kind, is_noted, compile, None
        self.owner_names = [name in rule.parameters for name in OWNER_NAMES]


class Evaluator(Values):
    """A description that runs.

    Parameters
    ----------
    grammar : Grammar
    kinds : dict of str to str
        The kinds of rules whose bytes are claimed; their parameters `row_group`, `column` and `page` give the index.
    """

    def __init__(self, grammar: Grammar, kinds: dict[str, str]):
        super().__init__()
        self.grammar, self.rules, self.functions = grammar, grammar.rules, FUNCTIONS
        self._compiled = {
            name: _Compiled(rule, kinds.get(name), name in NOTED, self._body_of(rule, kinds.get(name)))
            for name, rule in grammar.rules.items()
            if not rule.is_function
        }

    def _body_of(self, rule: Rule, kind: str | None) -> Callable:
        return lambda: self.bits(rule.body, self.scope(rule), is_last=kind is None)

    def claims(self, data: bytes) -> list[Claim]:
        """Match a whole file, and return the kind of each byte.

        Raises
        ------
        Mismatch
            At the first place that does not fit.
        """
        document, before = Document(data), sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, FRAMES))
        try:
            self._run(document, self._compiled[self.grammar.start.name], {})
            return document.account()
        finally:
            sys.setrecursionlimit(before)

    def compile_all(self) -> None:
        """Compile every rule that can match bits; raise `DogmaError` for a rule that is not well formed."""
        for name, rule in self.rules.items():
            if not rule.is_function and self.type_of(rule.body, self.scope(rule)) == "bits":
                self._compiled[name].compile()

    def _run(self, document: Document, rule: _Compiled, names: dict) -> None:
        """Match a rule, and the rules that it ends with."""
        document.depth += 1
        if document.depth > MOST_DEPTH:
            raise document.fail(f"nested deeper than {MOST_DEPTH} rules")
        while rule is not None:
            if rule.run is None:
                rule.run = rule.compile()
            if rule.is_noted and document.owner is not None:
                document.noted.setdefault(rule.name, []).append(names)
            if rule.kind is None or document.owner is None:
                last = rule.run(document, names)
            else:
                owner = document.owner
                position = (names[name] if has else -1 for name, has in zip(OWNER_NAMES, rule.owner_names, strict=True))
                document.owner = Owner(rule.kind, *position)
                last = rule.run(document, names)
                document.owner = owner
            rule, names = last or (None, None)
        document.depth -= 1

    def bits(self, node: Node, scope: Scope, *, is_last: bool = False) -> Callable:
        """A closure that matches bits; of one that is a rule's last part the rule to go on with is the result."""
        match node:
            case Text(value):
                return self._text(value)
            case Binary("&"):
                return self._sequence(flatten(node, "&"), scope, is_last)
            case Binary("|"):
                return self._alternatives(flatten(node, "|"), scope)
            case Repeat(of, None):
                return self._fill(of, scope)
            case Repeat(of, count):
                return self._repeat(of, self.number(count, scope), scope)
            case Switch():
                return self.switch(node, scope, lambda value, scope: self.bits(value, scope, is_last=is_last))
            case Call("var", (Name((name,)), value)):
                return self._bind(name, value, scope)
            case Call(name, arguments) if name in BUILT_IN:
                return BUILT_IN[name](self, arguments, scope)
            case Name((name,)) if name in scope.locals:
                return self._parameter(name)
            case Name((name,)):
                return self._call(name, (), scope, is_last)
            case Call(name, arguments):
                return self._call(name, arguments, scope, is_last)
        raise DogmaError(f"rule {scope.rule}: bits are expected")

    def _call(self, name: str, arguments: tuple[Node, ...], scope: Scope, is_last: bool) -> Callable:
        rule = self.rule(name, scope)
        if rule.is_function:
            return self.function(rule, arguments, scope)
        compiled, bind, run = self._compiled[name], self.arguments(rule, arguments, scope), self._run
        if is_last:
            return lambda document, names: (compiled, bind(document, names))
        return lambda document, names: run(document, compiled, bind(document, names))

    def _text(self, value: bytes) -> Callable:
        size = 8 * len(value)

        def match(document: Document, names: dict) -> None:
            begin = document.take(size)
            found = document.bytes(begin, begin + size)
            if found != value:
                raise document.fail(f"{found!r} instead of {value!r}", begin)

        return match

    def _parameter(self, name: str) -> Callable:
        look_up, run = self.variable((name,)), self._run

        def match(document: Document, names: dict) -> None:
            value = look_up(document, names)
            if not isinstance(value, Deferred):
                raise DogmaError(f"{name} is not of type bits")
            last = value.run(document, value.names)
            if last:
                run(document, *last)

        return match

    def _bind(self, name: str, value: Node, scope: Scope) -> Callable:
        """A variable of bits: with the variables of the rule that is called, if it is one."""
        called, arguments = (value.path[0], ()) if isinstance(value, Name) else (getattr(value, "name", None), ())
        if isinstance(value, Call):
            arguments = value.arguments
        if called not in self._compiled or called in scope.locals:
            inner, run = self.bits(value, scope), None
        else:
            inner, run = self.arguments(self.rules[called], arguments, scope), self._compiled[called]

        def match(document: Document, names: dict) -> None:
            begin, data = document.at, document.data
            own = names
            if run is None:
                inner(document, names)
            else:
                own = inner(document, names)
                self._run(document, run, own)
            names[name] = Bound(own, data, begin, document.at)

        return match

    def _sequence(self, nodes: list[Node], scope: Scope, is_last: bool) -> Callable:
        parts = [self.bits(node, scope) for node in nodes[:-1]]
        last = self.bits(nodes[-1], scope, is_last=is_last)
        if len(parts) == 1:
            [first] = parts

            def match_both(document: Document, names: dict):
                first(document, names)
                return last(document, names)

            return match_both

        def match(document: Document, names: dict):
            for part in parts:
                part(document, names)
            return last(document, names)

        return match

    def _fill(self, of: Node, scope: Scope) -> Callable:
        """Repeat until the enclosing `sized` is full."""
        if self._size_of_anything(of, scope):
            return lambda document, names: document.take(document.limit - document.at) and None
        inner = self.bits(of, scope)

        def match(document: Document, names: dict) -> None:
            while document.at < document.limit:
                before = document.at
                inner(document, names)
                if document.at == before:
                    raise document.fail("a repetition of nothing")

        return match

    def _repeat(self, of: Node, count: Callable, scope: Scope) -> Callable:
        if size := self._size_of_anything(of, scope):

            def skip(document: Document, names: dict) -> None:
                document.take(size * _whole(count(document, names), document))

            return skip
        inner = self.bits(of, scope)

        def match(document: Document, names: dict) -> None:
            for _ in range(_whole(count(document, names), document)):
                inner(document, names)

        return match

    def _size_of_anything(self, node: Node, scope: Scope) -> int | None:
        """The bits of a number of any value: many of them can be passed over at once."""
        match node:
            case Call("uint", (NumberNode(bits), Range(None, None))):
                return bits
            case Name((name,)) if name not in scope.locals and not self.rule(name, scope).is_function:
                return self._size_of_anything(self.rules[name].body, scope)
        return None

    def _alternatives(self, nodes: list[Node], scope: Scope) -> Callable:
        """The first one that matches; fields of a Thrift struct are looked up by their ids instead."""
        if all(self._first_field(node, scope) for node in nodes):
            return self._fields(nodes, scope)
        compiled = [self.bits(node, scope) for node in nodes]

        def match(document: Document, names: dict) -> None:
            mark, first = document.mark(), None
            for branch in compiled:
                try:
                    return branch(document, names)
                except Mismatch as error:
                    document.go_back(mark)
                    first = first or error
            raise first

        return match

    def _first_field(self, node: Node, scope: Scope) -> Call | None:
        """The field header with which an expression begins."""
        match node:
            case Call("field", _):
                return node
            case Binary("&", left, _):
                return self._first_field(left, scope)
            case Call("var", (_, value)):
                return self._first_field(value, scope)
            case Name((name,)) | Call(name, _) if name not in scope.locals and name in self.rules:
                rule = self.rules[name]
                return None if rule.is_function else self._first_field(rule.body, self.scope(rule))
        return None

    def _fields(self, nodes: list[Node], scope: Scope) -> Callable:
        """Members of a struct: by the ids that are numbers; the other ones in order."""
        known: dict[int, Callable] = {}
        others = []
        for node in nodes:
            id = self._first_field(node, scope).arguments[0]
            if isinstance(id, NumberNode):
                known[id.value] = self.bits(node, scope)
            else:
                others.append(self.bits(node, scope))

        def match(document: Document, names: dict) -> None:
            own = known.get(read_field(document)[0])
            before = document.at, document.owner, document.depth
            for branch in (own, *others) if own else others:
                try:
                    return branch(document, names)
                except NoField as error:
                    if document.at != before[0]:
                        raise Mismatch(error.offset, error.message) from None
                    _, document.owner, document.depth = before
            raise NoField(document.here, f"a field that {scope.rule} does not have")

        return match

    def uint(self, arguments: tuple[Node, ...], scope: Scope, is_signed: bool = False) -> Callable:
        size, accepts = self.number(arguments[0], scope), self.numbers(arguments[1], scope)

        def match(document: Document, names: dict) -> None:
            begin, bits = document.at, size(document, names)
            number = document.number(bits)
            if is_signed and number >> bits - 1:
                number -= 1 << bits
            if not accepts(document, names, number):
                raise document.fail(f"{number} is not one of the permitted numbers", begin)

        return match

    def sint(self, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        return self.uint(arguments, scope, is_signed=True)

    def ordered(self, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        inner = self.bits(arguments[0], scope)

        def match(document: Document, names: dict) -> None:
            document.is_reversed = document.is_little
            inner(document, names)
            document.is_reversed = False

        return match

    def byte_order(self, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        inner, is_little = self.bits(arguments[1], scope), arguments[0] == Name(("lsb",))

        def match(document: Document, names: dict) -> None:
            before, document.is_little = document.is_little, is_little
            inner(document, names)
            document.is_little = before

        return match

    def sized(self, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        size, inner = self.number(arguments[0], scope), self.bits(arguments[1], scope)

        def match(document: Document, names: dict) -> None:
            bits, before = _whole(size(document, names), document), document.limit
            end = document.at + bits
            if end > before:
                raise document.fail(f"{bits / 8:g} bytes are needed, {(before - document.at) / 8:g} are left")
            if bits:
                document.limit = end
            inner(document, names)
            if bits and document.at != end:
                raise document.fail(f"{(end - document.at) / 8:g} bytes are left over")
            document.limit = before

        return match

    def offset(self, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        position, inner = self.number(arguments[0], scope), self.bits(arguments[1], scope)

        def match(document: Document, names: dict) -> None:
            before = document.at, document.limit, document.data
            at, limit = _whole(position(document, names), document), len(document.file) * 8
            if at > limit:
                raise document.fail(f"an offset leads to byte {at // 8} of a file of {limit // 8}")
            document.at, document.limit, document.data = at, limit, document.file
            inner(document, names)
            document.at, document.limit, document.data = before

        return match

    def peek(self, arguments: tuple[Node, ...], scope: Scope) -> Callable:
        inner = self.bits(arguments[0], scope)

        def match(document: Document, names: dict) -> None:
            at, owner = document.at, document.owner
            document.owner = None
            inner(document, names)
            document.at, document.owner = at, owner

        return match


def _whole(number: int | float, document: Document) -> int:
    """The number, if it is one that counts something."""
    if not isinstance(number, int) or number < 0:
        raise document.fail(f"{number} is not a whole number from 0 on")
    return number


BUILT_IN = {
    "uint": Evaluator.uint,
    "sint": Evaluator.sint,
    "ordered": Evaluator.ordered,
    "byte_order": Evaluator.byte_order,
    "sized": Evaluator.sized,
    "offset": Evaluator.offset,
    "peek": Evaluator.peek,
}
