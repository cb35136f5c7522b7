"""Small descriptions over small documents: matches, claims, and failures."""

from __future__ import annotations

import pytest

from dogma.document import Mismatch
from dogma.evaluate import Evaluator
from dogma.functions import FUNCTIONS
from dogma.syntax import DogmaError, parse

HEADER = "dogma_v1 utf-8\n- identifier = test\n\n"
NUMBERS = "byte = uint(8, ~); u8(v) = uint(8, v); u16(v) = ordered(uint(16, v));"
TYPES = {
    "here": ": uinteger",
    "size": ": uinteger",
    "given": "(variable: expression, otherwise: sinteger): sinteger",
    "known": "(variable: expression): condition",
    "demand": "(place: uinteger, holds: condition): nothing",
    "uleb128": "(values: uintegers): bits",
    "between": "(rest: bits): nothing",
    "base64": "(length: uinteger, contents: bits): bits",
}


def match(text: str, data: bytes, **kinds: str) -> list[tuple]:
    """Return the claims of a description; if no rules are given, everything is claimed for the kind `file`."""
    functions = "".join(f'{name}{types} = """x""";' for name, types in TYPES.items())
    grammar = parse(f"{HEADER}{text}{NUMBERS}{functions}")
    evaluator = Evaluator(grammar, {grammar.start.name: "file"} | kinds)
    evaluator.compile_all()
    return [(begin, end, owner.kind, *owner[1:]) for begin, end, owner in evaluator.claims(data)]


def failure(text: str, data: bytes, **kinds: str) -> int:
    with pytest.raises(Mismatch) as failed:
        match(text, data, **kinds)
    return failed.value.offset


def test_all_bytes_are_matched():
    assert match('d = "PAR" & uint(8, 0x31 | 0x33);', b"PAR3") == [(0, 4, "file", -1, -1, -1)]
    assert failure('d = "PAR" & uint(8, 0x31 | 0x33);', b"PAR2") == 3
    assert failure('d = "PAR1" & byte;', b"XAR1") == 0


def test_a_document_that_ends_too_early_fails_at_the_begin_of_the_number():
    assert failure("d = byte & u16(~);", b"ab") == 1


def test_bytes_after_the_match_are_unclaimed():
    assert failure("d = byte{2};", b"abc") == 2


def test_a_byte_that_is_matched_twice_is_reported():
    assert failure("d = byte{3} & offset(16, byte);", b"abc") == 2


def test_numbers_are_of_any_bits_and_order():
    assert match("d = uint(4, 0xa) & uint(12, 0xbcd);", b"\xab\xcd")
    assert match("d = byte_order(lsb, u16(0x1234) & uint(16, 0x1234));", b"\x34\x12\x12\x34")
    assert match("d = u16(0x1234);", b"\x12\x34")
    assert match("d = ordered(sint(8, -2)) & sint(8, ~-1);", b"\xfe\xff")
    assert failure("d = sint(8, 0~) & sint(8, 0~);", b"\x00\x80") == 1


def test_a_variable_contains_the_match_and_arguments_bind_for_their_caller():
    text = "d = u8(var(length, 1~3)) & byte{length};"
    assert match(text, b"\x02ab")
    assert failure(text, b"\x02abc") == 3
    assert failure(text, b"\x04abcd") == 0


def test_variables_of_a_rule_are_reached_through_its_variable():
    text = "d = var(h, head) & byte{h.count * h.inner.size}; head = u8(var(count, ~)) & var(inner, part); part = %s;"
    assert match(text % "u8(var(size, ~))", b"\x02\x03abcdef")
    assert failure(text % "u8(var(other, ~))", b"\x02\x03abcdef") == 2


def test_a_switch_takes_the_first_condition_that_holds_or_the_default_or_nothing():
    text = 'd = u8(var(n, ~)) & [ n = 1 | n = 2 & n != 3: "ab"; !(n < 7): "c"; %s ];'
    assert match(text % ": byte;", b"\x01ab")
    assert match(text % ": byte;", b"\x08c")
    assert match(text % ": byte;", b"\x04x")
    assert match(text % "", b"\x04")


