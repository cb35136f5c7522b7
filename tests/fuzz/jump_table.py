"""Fuzz target: a file with a jump table answers like its Thrift footer, or the jump table is left for it.

An input is a body and sixteen bytes of steering: mode, version of the index, placement, number of edits, and the
length of the index. By its mode, the body is a file as it is, a Thrift footer and an index, or a Thrift footer whose
index is built here, followed by edits of that index and of the pointer to it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from fuzz.answers import Outcome, answers_of, file_answers, implementations, opened, outcome
from fuzz.seed_footers import footers
from support.jump_tables import NOTHING, compressed, index_of
from support.memory_files import Memory

from parquetext import kernels, wire
from parquetext.edits.footer import read_footer
from parquetext.edits.referred import without_reference
from parquetext.edits.strip import without_blocks
from parquetext.errors import Damaged, ParquetextError
from parquetext.footer.form_spec import Location
from parquetext.footer.forms.jump_table import SPEC
from parquetext.footer.jump_table import jump_table_form
from parquetext.footer.jump_table.index_struct import chunk_offsets, read_index
from parquetext.footer.jump_table.pointer import POINTER_BYTES, Pointer, pointer_in, with_pointer
from parquetext.footer.thrift_form import ThriftForm

__all__ = ["check", "file_of", "seeds"]

RAW, BUILT, BOTH, FORM_ONLY = 1, 2, 4, 8  # bits of the mode; without RAW and BUILT, the body has footer and index
BEHIND, SPARSE = 1, 2  # bits of the placement: the index follows the footer; the footer is read in parts
STEERING = struct.Struct("<BBBBHxx8x")
EDIT = struct.Struct("<BHH")
SET, COPY, ADD, SWAP, POINTER = range(5)  # kinds of edits
PADDING = b"data"
NO_FILE = (ParquetextError, pa.ArrowException)
# Messages about structs that are no such struct; all others are about offsets and counts.
WITHOUT_NUMBERS = re.compile(
    r"its index is malformed|does not begin with a pointer|cannot be decompressed|lacks|no fields of the footer begin"
    r"|no chunk of this column|without its chunks is malformed|does not have one chunk per leaf|no list of"
)


def seeds() -> Iterator[bytes]:
    """Yield inputs of each kind."""
    for number, footer in enumerate(footers()):
        try:
            index = index_of(footer)
        except ParquetextError:
            continue
        version, placement = number % 3 + 1, number % 4
        yield footer + STEERING.pack(BUILT | FORM_ONLY, version, placement, 0, 0)
        if number % 2:
            yield footer + index + STEERING.pack(BOTH if number % 4 == 1 else 0, 1, placement, 0, len(index))
        else:
            edits = EDIT.pack(number // 2 % 5, number, 1) + EDIT.pack(SWAP, 1, 2)
            yield footer + edits + STEERING.pack(BUILT, version, placement, 2, 0)
        if number % 4 == 2:
            yield _assembled(footer, index, 1, b"") + STEERING.pack(RAW, 0, placement, 0, 0)


def file_of(data: bytes) -> bytes | None:
    """Return the file that an input describes, or None."""
    if len(data) < STEERING.size:
        return None
    body, steering = data[: -STEERING.size], STEERING.unpack(data[-STEERING.size :])
    mode, version, placement, edits, length = steering
    if mode & RAW:
        return body
    count = min(edits, len(body) // EDIT.size) if mode & BUILT else 0
    at = max(0, len(body) - (count * EDIT.size if mode & BUILT else length))
    footer, rest = body[:at], body[at:]
    if not footer or footer[0] < 16:
        return None
    if not mode & BUILT:
        return _assembled(footer, rest, version, b"", placement & BEHIND > 0)
    try:
        index = bytearray(index_of(footer))
        chunks = read_index(bytes(index), 1 << 20).chunks
    except ParquetextError:
        return None
    begin = bytes(index).index(bytes(chunks.data))
    offsets = [*chunks]
    for kind, a, b in EDIT.iter_unpack(rest):
        if kind == SET:
            index[a % len(index)] = b & 255
        elif offsets and kind in (COPY, ADD, SWAP):
            first, second = a % len(offsets), b % len(offsets)
            changed = [offsets[second], offsets[first] + (b ^ 0x8000) - 0x8000, offsets[second]][kind - COPY]
            if kind == SWAP:
                offsets[second] = offsets[first]
            offsets[first] = changed
    most = (1 << 8 * chunks.width) - 1
    packed = b"".join((offset & most).to_bytes(chunks.width, "little") for offset in offsets)
    if packed != bytes(chunks.data):
        index[begin : begin + len(packed)] = packed
    return _assembled(footer, bytes(index), version, rest, placement & BEHIND > 0)


def _assembled(footer: bytes, index: bytes, version: int, edits: bytes, behind: bool = False) -> bytes:
    """Return a file; edits of its pointer are made last."""
    stored = compressed(index, version)
    at, length = 4 + len(PADDING), len(with_pointer(footer, NOTHING))
    pointer = Pointer(version, at + length if behind else at, len(stored), length)
    struct_ = bytearray(with_pointer(footer, pointer))
    for kind, a, b in EDIT.iter_unpack(edits):
        if kind == POINTER:
            struct_[2 + a % (POINTER_BYTES - 2)] = b & 255
    end = bytes(struct_) + stored if behind else bytes(struct_)
    return b"PAR1" + PADDING + (b"" if behind else stored) + end + len(end).to_bytes(4, "little") + b"PAR1"


class Counted:
    """The bytes of a file as a source that counts what is read."""

    def __init__(self, data: bytes):
        self.data, self.size, self.reads, self.bytes = data, len(data), 0, 0

    def read(self, offset: int, length: int) -> bytes:
        assert 0 <= offset <= offset + length <= self.size, f"a read of {length} bytes at {offset} of {self.size}"
        self.reads, self.bytes = self.reads + 1, self.bytes + length
        return self.data[offset : offset + length]


@contextmanager
def _jumping() -> Iterator[None]:
    """Let small footers be read by the jump table, too."""
    before = jump_table_form.LOCAL_SHARE, jump_table_form.REMOTE_SHARE
    jump_table_form.LOCAL_SHARE = jump_table_form.REMOTE_SHARE = 0
    try:
        yield
    finally:
        jump_table_form.LOCAL_SHARE, jump_table_form.REMOTE_SHARE = before


def check(data: bytes) -> None:
    """Open the file of an input by its jump table and by its Thrift footer, and compare the answers."""
    file = file_of(data)
    if file is None or file[-4:] != b"PAR1":
        return
    mode, _, placement, _, _ = STEERING.unpack(data[-STEERING.size :])
    with _jumping():
        for _ in implementations(both=bool(mode & BOTH)):
            agrees = _check_form(file, bool(placement & SPARSE))
            if not mode & FORM_ONLY:
                if agrees:
                    _check_file(file)
                _check_removal(file)


def _check_form(file: bytes, sparse: bool) -> bool:
    """Compare the form with the Thrift form; return False if they may differ.

    Reads stay within the file, and are not repeated too often.
    """
    length = int.from_bytes(file[-8:-4], "little")
    if not 1 <= length <= len(file) - 12:
        return True
    begin, source = len(file) - 8 - length, Counted(file)
    tail = type("Place", (), {"footer_offset": begin, "footer_length": length})
    found = outcome(SPEC.referred, file[begin : begin + POINTER_BYTES], tail)
    if found[0] == "result" and found[1] is not None:
        known = b"" if sparse else file
        place = Location(begin, length, found[1].payload, found[1].length, known, len(file))
        found = outcome(SPEC.open, source, place)
    if found[0] == "error":
        _check_error(found[1])
        return True
    if found[1] is None:
        return True
    thrift, questions = outcome(ThriftForm, file[begin : begin + length]), 1
    agrees = thrift[0] == "result" and _must_agree(found[1], thrift[1])
    answers = dict(answers_of(thrift[1])) if agrees else {}
    for question, ours in answers_of(found[1]):
        questions += 1
        if ours[0] == "error":
            _check_error(ours[1])
        theirs = answers.get(question, None if agrees else ours)
        if not _is_left(ours):
            assert theirs is not None and _plain(ours) == _plain(theirs), f"{question}: {ours}, and Thrift: {theirs}"
    assert source.bytes <= 2 * questions * len(file), f"{source.bytes} bytes were read of a file of {len(file)}"
    return agrees


def _must_agree(ours, thrift: ThriftForm) -> bool:
    """Return True if a jump table must give the answers of the Thrift form.

    It leads past the damage of a chunk on which a reader of the whole footer loses its way. So one of both must be
    sound: the footer, if it ends at its end and has all required fields, or the jump table, if it leads to the same
    chunks.
    """
    scan = thrift.scan
    if scan.end != ours._metadata.length:
        return False
    if kernels.required.find_missing(scan.data)[0] is None:
        return True
    return scan.regular and [*ours._index.chunks] == [*chunk_offsets(scan)]


def _is_left(answer: Outcome) -> bool:
    """Return True for the error on which the file goes on with its Thrift footer."""
    return answer[0] == "error" and isinstance(answer[1], Damaged) and "jump table" in answer[1].message


def _plain(answer: Outcome) -> tuple:
    """Return an outcome that can be compared; offsets in a footer of some columns are others than in the whole one."""
    return answer if answer[0] == "result" else (type(answer[1]).__name__, answer[1].code)


def _check_error(error: ParquetextError) -> None:
    """Check that an error has an offset, and if it is about an offset or a count, both of its values."""
    if "jump table" not in error.message:
        return
    assert error.offset is not None, f"{error!r} without an offset"
    assert (error.expected is None) == (error.found is None), f"{error!r}: {error.expected}, {error.found}"
    if error.code == wire.BAD_VALUE and not WITHOUT_NUMBERS.search(error.message):
        assert error.expected is not None and error.expected != error.found, f"{error!r} without its two numbers"
        missing = [fact for fact in (error.offset, error.expected, error.found) if str(fact) not in str(error)]
        assert not missing, f"{error} does not name {missing}"


def _check_file(file: bytes) -> None:
    """Compare all that a user may ask of the file with the answers of its Thrift footer alone."""
    ours, theirs = opened(file), opened(file, "thrift")
    try:
        if theirs[0] == "error":
            return
        assert ours[0] == "result", f"{ours[1]!r}, and the Thrift footer can be read"
        found, expected = file_answers(ours[1]), file_answers(theirs[1])
        for question, answer in expected.items():
            assert _plain(found[question]) == _plain(answer), f"{question}: {found[question]}, and Thrift: {answer}"
        left = [finding for finding in ours[1].findings if finding.kind == SPEC.damaged]
        assert ours[1].form != SPEC.name or not left, f"{left}, and the jump table is in use"
    finally:
        for one in (ours, theirs):
            if one[0] == "result":
                one[1].close()


def _check_removal(file: bytes) -> None:
    """Check that a footer without its reference has the same facts, and no pointer."""
    read = outcome(read_footer, Memory(file))
    if read[0] == "error":
        return
    footer = read[1]
    if footer.unreferring != footer.bare:
        assert pointer_in(footer.unreferring) is None, "a footer without its pointer begins with a pointer"
        with_it, without = (kernels.scan.scan(struct, strict=False) for struct in (footer.bare, footer.unreferring))
        for name in ("version", "num_rows", "leaf_count", "row_group_count", "chunk_count", "key_value_count"):
            assert getattr(with_it, name) == getattr(without, name), name
    if footer.referred is None or not footer.referred.length:
        return
    planned = outcome(without_reference, footer, without_blocks, frozenset())
    if planned[0] == "error":
        return
    stripped = file[: planned[1].keep] + planned[1].tail
    assert len(stripped) < len(file)
    tail = read_footer(Memory(stripped))
    assert pointer_in(tail.data) is None and tail.referred is None, "the stripped file has a pointer"
    for name in ("thrift", None):
        before, after = opened(file, "thrift"), opened(stripped, name)
        assert before[0] == after[0], f"{before}, stripped: {after}"
        if before[0] == "result":
            with before[1], after[1]:
                assert _facts(after[1]) == _facts(before[1]), "the stripped file has other facts"


def _facts(file) -> dict[str, tuple]:
    return {question: _plain(answer) for question, answer in file_answers(file).items()}
