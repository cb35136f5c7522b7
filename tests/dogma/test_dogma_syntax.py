"""Dogma text is parsed into rules; an error names the line."""

from __future__ import annotations

import pytest

from dogma.syntax import Binary, Call, DogmaError, Name, Negation, Number, Range, Repeat, Switch, Text, parse

HEADER = "dogma_v1 utf-8\n- identifier = test\n\n"


def body(text: str):
    return parse(f"{HEADER}rule = {text};").rules["rule"].body


def test_header_lines_are_kept():
    assert parse(f"{HEADER}a = 1;").headers == {"identifier": "test"}


def test_the_first_rule_is_the_start():
    assert parse(f"{HEADER}b = 1; a = 2;").start.name == "b"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("0x10 | 2 & 3", Binary("|", Number(16), Binary("&", Number(2), Number(3)))),
        ("1 ! 2 & 3", Binary("!", Number(1), Binary("&", Number(2), Number(3)))),
        ("a = 1 & b", Binary("&", Binary("=", Name(("a",)), Number(1)), Name(("b",)))),
        ("1 + 2 * 3 - 4", Binary("-", Binary("+", Number(1), Binary("*", Number(2), Number(3))), Number(4))),
        ("2 * -3 ^ 2", Binary("*", Number(2), Binary("^", Negation("-", Number(3)), Number(2)))),
        ("1~a.b + 1", Range(Number(1), Binary("+", Name(("a", "b")), Number(1)))),
        ("~ ! 3~", Binary("!", Range(None, None), Range(Number(3), None))),
        ("a{2} & b*", Binary("&", Repeat(Name(("a",)), Number(2)), Repeat(Name(("b",)), None))),
        ("a * b", Binary("*", Name(("a",)), Name(("b",)))),
        ("f(1, ~)", Call("f", (Number(1), Range(None, None)))),
        (r'"PAR\[31]"', Text(b"PAR1")),
        ("[a = 1: b; : c;]", Switch(((Binary("=", Name(("a",)), Number(1)), Name(("b",))),), Name(("c",)))),
        ("!(a < 1)", Negation("!", Binary("<", Name(("a",)), Number(1)))),
    ],
)
def test_operators_have_the_precedence_of_the_language(text, tree):
    assert body(text) == tree


def test_functions_have_types_and_prose():
    rule = parse(f'{HEADER}f(a: uinteger, b: bits): bits =\n """\n What it\n does.\n """; # a comment').rules["f"]
    assert (rule.parameters, rule.types) == (("a", "b"), ("uinteger", "bits", "bits"))
    assert rule.body == "What it\n does."
    assert rule.is_function


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dogma_v2 utf-8\n\na = 1;", "line 1: the header"),
        (f"{HEADER}a = 1;\nb = ;", "line 5: ';'"),
        (f"{HEADER}a = 1;\na = 2;", "line 5: a second rule a"),
        (f"{HEADER}a = (1;", "line 4: ';' where"),
        (f"{HEADER}a = 1", "line 4: 'the end' where ;"),
        (f"{HEADER}a = [: 1; 1 = 1: 2;];", "line 4: an entry of a switch behind its default"),
        (f"{HEADER}a = `;", "line 4: '`' is not expected"),
        (f'{HEADER}f(a, b: bits): bits = """x""";', "line 4: the function f lacks types"),
    ],
)
def test_text_that_is_not_well_formed_is_reported_with_its_line(text, message):
    with pytest.raises(DogmaError, match=f"^{message.replace('(', '[(]')}"):
        parse(text)