def test_sized_bits_have_exactly_the_given_size():
    assert match("d = sized(24, byte*) & byte;", b"abcd")
    assert failure("d = sized(24, byte{2}) & byte;", b"abcd") == 2
    assert failure("d = sized(24, byte{4});", b"abcd") == 0
    assert failure("d = byte & sized(32, byte*);", b"abcd") == 1


def test_a_size_of_zero_is_no_limit():
    assert match("d = sized(0, byte{3});", b"abc")


def test_peek_and_offset_leave_the_position_and_peek_claims_nothing():
    text = "d = peek(offset(24, u8(var(length, ~)))) & byte{length} & rest(length); rest(column) = byte{4 - column};"
    assert match(text, b"abc\x01", rest="rest") == [(0, 1, "file", -1, -1, -1), (1, 4, "rest", -1, 1, -1)]
    assert failure("d = byte & offset(80, byte);", b"ab") == 1


def test_the_first_matching_alternative_is_used_and_others_leave_no_claims():
    text = 'd = (part | other) & byte; part = "ab" & "c"; other = "ab" & "d";'
    assert match(text, b"abd!", part="part", other="other") == [(0, 3, "other", -1, -1, -1), (3, 4, "file", -1, -1, -1)]
    assert failure(text, b"abe!") == 2


def test_rules_that_end_in_themselves_run_on_for_long():
    text = "d = chain(0); chain(n) = [ here < size: byte & chain(n + 1); here = size: demand(0, n = 50000); ];"
    assert match(text, bytes(50_000))


def test_rules_within_rules_have_a_limit():
    assert failure("d = nested & byte; nested = peek(nested) & byte;", b"abc") == 0


def test_rules_of_numbers_may_call_themselves():
    text = "d = byte{width(size * 16)}; width(n) = [ n = 0: 0; : 1 + width((n - n % 2) / 2); ];"
    assert match(text, bytes(7))


def test_unknown_variables_are_reported_as_unknown():
    text = "d = (var(x, pair) | byte) & [ known(x.b): demand(9, 0 = 1); ] & u8(given(x.b, 7));"
    text += "pair = u8(var(b, 1)) & u8(1);"
    assert match(text, b"\x05\x07")
    assert failure(text, b"\x01\x01\x01") == 9


def test_varints_are_read_within_their_limits():
    assert match("d = uleb128(300);", b"\xac\x02")
    assert failure("d = byte & uleb128(~);", b"a\xac") == 2
    assert failure("d = byte & uleb128(~);", b"a" + b"\xff" * 11) == 1
    assert failure("d = byte & uleb128(~);", b"a" + b"\xff" * 9 + b"\x7f") == 1


def test_bytes_between_all_claims_are_matched_by_between():
    text = 'd = byte & offset(24, byte) & between(rest); rest = ("xx" | "y")*;'
    claims = match(text, b"axxbyxx", rest="rest")
    assert claims == [
        (0, 1, "file", -1, -1, -1),
        (1, 3, "rest", -1, -1, -1),
        (3, 4, "file", -1, -1, -1),
        (4, 7, "rest", -1, -1, -1),
    ]
    assert failure(text, b"axxbyzx") == 5


def test_text_is_decoded_and_its_errors_have_the_position_of_the_text():
    text = "d = byte & base64(8, u8(0x61) & byte{4} & %s) & byte;"
    assert match(text % "offset(0, peek(u8(0x2d))) & byte", b"-YWJjZGVm-")
    assert failure(text % "u8(0x67)", b"-YWJjZGVm-") == 1 + 5 * 4 // 3
    assert failure(text % "byte", b"-YWJ!ZGVm-") == 1


@pytest.mark.parametrize(
    "text",
    ["d = other;", "d = u8(1, 2);", "d = 1;", 'd = uint(8, "a");', "d = byte{x = 1}; x = byte;", "d = u8(y.z{3});"],
)
def test_invalid_descriptions_are_refused_before_they_run(text):
    with pytest.raises(DogmaError):
        match(text, b"a")


def test_functions_of_the_tests_are_implemented():
    assert TYPES.keys() <= FUNCTIONS.keys()
