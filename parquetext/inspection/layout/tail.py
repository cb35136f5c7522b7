"""Claim the bytes of a file's end: footer, extension, blocks, length and magic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ... import extension, kernels, wire
from ...errors import ParquetextError
from ...findings import Finding
from ...footer import forms
from ...footer.form_spec import FormSpec
from ...footer.locate import read_tail
from ...footer.payload_cells import COLUMNS, KEY_VALUES
from ...footer.tail import LENGTH_AND_MAGIC, Block, Tail
from ..structure.structure import SIGNATURE_BYTES, behind_struct, check_counts
from .claims import Claims
from .thrift_footer import Part, key_names, thrift_parts

MAGIC_BYTES = 4
KINDS = {
    **{uuid: spec.part_kind for uuid, spec in forms.BY_UUID.items()},
    wire.UUID_FOOTER_REFERENCE: "reference",
    wire.UUID_ORIGINAL: "original-block",
    wire.UUID_ORIGINAL_FOOTER: "original-block",
}


@dataclass(slots=True)
class TailParts:
    """The content of a file's end.

    Attributes
    ----------
    data_end : int
        The end of the bytes before the footer and its blocks.
    scan : Scan or None
        The scanned footer, if it can be read.
    tail : Tail or None
        The positions in the file's end.
    form : str
        The name of the whole file's form, ``"encrypted"`` or ``"none"``.
    findings : list of Finding
    """

    data_end: int
    scan: Any = None
    tail: Tail | None = None
    form: str = "none"
    findings: list[Finding] = field(default_factory=list)


def claim_tail(claims: Claims, source) -> TailParts:
    """Claim all bytes from the footer and the blocks before it to the end of the file."""
    try:
        tail = read_tail(source)
    except ParquetextError as error:
        if error.code == wire.ENCRYPTED:
            return _claim_encrypted(claims, source)
        return TailParts(source.size, findings=[Finding.of("tail", error)])
    return _claim_final(claims, source, tail) if tail.is_final else _claim_footer(claims, source, tail)


def _claim_footer(claims: Claims, source, tail: Tail) -> TailParts:
    fields = TailParts(tail.start, tail=tail, form=tail.form.name, findings=list(tail.findings))
    footer = source.read(tail.footer_offset, tail.footer_length)
    forms.add_referred(tail, footer)
    fields.findings += tail.findings[len(fields.findings) :]
    for spec, block in tail.referred:
        if block.payload < tail.footer_offset:  # after the struct, it is one of the stray bytes there
            claims.add(block.payload, block.length, spec.part_kind, name=spec.title)
        if block.payload + block.length == tail.start:
            fields.data_end = block.payload
    end = source.size - LENGTH_AND_MAGIC
    claims.add(end, 4, "footer-length")
    claims.add(end + 4, MAGIC_BYTES, "magic")
    aside = [part for block in reversed(tail.blocks) if block.is_aside for part in _block_parts(source, block)]
    claims.cover(tail.start, tail.footer_offset, "alignment", aside)
    try:
        fields.scan = kernels.scan.scan(footer, strict=False)
    except ParquetextError as error:
        fields.findings.append(Finding.of(tail.form.name, error.at(None, tail.footer_offset), "Thrift footer"))
    if fields.scan is not None and fields.scan.problem is not None:
        problem = fields.scan.problem
        fields.findings.append(Finding.of(tail.form.name, problem.at(None, tail.footer_offset), "Thrift footer"))
    elif fields.scan is not None:
        fields.findings += check_counts(fields.scan)
    _claim_struct(claims, source, tail, footer, fields)
    return fields


def _claim_struct(claims: Claims, source, tail: Tail, footer: bytes, fields: TailParts) -> None:
    """Claim the Thrift struct with its extension, and the bytes after it."""
    base, end = tail.footer_offset, tail.footer_offset + tail.footer_length
    inside = [part for block in reversed(tail.blocks) if not block.is_aside for part in _block_parts(source, block)]
    if fields.scan is None:
        claims.cover(base, end, "unread-footer", inside)
        return
    try:
        position = kernels.extension.find(footer, file_metadata=True)
    except ParquetextError as error:
        fields.findings.append(Finding.of("extension", error.at(None, base), "footer"))
        position = None
    if position is None:
        behind = base + fields.scan.end
        claims.cover(base, behind, "footer-field", thrift_parts(footer, fields.scan, base, behind))
        _claim_behind(claims, fields, behind, end, inside)
        return
    header = base + position.header
    claims.cover(base, header, "footer-field", thrift_parts(footer, fields.scan, base, header))
    payload, struct_end = base + position.payload, base + position.struct_end
    claims.add(header, payload - header, "extension-header")
    claims.cover(payload, payload + position.length, "free-form", inside)
    claims.add(payload + position.length, struct_end - payload - position.length, "footer-field")
    _claim_behind(claims, fields, struct_end, end, [])


def _claim_behind(claims: Claims, fields: TailParts, begin: int, end: int, parts: list[Part]) -> None:
    """Claim the bytes between the struct and the footer's length: a signature, or unknown bytes."""
    is_signature = fields.scan.encrypted and end - begin == SIGNATURE_BYTES
    claims.cover(begin, end, "signature" if is_signature else "stray", [] if is_signature else parts)
    if begin < end:
        fields.findings.append(behind_struct(fields.scan, end - begin, begin))


