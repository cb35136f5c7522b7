"""From a source to the best form of its footer: which forms the tail holds, and what they are worth."""

from __future__ import annotations

from .. import kernels, wire
from ..errors import Damaged, Malformed, ParquetextError, Unsupported
from ..findings import Finding
from ..storage import BatchedSource
from .dialect.form import dialect_form, dialect_of, layout_findings
from .locate import FIRST_READ_REMOTE, Tail, locate
from .model import Form
from .thrift_form import ThriftForm

__all__ = ["best_form", "form_beside_flat", "named_form", "unread_extension"]

FLAT_DAMAGED, THRIFT_DAMAGED = "flat-damaged", "thrift-damaged"
EXTENSION_UNREAD = "extension-unread"
_MARKERS = (b"\x08\xff\xff\x01", b"\x08\xfe\xff\x03")


def best_form(source) -> tuple[str, Form, list[Finding]]:
    """Read the tail and open the best form in it whose checks hold.

    Raises
    ------
    Malformed, Damaged, Refused, Unsupported
        The tail holds no footer that can be read. A damaged PAR3 footer has no other one beside it.
    """
    tail, data = _read_tail(source)
    findings = list(tail.findings)
    block = next((block for block in tail.blocks if block.uuid == wire.UUID_FLAT_FOOTER), None)
    if block is not None:
        name = "par3" if tail.is_par3 else "flat"
        handle = (source.fd, source.size) if isinstance(source, kernels.local.LocalFile) else source
        if isinstance(source, BatchedSource):
            source.worth = block.payload, block.length
        try:
            return name, kernels.flat.Reader(handle, block.payload, block.length, data), findings
        except (Damaged, Unsupported) as error:
            if tail.is_par3:
                raise
            findings.append(Finding.of(FLAT_DAMAGED, error, "flat footer"))
    name, form, more = _beside_flat(source, tail, data)
    return name, form, findings + more


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
    raise ParquetextError(f"no form of a footer that can be asked for: {name!r} (known: 'thrift', 'arrow')")


def form_beside_flat(source) -> tuple[str, Form, list[Finding]]:
    """The best form of those that are left where the flat footer is damaged."""
    return _beside_flat(source, *_read_tail(source, through=True))


def _beside_flat(source, tail: Tail, data: bytes) -> tuple[str, Form, list[Finding]]:
    """The Thrift footer, and what is odd beside it; where it cannot be parsed, the arrow dialect."""
    try:
        form, footer = _scanned(source, tail, data)
    except Malformed as error:
        if dialect_of(tail) is None:
            raise
        return "arrow", _from_dialect(source, tail, data, error), [Finding.of(THRIFT_DAMAGED, error, "Thrift footer")]
    findings = layout_findings(footer, tail)
    if not tail.blocks and any(marker in footer for marker in _MARKERS):
        findings += unread_extension(footer, tail.footer_offset)
    return "thrift", form, findings


def _read_tail(source, through: bool = False) -> tuple[Tail, bytes]:
    """The tail and its bytes: what opening a local file has read, or one read; more of it up to a flat footer, or all
    of its blocks."""
    data = source.tail if hasattr(source, "tail") else source.read_tail(FIRST_READ_REMOTE)[1]
    tail = locate(data, source.size)
    while tail.missing and (through or not tail.has(wire.UUID_FLAT_FOOTER)):
        tail.step(source.read(*tail.missing))
    return tail, data


def _scanned(source, tail: Tail, data: bytes) -> tuple[ThriftForm, bytes]:
    """Scan the whole Thrift footer."""
    footer, io = _footer(source, tail, data)
    try:
        return ThriftForm(footer, io), footer
    except ParquetextError as error:
        raise error.at(None, tail.footer_offset) from None


def _footer(source, tail: Tail, data: bytes) -> tuple[bytes, tuple[int, int]]:
    """The footer's bytes; what the tail has of them is not read again. Reads and bytes that it took."""
    begin, end = tail.footer_offset, tail.footer_offset + tail.footer_length
    known = source.size - len(data)
    if begin >= known:
        return data[begin - known:end - known], (0, 0)
    missing = min(end, known) - begin
    return source.read(begin, missing) + data[:max(0, end - known)], (1, missing)


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
    if place is None:
        return []
    message = f"{place.length} bytes that end in no whole block"
    return [Finding(EXTENSION_UNREAD, message, offset + place.payload, "footer")]
