"""From a source to the best form of its footer: which forms the tail holds, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterator

from .. import kernels, wire
from ..errors import Damaged, Malformed, ParquetextError, Unsupported
from ..findings import Finding
from ..storage import can_gather
from .dialect.dialect_form import dialect_form, dialect_of, layout_findings
from .locate import FIRST_READ_REMOTE, Block, Tail, locate_in
from .model import Form
from .thrift_form import ThriftForm

__all__ = [
    "FLAT_DAMAGED",
    "FLAT_VERBATIM",
    "best_form",
    "following_form",
    "named_form",
    "offset_of_missing",
    "offset_of_name",
    "open_reader",
    "thrift_footer",
    "thrift_length",
    "unread_extension",
    "unread_finding",
]

NAMES = {wire.UUID_FLAT_FOOTER: "flat", wire.UUID_FOOTER_INDEX: "index"}
FLAT_DAMAGED = "flat-damaged"
DAMAGED = {"flat": (FLAT_DAMAGED, "flat footer"), "index": ("index-damaged", "footer index")}
FLAT_VERBATIM = "flat-verbatim"  # sound, and nothing to look anything up in
THRIFT_DAMAGED = "thrift-damaged"
EXTENSION_UNREAD = "extension-unread"
SHARED_BYTES = 12 << 10  # of a payload's end: what every projection needs, or a whole small index


def best_form(source) -> tuple[str, Form, list[Finding]]:
    """Read the tail and open the best form in it whose checks hold: the last block of ours, the one before it, Thrift.

    Raises
    ------
    Malformed, Damaged, Refused, Unsupported
        The tail holds no footer that can be read. A damaged PAR3 footer has no other one beside it.
    """
    tail, data = _read_tail(source)
    name, form, found = _best_of(source, tail, data, None)
    return name, form, [*tail.findings, *found]


def following_form(source, left: str, error: Damaged) -> tuple[str, Form, list[Finding]]:
    """The next form after one that was found damaged, with a finding about that."""
    tail, data = _read_tail(source, through=True)
    name, form, found = _best_of(source, tail, data, left)
    return name, form, [_damaged(left, error), *found]


def open_reader(
    name: str, handle, footer: int, thrift_length: int, payload: int, length: int, known, known_end: int
) -> Form:
    """The reader of a form of ours, placed as `kernels.local.own_block` says; `handle` as kernels take a source."""
    if can_gather(handle):
        begin, end = payload, payload + length
        if name == "index":
            begin, end = min(begin, footer), max(end, footer + thrift_length)
        handle.worth = begin, end - begin
        handle.shared = max(payload, payload + length - SHARED_BYTES), min(length, SHARED_BYTES)
        if name == "index":
            handle.want_shared()
    if name == "index":
        return kernels.index.Reader(handle, footer, payload, length, known, known_end, thrift_length)
    return kernels.flat.Reader(handle, payload, length, known, known_end)


def _damaged(name: str, error: ParquetextError) -> Finding:
    kind, place = DAMAGED[name]
    return Finding.of(FLAT_VERBATIM if error.code == wire.VERBATIM else kind, error, place)


def _best_of(source, tail: Tail, data: bytes, left: str | None) -> tuple[str, Form, list[Finding]]:
    """The best form whose checks hold, but for the one that was left; and what is wrong with better ones."""
    findings: list[Finding] = []
    for block in _own_blocks(source, tail):
        name = "par3" if tail.is_par3 else NAMES[block.uuid]
        if name == left:
            continue
        try:
            return name, _open_block(source, name, tail, block, data), findings
        except (Damaged, Unsupported) as error:
            if tail.is_par3:
                raise
            findings.append(_damaged(name, error))
    return _thrift_or_dialect(source, tail, data, findings)


def _open_block(source, name: str, tail: Tail, block: Block, data: bytes) -> Form:
    handle = (source.fd, source.size) if isinstance(source, kernels.local.LocalFile) else source
    known, known_end, thrift_length = data, source.size, block.payload - tail.footer_offset
    if block.is_aside:
        thrift_length = tail.reference.struct_length - 1
        last = tail.reference.blocks[-1]
        if known_end - len(known) > block.payload == last.payload and tail.reference.tail_block:
            known, known_end = tail.reference.tail_block, last.payload + last.length
    return open_reader(name, handle, tail.footer_offset, thrift_length, block.payload, block.length, known, known_end)


def _own_blocks(source, tail: Tail) -> Iterator[Block]:
    """Blocks of ours from the back; what stands in front of one is read only if another one is asked for."""
    known = 0
    while True:
        yield from (block for block in tail.blocks[known:] if block.uuid in NAMES)
        known = len(tail.blocks)
        if not tail.missing:
            return
        tail.step(source.read(*tail.missing))


def _thrift_or_dialect(source, tail: Tail, data: bytes, findings: list[Finding]) -> tuple[str, Form, list[Finding]]:
    """The Thrift form; where its bytes are broken, the arrow dialect if there is one."""
    try:
        form, footer = _scanned(source, tail, data)
    except Malformed as error:
        if dialect_of(tail) is None:
            raise
        findings.append(Finding.of(THRIFT_DAMAGED, error, "Thrift footer"))
        return "arrow", _from_dialect(source, tail, data, error), findings
    findings += layout_findings(footer, tail)
    if not tail.blocks and form.scan.has_extension:
        findings += unread_extension(footer, tail.footer_offset)
    return "thrift", form, findings


def named_form(source, name: str) -> tuple[str, Form, list[Finding]]:
    """Open the one form that is asked for, or none.

    Raises
    ------
    ParquetextError
        There is no such form.
    Malformed, Damaged, Refused, Unsupported
        The file does not have it, or it cannot be read.
    """
    tail, data = _read_tail(source, through=True)
    if name == "thrift":
        return name, _scanned(source, tail.thrift_only(), data)[0], list(tail.findings)
    if name == "arrow":
        footer, io = _footer(source, tail.thrift_only(), data)
        return name, dialect_form(footer, tail, io), list(tail.findings)
    raise ParquetextError(f"unknown footer form {name!r}: use 'thrift', 'arrow', or None for the fastest in the file")


def offset_of_missing(source) -> int:
    """Where in the file the first struct of the footer lacks what readers require; where the footer begins, else."""
    tail, data = _read_tail(source)
    if tail.is_par3:
        return tail.footer_offset
    missing, _ = kernels.required.find_missing(_footer(source, tail, data)[0])
    return tail.footer_offset + (0 if missing is None else missing.offset)


def offset_of_name(source, name: bytes) -> int | None:
    """Return where in the file the Thrift footer has a schema element of this name; None if it has none."""
    tail, data = _read_tail(source)
    if tail.is_par3:
        return None
    footer = _footer(source, tail, data)[0]
    scan = kernels.scan.scan(footer, strict=False)
    places = zip(scan.elements("name_offset"), scan.elements("name_length"), strict=True)
    found = (start for start, length in places if bytes(footer[start : start + length]) == name)
    return next((tail.footer_offset + start for start in found), None)


def thrift_footer(source) -> tuple[bytes | memoryview, int | None]:
    """The whole Thrift footer and its offset; of a PAR3 file the one that its flat footer stands for, and None.

    Raises
    ------
    Malformed, Damaged, Refused, Unsupported
        There is none, or none that can be read.
    """
    tail, data = _read_tail(source)
    footer, _ = _footer(source, tail, data)
    return (kernels.flat.to_thrift(footer), None) if tail.is_par3 else (footer, tail.footer_offset)


def thrift_length(source) -> int | None:
    """The bytes of the whole Thrift footer; None of a PAR3 file, which has none."""
    tail, _ = _read_tail(source)
    return None if tail.is_par3 else tail.footer_length


def _read_tail(source, through: bool = False) -> tuple[Tail, bytes]:
    """The tail and its bytes: what opening a local file has read, or one read; more of it up to a block of ours,
    or all of its blocks."""
    data = source.tail if isinstance(source, kernels.local.LocalFile) else source.read_tail(FIRST_READ_REMOTE)[1]
    tail, known = locate_in(source, data), 0
    while tail.missing and (through or not any(block.uuid in NAMES for block in tail.blocks[known:])):
        known = len(tail.blocks)
        tail.step(source.read(*tail.missing))
    return tail, data


def _scanned(source, tail: Tail, data: bytes) -> tuple[ThriftForm, bytes]:
    """Scan the whole Thrift footer."""
    footer, io = _footer(source, tail, data)
    try:
        return ThriftForm(footer, io), footer
    except ParquetextError as error:
        raise error.at(None, tail.footer_offset) from None


def _footer(source, tail: Tail, data: bytes) -> tuple[bytes | memoryview, tuple[int, int]]:
    """The footer's bytes; what a remote file's tail has of them is not read again. Reads and bytes that it took."""
    begin, end = tail.footer_offset, tail.footer_offset + tail.footer_length
    known = source.size - len(data)
    if begin >= known:
        return data[begin - known : end - known], (0, 0)
    if isinstance(source, kernels.local.LocalFile):  # in one piece, which costs less than putting two together
        return kernels.local.read_pages(source.fd, begin, end - begin), (1, end - begin)
    missing = min(end, known) - begin
    return source.read(begin, missing) + data[: max(0, end - known)], (1, missing)


def _from_dialect(source, tail: Tail, data: bytes, thrift: Malformed) -> ThriftForm:
    """The arrow dialect in place of Thrift bytes that are broken; their error if it is, too."""
    try:
        footer, io = _footer(source, tail, data)
        return dialect_form(footer, tail, io)
    except (Damaged, Unsupported):
        raise thrift from None


def unread_extension(footer: bytes, offset: int) -> list[Finding]:
    """An extension in which no block ends: no error, and nothing to pass over; `offset` is the footer's."""
    try:
        place = kernels.extension.find(footer, file_metadata=True)
    except Malformed as error:
        return [Finding.of("extension", error.at(None, offset), "footer")]
    return [] if place is None else [unread_finding(place, offset)]


def unread_finding(place, offset: int) -> Finding:
    """What an extension amounts to in which no block ends; `place` is the kernels' in the footer at `offset`."""
    message = f"{place.length} bytes that end in no whole block"
    return Finding(EXTENSION_UNREAD, message, offset + place.payload, "footer")
