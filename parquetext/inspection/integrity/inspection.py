"""Summarize a file's tail for people: forms, blocks and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from ... import extension, kernels, wire
from ...edits.choice import choices
from ...edits.decode_columns import recorded_original
from ...encoding.carried import may_have_copies
from ...errors import ParquetextError, names_memory
from ...findings import Finding
from ...footer import forms
from ...footer.chunk_copies import copies_by_chunk, name_of_encoding
from ...footer.chunk_statistics import geospatial_statistics, has_boxes, joined_statistics
from ...footer.form_spec import Shape
from ...footer.format_version import declared_version
from ...footer.locate import read_tail
from ...footer.model import FooterReader
from ...footer.names import as_path
from ...footer.tail import Tail
from ...footer.wire_names import names_of_types
from ...masking import without_secrets
from ...records import frozen
from ...storage import open_source
from ..structure.structure import SIGNATURE_BYTES, leaf_paths
from .encrypted_file import check_encrypted


@frozen
class Block:
    """One block of the footer's extension, or the part of a form to which the footer refers, without a UUID.

    The offset counts from the file's start. Some forms also have the name of their layout.
    """

    kind: str
    uuid: str
    offset: int
    bytes: int
    layout: str = ""


@frozen
class Slot:
    """The content of an extension slot of the flat footer."""

    kind: str
    uuid: str
    bytes: int


@frozen
class CopiedColumn:
    """A column that has copies of the same kind: in how many row groups, their bytes, and those of the chunks."""

    column: str
    encoding: str
    codec: str
    row_groups: int
    bytes: int
    chunk_bytes: int


@frozen
class GeospatialColumn:
    """A column of geometries: its annotation, the box around those of all row groups, and the names of their types.

    The box and the types are those that the writer states; limits that a row group lacks are None.
    """

    column: str
    logical_type: str
    bbox: dict[str, float | None] | None
    types: list[str]


@dataclass(slots=True)
class Inspection:
    """The properties of a footer; sizes are in bytes. Properties that a damaged footer does not reveal are None.

    `copies` are of columns in other encodings, `original_bytes` those of the file from before it was encoded; `auto`
    contains the form that ``upgrade(form="auto")`` would add, and the reason. `declared_version` is the version of the
    format that the Thrift footer declares; it is not rebuilt for this if the file has none. `drops` lists
    the facts of a Thrift footer that forms of the file do not store.
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
    declared_version: str | None = None
    auto: str | None = None
    blocks: list[Block] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    copies: list[CopiedColumn] = field(default_factory=list)
    original_bytes: int | None = None
    geospatial: list[GeospatialColumn] = field(default_factory=list)
    drops: list[str] = field(default_factory=list)
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
        fields, tail, may_have_copies = Inspection(without_secrets(str(path)), source.size), None, True
        try:
            tail = read_tail(source)
            _add_tail(fields, source, tail)
            with open_file(path) as file:
                may_have_copies = file.may_have_copies
                fields.form, fields.rows = file.form, file.num_rows
                fields.row_groups, fields.columns = len(file.row_groups), file.num_columns
                fields.created_by = file.created_by
                fields.geospatial = file._on_form(lambda form: [*_geospatial_columns(form)])
                if (thrift := fields.thrift_bytes) is not None and fields.auto is None:
                    whole = source.size - tail.footer_length - fields.aside_bytes + thrift
                    fields.auto = _choice(Shape(thrift, whole, fields.columns, fields.row_groups))
                fields.findings += [finding for finding in file.findings if finding not in tail.findings]
                if file.spec.has_slots:
                    fields.slots = [
                        Slot(extension.name_of(uuid), str(uuid), size) for uuid, size in file.extensions.sizes.items()
                    ]
        except ParquetextError as error:
            is_encrypted = error.code == wire.ENCRYPTED
            fields.findings += check_encrypted(source) if is_encrypted else [Finding.of("unreadable", error)]
        if tail is not None and _has_slots(tail) and may_have_copies:
            _add_copies(fields, tail, source.read(tail.footer_offset, tail.footer_length))
            if tail.is_final:
                _add_original(fields, source, tail)
    return fields


