"""Summarize a file's tail for people: forms, blocks and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from ... import extension, kernels, wire
from ...edits.choice import choose_form
from ...edits.recorded_original import recorded_original
from ...encoding.carried import may_have_copies
from ...errors import ParquetextError, names_memory
from ...findings import Finding
from ...footer import forms
from ...footer.chunk_copies import copies_by_chunk, name_of_encoding
from ...footer.locate import read_tail
from ...footer.tail import Tail
from ...masking import without_secrets
from ...storage import open_source
from ..structure import SIGNATURE_BYTES, leaf_paths
from .encrypted_file import check_encrypted

__all__ = ["Block", "CopiedColumn", "Inspection", "Slot", "inspect"]


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the footer's extension; the offset counts from the file's start. Of the arrow dialect, which of its
    layouts it has."""

    kind: str
    uuid: str
    offset: int
    bytes: int
    layout: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """The content of an extension slot of the flat footer."""

    kind: str
    uuid: str
    bytes: int


@dataclass(frozen=True, slots=True)
class CopiedColumn:
    """A column that has copies of the same kind: in how many row groups, their bytes, and those of the chunks."""

    column: str
    encoding: str
    codec: str
    row_groups: int
    bytes: int
    chunk_bytes: int


@dataclass(slots=True)
class Inspection:
    """The facts of a footer; sizes in bytes. Facts that a damaged footer does not give are None.

    `copies` are of columns in other encodings, `original_bytes` those of the file from before it was encoded; `auto`
    contains the form that ``upgrade(form="auto")`` would add, and the reason.
    """

    path: str
    file_bytes: int
    footer_offset: int | None = None
    footer_bytes: int | None = None
    thrift_bytes: int | None = None
    extension_bytes: int = 0
    aside_bytes: int = 0
    marker: str = "none"
    placement: str = "none"
    form: str | None = None
    rows: int | None = None
    row_groups: int | None = None
    columns: int | None = None
    created_by: str | None = None
    auto: str | None = None
    blocks: list[Block] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    copies: list[CopiedColumn] = field(default_factory=list)
    original_bytes: int | None = None
    findings: list[Finding] = field(default_factory=list)

    def as_dict(self) -> dict:
        return asdict(self)


@names_memory
def inspect(path) -> Inspection:
    """Look at a file's tail and footer; nothing is decoded, payload checksums are left to `verify`.

    Raises
    ------
    OSError
        The file cannot be read. Damage within the file is a finding.
    """
    from ...footer import open_file

    with open_source(path) as source:
        facts, tail, may_have_copies = Inspection(without_secrets(str(path)), source.size), None, True
        try:
            tail = read_tail(source)
            _add_tail(facts, source, tail)
            with open_file(path) as file:
                may_have_copies = file.may_have_copies
                facts.form, facts.rows = file.form, file.num_rows
                facts.row_groups, facts.columns = len(file.row_groups), file.num_columns
                facts.created_by = file.created_by
                if facts.thrift_bytes is not None and facts.auto is None:
                    facts.auto = _choice(facts)
                facts.findings += [finding for finding in file.findings if finding not in tail.findings]
                if file.spec.has_slots:
                    facts.slots = [
                        Slot(extension.name_of(uuid), str(uuid), size) for uuid, size in file.extensions.sizes.items()
                    ]
        except ParquetextError as error:
            is_encrypted = error.code == wire.ENCRYPTED
            facts.findings += check_encrypted(source) if is_encrypted else [Finding.of("unreadable", error)]
        if tail is not None and _has_slots(tail) and may_have_copies:
            _add_copies(facts, tail, source.read(tail.footer_offset, tail.footer_length))
            if tail.form.is_final:
                _add_original(facts, source, tail)
    return facts


def _add_tail(facts: Inspection, source, tail: Tail) -> None:
    """The footer and its blocks; its bytes are let go before they are read by a form."""
    facts.footer_offset, facts.footer_bytes = tail.footer_offset, tail.footer_length
    footer = source.read(tail.footer_offset, tail.footer_length)
    facts.blocks = [
        Block(
            extension.name_of(block.uuid),
            str(block.uuid),
            block.payload,
            block.length,
            "" if (spec := forms.form_of(block)) is None else spec.describe(footer, tail, block),
        )
        for block in tail.blocks
    ]
    facts.findings += tail.findings
    if not tail.form.is_final:
        _add_extension(facts, footer)
    if not _has_slots(tail):
        _add_copies(facts, tail, footer)
    if not tail.form.is_final:
        _add_original(facts, source, tail)
    if tail.reference is not None:
        facts.aside_bytes, facts.placement = tail.footer_offset - tail.start, extension.ASIDE


def _has_slots(tail: Tail) -> bool:
    """Return True if extension slots show whether there are copies, so that the Thrift footer need not be read."""
    return any(forms.BY_NAME[name].has_slots for name in forms.names_in(tail))


def _add_copies(facts: Inspection, tail: Tail, footer: bytes) -> None:
    """List the columns that have copies in other encodings; `verify` reports copies that cannot be read."""
    with suppress(ParquetextError):
        thrift = tail.form.rebuild(footer)
        if may_have_copies(thrift[: facts.thrift_bytes]):  # the footer's own extension stands behind
            facts.copies = list(_copied_columns(kernels.scan.scan(thrift, strict=False)))


def _add_original(facts: Inspection, source, tail: Tail) -> None:
    with suppress(ParquetextError):
        found = recorded_original(source, tail)
        facts.original_bytes = None if found is None else found.original.length


def _copied_columns(scan) -> Iterator[CopiedColumn]:
    sums: dict[tuple[int, str, int], list[int]] = {}
    for chunk in copies_by_chunk(scan):
        for copy in chunk.copies:
            own = sums.setdefault((chunk.leaf, name_of_encoding(copy), copy.codec), [0, 0, 0])
            for place, number in enumerate((1, copy.length, copy.chunk_length)):
                own[place] += number
    names = leaf_paths(scan) if sums else []
    for (leaf, encoding, codec), numbers in sums.items():
        column = names[leaf] if leaf < len(names) else str(leaf)
        yield CopiedColumn(column, encoding, wire.NAMES_OF_COMPRESSION_CODEC.get(codec, str(codec)).lower(), *numbers)


def _choice(facts: Inspection) -> str:
    """Return the form that `upgrade` would add with ``form="auto"``, and the reason."""
    data = facts.file_bytes - facts.footer_bytes - facts.aside_bytes
    choice = choose_form(facts.thrift_bytes, data + facts.thrift_bytes, facts.columns, facts.row_groups)
    return f"{choice.form if choice.form in forms.WRITABLE else 'nothing'}: {choice.reason}"


def _add_extension(facts: Inspection, footer: bytes) -> None:
    try:
        place = kernels.extension.find(footer, file_metadata=True)
    except ParquetextError as error:
        facts.findings.append(Finding.of("extension", error.at(None, facts.footer_offset), "footer"))
        return
    facts.thrift_bytes = len(footer) if place is None else place.header + 1
    if place is None and (behind := len(footer) - kernels.thrift.struct_end(footer)):
        what = "is signed" if behind == SIGNATURE_BYTES else f"has {behind} stray bytes behind its struct"
        facts.auto = f"nothing: the footer {what}, and upgrade refuses the file"
    if place is not None:
        facts.extension_bytes = len(footer) - facts.thrift_bytes
        facts.marker = extension.MARKER_NUMBERS[place.marker]
        facts.placement = extension.PLACEMENTS[place.placement]