def _block_parts(source, block: Block) -> Iterator[Part]:
    """Yield the parts of a block's payload, and its trailer."""
    name, begin, end = extension.name_of(block.uuid), block.payload, block.payload + block.length
    if block.is_text:
        yield begin, begin + block.size, KINDS.get(block.uuid, "block"), {"name": name}
        return
    yield from _payload_parts(source, block, forms.BY_UUID.get(block.uuid))
    yield end, end + block.trailer, "block-trailer", {"name": name}


def _payload_parts(source, block: Block, spec: FormSpec | None, keys: Sequence[str] = ()) -> Iterator[Part]:
    """Yield the parts of the payload of a form's block; key-values of these keys are parts with their names."""
    begin, length, name = block.payload, block.length, extension.name_of(block.uuid)
    kind = KINDS.get(block.uuid, "block") if spec is None else spec.part_kind
    at = begin
    for start, end, part, number in () if spec is None else spec.claim(source.read(begin, length)):
        if at < begin + start:
            yield at, begin + start, kind, {"name": "tables of other readers"}
        if part == KEY_VALUES and 0 <= number < len(keys):
            yield begin + start, begin + end, "key-value", {"name": keys[number]}
        else:
            yield begin + start, begin + end, kind, {"name": part, "column": number if part == COLUMNS else -1}
        at = begin + end
    if at < begin + length:
        yield at, begin + length, kind, {"name": name}


def _claim_final(claims: Claims, source, tail: Tail) -> TailParts:
    """Claim a footer without Thrift: payload, checksums and length, magic."""
    [block], spec, keys = tail.blocks, tail.form, []
    fields = TailParts(block.payload, tail=tail, form=spec.name, findings=list(tail.findings))
    end = block.payload + block.length
    try:
        thrift = spec.rebuild(source.read(block.payload, block.length))
        fields.scan = kernels.scan.scan(thrift, strict=False)
        keys = key_names(thrift, fields.scan)
    except ParquetextError as error:
        fields.findings.append(Finding.of(spec.damaged, error.at(None, block.payload), spec.title))
    claims.cover(block.payload, end, spec.part_kind, _payload_parts(source, block, spec, keys))
    trailer = block.trailer - MAGIC_BYTES
    claims.add(end, trailer, "footer-length")
    claims.add(end + trailer, MAGIC_BYTES, "magic")
    return fields


def _claim_encrypted(claims: Claims, source) -> TailParts:
    """Return the parts of an encrypted footer: the plain struct, the encrypted module, length and magic."""
    fields = TailParts(source.size, form="encrypted")
    end = source.size - LENGTH_AND_MAGIC
    length = int.from_bytes(source.read(end, 4), "little")
    claims.add(end, 4, "footer-length")
    claims.add(end + 4, MAGIC_BYTES, "magic")
    fields.data_end = end
    if not 1 <= length <= end - MAGIC_BYTES:
        message = f"the encrypted footer's length of {length} bytes does not fit in the file of {source.size}"
        fields.findings.append(Finding("tail", message, end))
        return fields
    begin = end - length
    fields.data_end = begin
    try:
        struct = kernels.thrift.struct_end(source.read(begin, length))
    except ParquetextError as error:
        fields.findings.append(Finding.of("tail", error.at(None, begin), "encrypted footer"))
        claims.add(begin, length, "encrypted-footer")
        return fields
    claims.add(begin, struct, "encryption")
    claims.add(begin + struct, length - struct, "encrypted-footer")
    claims.add(MAGIC_BYTES, max(begin - MAGIC_BYTES, 0), "encrypted-data")
    text = "the footer is encrypted: only its keys tell what the data in front of it are"
    fields.findings.append(Finding("encrypted", text, begin, is_note=True))
    return fields