def _add_tail(fields: Inspection, source, tail: Tail) -> None:
    """Check the footer and its blocks; release its bytes before a form reads them."""
    fields.footer_offset, fields.footer_bytes = tail.footer_offset, tail.footer_length
    footer = source.read(tail.footer_offset, tail.footer_length)
    forms.add_referred(tail, footer)
    fields.blocks = [
        Block(
            extension.name_of(block.uuid),
            str(block.uuid),
            block.payload,
            block.length,
            "" if (spec := forms.form_of(block)) is None else spec.describe(footer, tail, block),
        )
        for block in tail.blocks
    ]
    for spec, block in tail.referred:
        layout = spec.describe(footer, tail, block)
        fields.blocks.append(Block(spec.title, "", block.payload, block.length, layout))
    fields.findings += tail.findings
    for name in forms.names_in(tail):
        fields.drops += [f"{name}: {fact}" for fact in forms.BY_NAME[name].drops]
    if not tail.is_final:
        _add_extension(fields, footer, tail.footer_offset)
        with suppress(ParquetextError):
            declared = declared_version(footer)
            fields.declared_version = None if declared is None else str(declared)
    if not _has_slots(tail):
        _add_copies(fields, tail, footer)
    if not tail.is_final:
        _add_original(fields, source, tail)
    if tail.reference is not None:
        fields.aside_bytes, fields.placement = tail.footer_offset - tail.start, extension.ASIDE


def _geospatial_columns(form: FooterReader) -> Iterator[GeospatialColumn]:
    for leaf in range(form.leaf_count):
        node = form.node(leaf)
        if has_boxes(node):
            found = joined_statistics(geospatial_statistics(form, leaf))
            name, annotation = ".".join(as_path(node.path)), names_of_types(node.thrift)[1] or ""
            box = None if found is None or found.bbox is None else found.bbox._asdict()
            yield GeospatialColumn(name, annotation, box, [] if found is None else found.type_names)


def _has_slots(tail: Tail) -> bool:
    """Return True if extension slots show whether there are copies, so that the Thrift footer need not be read."""
    return any(forms.BY_NAME[name].has_slots for name in forms.names_in(tail))


def _add_copies(fields: Inspection, tail: Tail, footer: bytes) -> None:
    """List the columns that have copies in other encodings; `verify` reports copies that cannot be read."""
    with suppress(ParquetextError):
        thrift = tail.form.rebuild(footer)
        if may_have_copies(thrift[: fields.thrift_bytes]):  # the footer's extension follows
            fields.copies = list(_copied_columns(kernels.scan.scan(thrift, strict=False)))


def _add_original(fields: Inspection, source, tail: Tail) -> None:
    with suppress(ParquetextError):
        found = recorded_original(source, tail)
        fields.original_bytes = None if found is None else found.original.length


def _copied_columns(scan) -> Iterator[CopiedColumn]:
    sums: dict[tuple[int, str, int], list[int]] = {}
    for chunk in copies_by_chunk(scan):
        for copy in chunk.copies:
            own = sums.setdefault((chunk.leaf, name_of_encoding(copy), copy.codec), [0, 0, 0])
            for position, number in enumerate((1, copy.length, copy.chunk_length)):
                own[position] += number
    names = leaf_paths(scan) if sums else []
    for (leaf, encoding, codec), numbers in sums.items():
        column = names[leaf] if leaf < len(names) else str(leaf)
        yield CopiedColumn(column, encoding, wire.NAMES_OF_COMPRESSION_CODEC.get(codec, str(codec)).lower(), *numbers)


def _choice(shape: Shape) -> str:
    """Return the form that `upgrade` would add with ``form="auto"``, and the reason."""
    choice = choices(shape)[0]
    return f"{choice.form if choice.form in forms.WRITABLE else 'nothing'}: {choice.reason}"


def _add_extension(fields: Inspection, footer: bytes, offset: int) -> None:
    try:
        position = kernels.extension.find(footer, file_metadata=True)
    except ParquetextError as error:
        fields.findings.append(Finding.of("extension", error.at(None, offset), "footer"))
        return
    fields.thrift_bytes = len(footer) if position is None else position.header + 1
    if position is None and (behind := len(footer) - kernels.thrift.struct_end(footer)):
        what = "is signed" if behind == SIGNATURE_BYTES else f"has {behind} stray bytes after its struct"
        fields.auto = f"nothing: the footer {what}, and upgrade refuses the file"
    if position is not None:
        fields.extension_bytes = len(footer) - fields.thrift_bytes
        fields.marker = extension.MARKER_NUMBERS[position.marker]
        fields.placement = extension.PLACEMENTS[position.placement]
