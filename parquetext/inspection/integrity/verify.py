"""Verify one file: choose the tiers, and check the first one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ... import extension, kernels, wire
from ...block_text import decode_block
from ...edits.directories import takes_directories
from ...errors import LimitExceeded, ParquetextError, names_memory
from ...findings import Finding, is_sound
from ...footer import forms
from ...footer.best_form import unread_finding
from ...footer.form_agreement import compare_copy_table
from ...footer.form_spec import Checked
from ...footer.locate import FIRST_READ_LOCAL, read_tail
from ...footer.path_sizes import check_paths
from ...footer.scanning import has_sound_footer
from ...masking import without_secrets
from ...storage import journals_beside, open_source
from ...storage.in_place import LEFT, OTHERS, UNTRUSTED
from ...storage.journal import MIXED
from ..structure.structure import behind_struct, check_counts, count_elsewhere, leaf_paths
from .aside_blocks import check_aside
from .deep import decode_all
from .encoded_file import Encoded
from .encrypted_file import check_encrypted, encrypted_chunks
from .hadoop_checksum import check_hadoop_crc
from .page_tier import check_pages
from .report import Report
from .schema_check import check_required, check_schema
from .statistics import compare_statistics

if TYPE_CHECKING:
    from ...footer.model import FooterReader
    from ...footer.tail import Tail
    from ...storage import Source

_KINDS = {MIXED: "change-interrupted", LEFT: "journal-left", OTHERS: "journal-stale", UNTRUSTED: "journal-untrusted"}
_ADVICE = {MIXED: "; parquetext.recover puts the old tail back", LEFT: "; parquetext.recover removes it"}


def _unread(path: object, error: Exception) -> Report:
    """Return the report of a file of a directory that cannot be read."""
    return Report(without_secrets(str(path)), "tail", findings=[Finding("unreadable", without_secrets(str(error)))])


@takes_directories(_unread)
@names_memory
def verify(path: object, *, pages: bool = False, deep: bool = False) -> Report:
    """Check a file; the file is never changed.

    Parameters
    ----------
    path : str, PathLike, or (pyarrow.fs.FileSystem, str)
    pages : bool
        Also check the structure of chunks, pages, page indexes and Bloom filters, the rows and nulls that headers of V2
        pages claim against their levels, and each page's body: its checksum, or without one that it decompresses, and
        has the rows of lists and the values of deltas that it claims.
    deep : bool
        Also count rows and deltas in compressed pages with a checksum; decode every value by pyarrow and by our own
        decoder and compare the results; compare statistics, page indexes and Bloom filters with the values, and the
        footer's forms with each other field by field. Implies `pages`.

    Returns
    -------
    Report
        `.ok`, `.findings`, and how much was looked at. If `path` is a directory: a list with one for each file below
        it.

    Raises
    ------
    OSError
        The file cannot be read. Damage within the file is a finding, not an error.

    Notes
    -----
    The default tier costs one read of the footer: the tail, the Thrift structure, the fields that readers require in
    every struct, the schema and ``ARROW:schema`` as pyarrow takes them, the checksums of all blocks, every cell of a
    flat footer or an index, Thrift bytes by the checksums of an index, and the Thrift footer that is rebuilt from a
    packed footer with the file's. A block of the arrow dialect is compared with the Thrift footer (in plain Python,
    some 0.2 ms per column chunk), and so are the blocks of columns' copies in other encodings. `pages` and `deep` read
    all. Hadoop's checksum file beside a local file (``.NAME.crc``) has to fit it: its size and the footer, and with
    `pages` all of it.

    Examples
    --------
    >>> parquetext.verify("wide.parquet", pages=True).ok
    True
    """
    report = Report(without_secrets(str(path)), "deep" if deep else "pages" if pages else "tail")
    with open_source(path) as source:
        footer_offset = _verify(path, source, report, pages or deep, deep)
        if source.is_local:
            report.extend(_leftovers(source.name))
            report.extend(check_hadoop_crc(source, 0 if pages or deep else footer_offset))
        report.bytes_read = source.bytes_read
    return report


def _leftovers(path: str) -> Iterator[Finding]:
    """Yield findings about the journals next to a local file: notes, unless a change was interrupted."""
    for found in journals_beside(path, has_sound_footer):
        message = f"{found.message}{_ADVICE.get(found.verdict, '')}"
        yield Finding(_KINDS[found.verdict], message, place=found.name, is_note=found.verdict != MIXED)


def _verify(path: object, source: Source, report: Report, pages: bool, deep: bool) -> int:
    """Check everything except files next to the file; return the offset of the footer and its blocks."""
    try:
        tail = read_tail(source)
        end = source.read(tail.start, tail.footer_offset - tail.start + tail.footer_length)
    except ParquetextError as error:
        is_encrypted = error.code == wire.ENCRYPTED
        report.extend(check_encrypted(source) if is_encrypted else [Finding.of("tail", error)])
        return max(source.size - FIRST_READ_LOCAL, 0)
    _verify_footer(path, source, end, tail, report, pages, deep)
    return tail.start


def _verify_footer(
    path: object, source: Source, end: bytes, tail: Tail, report: Report, pages: bool, deep: bool
) -> None:
    """`end` is the file from `tail.start` to the end of its footer."""
    footer = end[tail.footer_offset - tail.start :]
    forms.add_referred(tail, footer)
    report.extend(tail.findings)
    if tail.is_final:
        _verify_final(path, source, end, tail, report, pages, deep)
        return
    scan = _check_thrift(footer, tail, report)
    _check_blocks(end, tail, report)
    checked = [
        (spec, Checked(source, end, tail, block, scan))
        for spec in forms.BY_UUID.values()
        if (block := spec.find(tail)) is not None
    ]
    checked += [(spec, Checked(source, end, tail, block, scan)) for spec, block in tail.referred]
    for spec, form in checked:
        report.forms.append(spec.name)
        report.extend(spec.check(form))
        report.omitted += form.losses
    if scan is None:
        return
    if tail.reference is not None:
        report.extend(check_aside(end, footer, tail, scan))
    encoded = Encoded(source, scan, footer, tail, leaf_paths(scan), report)
    if pages:
        referred = [(block.payload, block.payload + block.length, spec.title) for spec, block in tail.referred]
        structure = check_pages(source, scan, tail.start, report, [*encoded.ranges, *referred], deep=deep)
    if pages:
        encoded.check_bytes()
    if pages and (encrypted := encrypted_chunks(scan)):
        message = f"{encrypted} column chunks are encrypted: their pages are not checked, and no values decoded"
        report.findings.append(Finding("encrypted", message, is_note=True))
        return
    report.chunks_elsewhere = count_elsewhere(scan)
    if report.chunks_elsewhere:
        return
    if deep:
        for spec, form in checked:
            report.extend(spec.compare(form))
        report.extend(_decode(path, source, scan, report))
        if scan.regular:
            report.extend(compare_statistics(source, scan, structure, tail.start, report))
        encoded.compare_values()


def _decode(path: object, source: Source, scan: kernels.scan.Scan, report: Report) -> Iterator[Finding]:
    """Decode all values; use slices if pyarrow cannot take the footer because it leaves out path_in_schema."""
    leaves = range(scan.leaf_count)

    def slice_of(row_group: int) -> bytes:
        return kernels.slice.slice_footer(scan, leaves, [row_group])

    lacks_paths = not all(present & wire.PRESENT_PATH_IN_SCHEMA for present in scan.chunks("present"))
    counts = list(scan.row_groups("num_rows"))
    return decode_all(path, source, counts, scan.chunks("num_values"), report, slice_of, by_slices=lacks_paths)


def _verify_final(
    path: object, source: Source, end: bytes, tail: Tail, report: Report, pages: bool, deep: bool
) -> None:
    """Verify a file without a Thrift footer; the other tiers use Thrift slices of its form."""
    spec, form = tail.form, Checked(source, end, tail, tail.blocks[0])
    report.forms.append(spec.name)
    _check_blocks(end, tail, report)
    report.extend(spec.check(form))
    reader: FooterReader | None = form.reader
    if reader is None:
        return
    leaves, row_groups = range(reader.leaf_count), range(reader.row_group_count)
    encoded = _encoded_final(form, report)
    try:
        if pages:
            scan = kernels.scan.scan(reader.slice(leaves, row_groups))
            others = [] if encoded is None else encoded.ranges
            structure = check_pages(source, scan, tail.footer_offset, report, others, deep=deep)
            report.chunks_elsewhere = count_elsewhere(scan)
            if report.chunks_elsewhere:
                return
        if pages and encoded is not None:
            encoded.check_bytes()
        if deep:
            counts = list(reader.row_groups("num_rows"))
            values = [value for leaf in leaves for value in reader.column(leaf).array("num_values")]

            def slice_of(row_group: int) -> bytes:
                return reader.slice(leaves, [row_group])

            report.extend(decode_all(path, source, counts, values, report, slice_of, by_slices=True))
            report.extend(compare_statistics(source, scan, structure, tail.footer_offset, report))
        if deep and encoded is not None:
            encoded.compare_values()
    except ParquetextError as error:
        report.findings.append(Finding.of("unsliced", error, spec.title))


def _encoded_final(form: Checked, report: Report) -> Encoded | None:
    """Return the copies by the rebuilt Thrift footer, or None if it cannot be rebuilt."""
    spec = form.tail.form
    if not getattr(form.reader, "is_lossless", spec.is_lossless):
        return None
    try:
        footer = spec.rebuild(form.end)
        scan = kernels.scan.scan(footer)
    except ParquetextError as error:
        report.findings.append(Finding.of(spec.damaged, error, spec.title))
        return None
    if spec.has_slots:
        report.extend(compare_copy_table(scan, form.reader, spec, may_lack=True))
    return Encoded(form.source, scan, footer, form.tail, leaf_paths(scan), report)


def _check_thrift(footer: bytes, tail: Tail, report: Report) -> kernels.scan.Scan | None:
    """Scan the Thrift footer; bytes that do not parse, or that follow its end, are findings."""
    try:
        scan = kernels.scan.scan(footer)
    except ParquetextError as error:
        report.extend([] if tail.blocks else _find_extension(footer, tail)[1])
        report.findings.append(Finding.of(tail.form.name, error.at(None, tail.footer_offset), "Thrift footer"))
        return None
    position, unread = _find_extension(footer, tail) if scan.has_extension else (None, [])
    report.extend(unread)
    report.forms.append(tail.form.name)
    try:
        check_paths(scan)
    except LimitExceeded as error:
        report.findings.append(Finding("schema", f"not checked further: {error.message}", place="Thrift footer"))
        return None
    lacking = list(check_required(footer, scan, leaf_paths, tail.footer_offset))
    report.extend(lacking)
    if is_sound(lacking):
        report.extend(check_schema(footer, scan, tail.footer_offset))
    if unread and position is None:
        return scan
    end = scan.end if position is None else position.struct_end
    if end < len(footer):
        report.findings.append(behind_struct(scan, len(footer) - end, tail.footer_offset + end))
    report.extend(check_counts(scan))
    return scan


def _find_extension(footer: bytes, tail: Tail) -> tuple[Any, list[Finding]]:
    """Return the position of the extension; report a second one, and one in which no block ends."""
    try:
        position = kernels.extension.find(footer, file_metadata=True)
    except ParquetextError as error:
        return None, [Finding.of("extension", error.at(None, tail.footer_offset), "footer")]
    return position, [] if position is None or tail.blocks else [unread_finding(position, tail.footer_offset)]


def _check_blocks(end: bytes, tail: Tail, report: Report) -> None:
    """Check the payload checksum of every block, except of a reference as text, which has been checked before.

    `end` is the file from `tail.start` to the end of its footer.
    """
    for block in tail.blocks:
        start = block.payload - tail.start
        if block.crc is None and not block.is_aside:
            report.checked_bytes += block.length if tail.form.is_verified else 0
            continue
        report.checked_bytes += block.length
        if block.is_text and block.uuid == wire.UUID_FOOTER_REFERENCE:
            continue
        spec = forms.form_of(block)
        content: bytes | memoryview = memoryview(end)[
            start : start + block.length + (0 if spec is None else spec.checked_trailer_bytes)
        ]
        if block.is_text:
            content = (decode_block(end[start : start + block.size]) or b"")[: block.length]
        found = kernels.checksum.crc32(content)
        if block.is_aside:
            block = replace(block, crc=int.from_bytes(end[start + block.length :][:4], "little"))
        if found != block.crc:
            message, place = f"checksum {found:#010x}, expected {block.crc:#010x}", extension.name_of(block.uuid)
            report.findings.append(Finding("block-checksum", message, block.payload, f"block {place}"))
