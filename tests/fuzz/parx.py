"""Fuzz target: a PARX file opens with the facts of its Thrift footer, or with the error that its tail calls for.

An input is a body and eight bytes of steering: mode, flags (u32), version, and two more. By its mode, the body is a
file as it is, or the metadata of a file whose tail is built here.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from fuzz.answers import Outcome, answers_of, file_answers, implementations, opened, outcome
from fuzz.seed_footers import footers
from support.parx_files import parx_end

from parquetext.errors import Damaged, Malformed, Unsupported
from parquetext.footer.thrift_form import ThriftForm

__all__ = ["check", "file_of", "seeds"]

RAW, WRONG_CHECKSUM, WRONG_LENGTH, BOTH = 1, 2, 4, 8  # bits of the mode
STEERING = struct.Struct("<BIBxx")
FIELDS = struct.Struct("<IIBI")
TAIL_BYTES, SMALLEST = 17, 22
ENCRYPTED, KNOWN = 1, 7
PADDING = b"data"


def seeds() -> Iterator[bytes]:
    """Yield inputs of each kind."""
    for number, footer in enumerate(footers()):
        for mode, flags in ((0, 0), (BOTH, 2), (0, 4), (RAW, 0)):
            body = b"PARX" + PADDING + parx_end(footer) if mode & RAW else footer
            if mode != RAW or number % 4 == 0:
                yield body + STEERING.pack(mode, flags, number % 4)
        if number % 4 == 0:
            for mode, flags in ((WRONG_CHECKSUM, 0), (WRONG_CHECKSUM, 8), (0, 1), (WRONG_LENGTH, 0)):
                yield footer + STEERING.pack(mode, flags, 2)


def file_of(data: bytes) -> bytes | None:
    """Return the file that an input describes, or None."""
    if len(data) < STEERING.size:
        return None
    body, (mode, flags, version) = data[: -STEERING.size], STEERING.unpack(data[-STEERING.size :])
    if mode & RAW:
        return body
    length = len(body) + (len(PADDING) + 1 if mode & WRONG_LENGTH else 0)
    checked = body + FIELDS.pack(length, flags, version, 0)[:-4]
    checksum = zlib.crc32(checked) ^ (mode & WRONG_CHECKSUM > 0)
    return b"PARX" + PADDING + checked + checksum.to_bytes(4, "little") + b"PARX"


def check(data: bytes) -> None:
    """Open the file of an input, and compare the result with this module's own reading of its tail."""
    file = file_of(data)
    if file is None:
        return
    for _ in implementations(both=bool(data[-STEERING.size] & BOTH)):
        found = opened(file)
        try:
            if file[-4:] == b"PARX" and len(file) >= SMALLEST:
                _compare(file, found)
            elif found[0] == "result":
                assert found[1].form != "parx", "a file without the tail of the form was opened as one"
        finally:
            if found[0] == "result":
                found[1].close()


def _compare(file: bytes, found: Outcome) -> None:
    begin = len(file) - TAIL_BYTES
    length, flags, _, stored = FIELDS.unpack_from(file, begin)
    if flags & ~KNOWN:
        _expect(found, Unsupported, begin + 4, KNOWN, flags)
    elif flags & ENCRYPTED:
        _expect(found, Unsupported, begin + 4, None, flags)
    elif not 1 <= length <= begin - 4:
        error = _expect(found, Malformed, begin, begin - 4, length)
        _names(error, begin, begin - 4, length)
    elif stored != (computed := zlib.crc32(file[begin - length : begin + 9])):
        error = _expect(found, Damaged, begin + 9, stored, computed)
        _names(error, begin + 9, f"{stored:#010x}", f"{computed:#010x}")
    else:
        _compare_metadata(file, found, begin - length, file[begin - length : begin])


def _expect(found: Outcome, kind: type, offset: int, expected: int | None, value: int):
    error = found[1]
    assert found[0] == "error" and isinstance(error, kind), f"{kind.__name__} is due, and it is {error!r}"
    facts = error.offset, error.expected, error.found
    assert facts == (offset, expected, value), f"{facts}, and due are {(offset, expected, value)}"
    return error


def _names(error, *facts: object) -> None:
    missing = [fact for fact in facts if str(fact) not in str(error)]
    assert not missing, f"{error} does not name {missing}"


def _compare_metadata(file: bytes, found: Outcome, begin: int, thrift: bytes) -> None:
    expected = outcome(ThriftForm, thrift, offset=begin)
    assert found[0] == expected[0], f"{found[1]!r}, and Thrift: {expected[1]!r}"
    if found[0] == "error":
        ours, theirs = found[1], expected[1].at(None, begin)
        assert isinstance(ours, type(theirs)) and str(theirs.message) in ours.message, f"{ours!r}, {theirs!r}"
        facts = [(error.code, error.offset, error.expected, error.found) for error in (ours, theirs)]
        assert facts[0] == facts[1], f"{ours!r}: {facts}"
        return
    assert (found[1].form, found[1].findings) == ("parx", [])
    for ours, theirs in zip(answers_of(found[1]._form), answers_of(expected[1]), strict=True):
        assert _plain(ours[1]) == _plain(theirs[1]), f"{ours}, and Thrift: {theirs}"
    plain = b"PAR1" + file[4:begin] + thrift + len(thrift).to_bytes(4, "little") + b"PAR1"
    with opened(plain, "thrift")[1] as other:
        ours, theirs = file_answers(found[1]), file_answers(other)
    for question in theirs:
        assert _plain(ours[question]) == _plain(theirs[question]), f"{question}: {ours[question]}, {theirs[question]}"


def _plain(answer: Outcome) -> tuple:
    """Return an outcome that can be compared."""
    error = answer[1]
    if answer[0] == "result":
        return answer
    return type(error).__name__, error.code, error.offset, error.expected, error.found, error.message
