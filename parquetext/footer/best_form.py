"""Open the best form of a file's footer, or the next one if a form is damaged."""

from __future__ import annotations

from collections.abc import Iterator

from .. import kernels
from ..errors import Damaged, Malformed, ParquetextError, Unsupported
from ..findings import Finding
from ..storage import can_gather
from . import forms
from .form_spec import FormSpec, Location
from .locate import FIRST_READ_REMOTE, locate_in
from .model import FooterReader
from .tail import Block, Tail
from .thrift_form import ThriftForm

EXTENSION_UNREAD = "extension-unread"
PROBED_BYTES = 1 << 20  # of a remote footer, from which on one more request for its first bytes costs little
SHARED_BYTES = 12 << 10  # of a payload's end: data that every projection needs, or a whole small payload


def best_form(source) -> tuple[str, FooterReader, list[Finding]]:
    """Read the tail and open the best form in it whose checks hold: the last block of ours, the one before it, Thrift.

    Raises
    ------
    Malformed, Damaged, Refused, Unsupported
        If no footer can be read. A damaged final form has no other one beside it.
    """
    tail, data = _read_tail(source)
    name, form, found = _best_of(source, tail, data, None)
    return name, form, [*tail.findings, *found]


def following_form(source, left: str, error: Damaged) -> tuple[str, FooterReader, list[Finding]]:
    """Open the next form after one that is damaged; the first finding reports the damage."""
    tail, data = _read_tail(source, through=True)
    name, form, found = _best_of(source, tail, data, left)
    return name, form, [forms.BY_NAME[left].finding(error), *found]


def open_block(spec: FormSpec, handle, location: Location) -> FooterReader:
    """Open a form at its position; `handle` is a source, or the file descriptor and the size of a local file."""
    if can_gather(handle):
        begin, end = spec.needed_range(location)
        handle.worth = begin, end - begin
        handle.shared = (
            max(location.payload, location.payload + location.length - SHARED_BYTES),
            min(location.length, SHARED_BYTES),
        )
        if spec.reads_by_chunk:
            handle.want_shared()
    return spec.open(handle, location)


def _best_of(source, tail: Tail, data: bytes, left: str | None) -> tuple[str, FooterReader, list[Finding]]:
    """Open the best form whose checks hold, except the one that was left; the findings are about better ones."""
    findings: list[Finding] = []
    for spec, block in _own_blocks(source, tail):
        if spec.name == left:
            continue
        try:
            return spec.name, _open_block(source, spec, tail, block, data), findings
        except (Damaged, Unsupported) as error:
            if tail.is_final:
                raise
            findings.append(spec.finding(error))
    if _is_probed(source, tail, data):
        before = len(tail.findings)
        forms.add_referred(tail, _front(source, tail, data))
        findings += tail.findings[before:]
        del tail.findings[before:]
        for spec, block in tail.referred:
            if spec.name == left:
                continue
            try:
                return spec.name, _open_block(source, spec, tail, block, data), findings
            except (Damaged, Malformed, Unsupported) as error:
                findings.append(spec.finding(error))
    return _thrift_or_beside(source, tail, data, findings)


def _is_probed(source, tail: Tail, data: bytes) -> bool:
    """Return True if it costs little to read the footer's first bytes before all others."""
    if isinstance(source, kernels.local.LocalFile):
        return True
    return source.size - len(data) <= tail.footer_offset or tail.footer_length >= PROBED_BYTES


def _front(source, tail: Tail, data: bytes) -> bytes:
    """Return the first bytes of the Thrift footer, which show the forms to which it refers."""
    length = min(forms.FRONT_BYTES, tail.footer_length)
    at = tail.footer_offset - (source.size - len(data))
    return data[at : at + length] if at >= 0 else source.read(tail.footer_offset, length)


def _open_block(source, spec: FormSpec, tail: Tail, block: Block, data: bytes) -> FooterReader:
    handle = (source.fd, source.size) if isinstance(source, kernels.local.LocalFile) else source
    known, known_end, thrift_length = data, source.size, block.payload - tail.footer_offset
    if spec.front_bytes:
        thrift_length = tail.footer_length
    elif block.is_aside:
        thrift_length = tail.reference.struct_length - 1
        last = tail.reference.blocks[-1]
        if known_end - len(known) > block.payload == last.payload and tail.reference.tail_block:
            known, known_end = tail.reference.tail_block, last.payload + last.length
    position = Location(tail.footer_offset, thrift_length, block.payload, block.length, known, known_end)
    return open_block(spec, handle, position)


def _own_blocks(source, tail: Tail) -> Iterator[tuple[FormSpec, Block]]:
    """Yield our blocks from the back; blocks before one are read only if another one is requested."""
    if tail.is_final:
        yield tail.form, tail.blocks[0]
        return
    known = 0
    while True:
        for block in tail.blocks[known:]:
            if spec := forms.PREFERRED.get(block.uuid):
                yield spec, block
        known = len(tail.blocks)
        if not tail.missing:
            return
        tail.step(source.read(*tail.missing))


def _thrift_or_beside(
    source, tail: Tail, data: bytes, findings: list[Finding]
) -> tuple[str, FooterReader, list[Finding]]:
    """Open the Thrift form; if its bytes are damaged, a form beside it that is not preferred otherwise."""
    beside = [spec for spec in forms.BY_UUID.values() if not spec.is_preferred]
    try:
        form, footer = _scanned(source, tail, data)
    except Malformed as error:
        damaged = [*findings, forms.THRIFT.finding(error)]
        for spec in beside:
            block = spec.find(tail)
            if block is None:
                continue
            open_it = _open_beside if spec.needs_footer else _open_block
            try:
                return spec.name, open_it(source, spec, tail, block, data), damaged
            except (Damaged, Malformed, Unsupported) as unusable:
                damaged.append(spec.finding(unusable))
        raise
    for spec in beside:
        findings += spec.glance(footer, tail)
    if not tail.blocks and form.scan.has_extension:
        findings += unread_extension(footer, tail.footer_offset)
    return forms.THRIFT.name, form, findings


def _open_beside(source, spec: FormSpec, tail: Tail, block: Block, data: bytes) -> FooterReader:
    footer, io = _footer(source, tail, data)
    return spec.open_beside(footer, tail, block, io)


def named_form(source, name: str) -> tuple[str, FooterReader, list[Finding]]:
    """Open the form with this name and no other.

    Raises
    ------
    ParquetextError
        If there is no such form.
    Malformed, Damaged, Refused, Unsupported
        If the file does not have it, or if it cannot be read.
    """
    spec = forms.BY_NAME.get(name)
    if spec is None:
        raise ParquetextError(
            f"unknown footer form {name!r}: use one of {', '.join(forms.BY_NAME)}, or None for the best"
        )
    tail, data = _read_tail(source, through=True)
    if spec is tail.form and not tail.is_final:
        return name, _scanned(source, tail, data)[0], list(tail.findings)
    if spec.magic is None:
        tail = tail.thrift_only()
    block = spec.referred(_front(source, tail, data), tail) if spec.front_bytes else spec.find(tail)
    if block is None or (tail.is_final and spec is not tail.form) or (spec.is_final and not tail.is_final):
        raise Unsupported(f"the footer has no block of the {spec.title}", offset=tail.footer_offset)
    open_it = _open_beside if spec.needs_footer else _open_block
    return name, open_it(source, spec, tail, block, data), list(tail.findings)


def offset_of_missing(source) -> int:
    """Return the offset of the first struct that lacks a field that readers require; else that of the footer."""
    tail, data = _read_tail(source)
    if not tail.form.begins_with_thrift:
        return tail.footer_offset
    missing, _ = kernels.required.find_missing(_footer(source, tail, data)[0])
    return tail.footer_offset + (0 if missing is None else missing.offset)


def offset_of_name(source, name: bytes) -> int | None:
    """Return the offset of a schema element with this name in the Thrift footer, or None."""
    tail, data = _read_tail(source)
    if not tail.form.begins_with_thrift:
        return None
    footer = _footer(source, tail, data)[0]
    scan = kernels.scan.scan(footer, strict=False)
    positions = zip(scan.elements("name_offset"), scan.elements("name_length"), strict=True)
    found = (start for start, length in positions if bytes(footer[start : start + length]) == name)
    return next((tail.footer_offset + start for start in found), None)


def thrift_footer(source) -> tuple[bytes | memoryview, int | None]:
    """Return the whole Thrift footer and its offset; if a final form replaces it, the rebuilt one and None.

    Raises
    ------
    Malformed, Damaged, Refused, Unsupported
        If there is none, or none that can be read.
    """
    tail, data = _read_tail(source)
    footer, _ = _footer(source, tail, data)
    return tail.form.rebuild(footer), None if tail.is_final else tail.footer_offset


def thrift_length(source) -> int | None:
    """Return the size of the whole Thrift footer, or None if a final form replaces it."""
    tail, _ = _read_tail(source)
    return None if tail.is_final else tail.footer_length


def _read_tail(source, through: bool = False) -> tuple[Tail, bytes]:
    """Return the tail and its bytes, read up to a block of ours, or, with `through`, all of its blocks."""
    data = source.tail if isinstance(source, kernels.local.LocalFile) else source.read_tail(FIRST_READ_REMOTE)[1]
    tail, known = locate_in(source, data), 0
    while tail.missing and (through or not any(block.uuid in forms.PREFERRED for block in tail.blocks[known:])):
        known = len(tail.blocks)
        tail.step(source.read(*tail.missing))
    return tail, data


def _scanned(source, tail: Tail, data: bytes) -> tuple[ThriftForm, bytes | memoryview]:
    """Scan the whole Thrift footer."""
    footer, io = _footer(source, tail, data)
    try:
        return ThriftForm(footer, io, tail.footer_offset), footer
    except ParquetextError as error:
        raise error.at(None, tail.footer_offset) from None


def _footer(source, tail: Tail, data: bytes) -> tuple[bytes | memoryview, tuple[int, int]]:
    """Return the footer's bytes, without reading bytes of `data` again, and the reads and bytes that it took."""
    begin, end = tail.footer_offset, tail.footer_offset + tail.footer_length
    known = source.size - len(data)
    if begin >= known:
        return data[begin - known : end - known], (0, 0)
    if isinstance(source, kernels.local.LocalFile):  # in one piece, which costs less than putting two together
        return kernels.local.read_pages(source.fd, begin, end - begin), (1, end - begin)
    missing = min(end, known) - begin
    return source.read(begin, missing) + data[: max(0, end - known)], (1, missing)


def unread_extension(footer: bytes | memoryview, offset: int) -> list[Finding]:
    """Return the finding for an extension in which no block ends; `offset` is the footer's."""
    try:
        position = kernels.extension.find(footer, file_metadata=True)
    except Malformed as error:
        return [Finding.of("extension", error.at(None, offset), "footer")]
    return [] if position is None else [unread_finding(position, offset)]


def unread_finding(location, offset: int) -> Finding:
    """Return the finding for an extension in which no block ends; the footer starts at `offset`."""
    message = f"{location.length} bytes that end in no whole block"
    return Finding(EXTENSION_UNREAD, message, offset + location.payload, "footer")
