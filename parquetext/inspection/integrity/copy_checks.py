"""Check copies of column chunks in other encodings: their blocks and their bytes (docs/formats.md, section 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ... import kernels, wire
from ...encoding.carried import Carried
from ...encoding.registry import find_named
from ...errors import ParquetextError, Unsupported
from ...findings import Finding
from ...footer.chunk_copies import ChunkCopies, copies_by_chunk, name_of_encoding
from ...records import frozen

FIRST_BYTE = 4  # after the magic
STEP = 1 << 22
DAMAGED, OUTDATED, UNKNOWN = "copy-damaged", "copy-outdated", "copy-unknown"
FACTS, CHECKSUM = "copy-facts", "copy-checksum"


@frozen
class Copy:
    """A copy that its footer speaks of soundly.

    Attributes
    ----------
    index, row_group, leaf : int
        The chunk that it is a copy of, in the scan and in the file.
    label : str
        The text that findings use for it.
    num_rows : int
        Of the row group.
    is_readable : bool
        True if its encoding and codec are known.
    """

    index: int
    row_group: int
    leaf: int
    label: str
    num_rows: int
    facts: Carried
    is_readable: bool

    def rows_of_page(self, number: int) -> int:
        """Return the number of rows that a page must have."""
        before = number * self.facts.rows_per_page
        return min(self.facts.rows_per_page, self.num_rows - before)


def check_copies(scan, names: Sequence[str], base: int | None, data_end: int, report) -> list[Copy]:
    """Check the blocks of all copies against the footer; those that are sound.

    Parameters
    ----------
    scan
        Of the Thrift footer, which begins at `base` of the file; None if the file has none.
    data_end : int
        Offset of the footer and of the blocks before it.
    """
    begins, sizes, values = scan.chunk_begins(), scan.chunks("total_compressed_size"), scan.chunks("num_values")
    types = scan.chunks("type")
    rows = scan.row_groups("num_rows")
    copies = []
    for chunk in copies_by_chunk(scan):
        name = names[chunk.leaf] if chunk.leaf < len(names) else chunk.leaf
        position = f"row group {chunk.row_group}, column {name}"
        report.extend(_problems(chunk, base, position))
        for fields in chunk.copies:
            own = f"{position}, copy in {name_of_encoding(fields)}"
            fits = fields.fits(begins[chunk.index], sizes[chunk.index], values[chunk.index])
            findings = list(_check_facts(fields, fits, rows[chunk.row_group], data_end, own))
            notes = list(_unknown(fields, types[chunk.index], own))
            report.extend([*findings, *notes])
            if not findings:
                is_readable = not notes
                copies.append(
                    Copy(chunk.index, chunk.row_group, chunk.leaf, own, rows[chunk.row_group], fields, is_readable)
                )
    return _without_overlaps(copies, report)


def _problems(chunk: ChunkCopies, base: int | None, label: str) -> Iterator[Finding]:
    """Blocks that cannot be read: one of a later version is no fault."""
    for problem in chunk.problems:
        offset = None if base is None or problem.offset is None else base + problem.offset
        yield Finding(DAMAGED, problem.message, offset, label, isinstance(problem, Unsupported))


def _check_facts(fields: Carried, fits: bool, num_rows: int, data_end: int, label: str) -> Iterator[Finding]:
    if not fits:
        message = (
            f"it is one of {fields.chunk_length} bytes at {fields.chunk_offset} with {fields.num_values} values, which "
            "the footer does not have there: another program has moved or changed the chunk"
        )
        yield Finding(OUTDATED, message, fields.offset, label)
        return
    if not FIRST_BYTE <= fields.offset < fields.end <= data_end:
        message = f"bytes {fields.offset} to {fields.end} leave the data, which ends at {data_end}"
        yield Finding("copy-range", message, fields.offset, label)
    pages = -(-num_rows // fields.rows_per_page)
    if pages != len(fields.page_lengths):
        message = f"{len(fields.page_lengths)} pages of {fields.rows_per_page} rows for the {num_rows} of the row group"
        yield Finding(FACTS, message, fields.offset, label)


def _unknown(fields: Carried, type: int, label: str) -> Iterator[Finding]:
    """Yield a finding if a reader cannot decode the copy; it reads the chunk then."""
    known = find_named(fields.encoding, fields.uuid)
    if known is None:
        message = f"its encoding {fields.encoding} is not registered" + (f", {fields.uuid}" if fields.uuid else "")
        yield Finding(UNKNOWN, message, fields.offset, label, is_note=True)
    elif type not in known.types:
        message = f"{known.name} is not for values of type {wire.NAMES_OF_TYPE.get(type, type)}"
        yield Finding(FACTS, message, fields.offset, label)
    if fields.codec not in wire.NAMES_OF_COMPRESSION_CODEC:
        yield Finding(UNKNOWN, f"codec {fields.codec} is not known", fields.offset, label, is_note=True)


def _without_overlaps(copies: list[Copy], report) -> list[Copy]:
    """Return the copies that share no byte with an earlier one, so that each byte is read once."""
    kept: list[Copy] = []
    for copy in sorted(copies, key=lambda copy: copy.facts.offset):
        if kept and copy.facts.offset < kept[-1].facts.end:
            shared = kept[-1].facts.end - copy.facts.offset
            message = f"begins {shared} bytes before {kept[-1].label} ends"
            report.findings.append(Finding("chunk-overlap", message, copy.facts.offset, copy.label))
        else:
            kept.append(copy)
    return kept


def check_copy_pages(source, copies: Sequence[Copy], report) -> None:
    """Check the bytes of copies, of their pages and of the chunks that they are copies of."""
    chunk_crcs: dict[int, int] = {}
    for copy in copies:
        fields = copy.facts
        report.extend(_check_pages(source, copy))
        report.pages += len(fields.page_lengths)
        report.checked_bytes += fields.length
        if copy.index not in chunk_crcs:
            chunk_crcs[copy.index] = checksum_of(source, fields.chunk_offset, fields.chunk_length)
            report.checked_bytes += fields.chunk_length
        found = chunk_crcs[copy.index]
        if found != fields.chunk_crc:
            message = f"the chunk has the checksum {found:#010x}, its copy expects {fields.chunk_crc:#010x}"
            report.findings.append(Finding(CHECKSUM, message, fields.chunk_offset, copy.label))


def checksum_of(source, start: int, size: int) -> int:
    """Return the CRC-32 of those of these bytes that are within the file."""
    crc, end = 0, min(start + size, source.size)
    for at in range(start, end, STEP):
        crc = kernels.checksum.crc32(source.read(at, min(STEP, end - at)), crc)
    return crc


def _check_pages(source, copy: Copy) -> Iterator[Finding]:
    """Check each page's checksum and header, and the sums over all pages."""
    fields, at, crc = copy.facts, copy.facts.offset, 0
    entries = nulls = uncompressed = 0
    for number, (length, expected) in enumerate(zip(fields.page_lengths, fields.page_crcs, strict=True)):
        data = memoryview(source.read(at, length))
        position = f"{copy.label}, page {number}"
        crc, found = kernels.checksum.crc32(data, crc), kernels.checksum.crc32(data)
        if found != expected:
            yield Finding(CHECKSUM, f"checksum {found:#010x}, expected {expected:#010x}", at, position)
        try:
            header = kernels.page.header(data)
        except ParquetextError as error:
            yield Finding.of("copy-page", error.at(None, at), position)
            header = None
        if header is not None:
            yield from _check_header(copy, number, header, data, at, position)
            entries, nulls = entries + header.num_values, nulls + header.num_nulls
            uncompressed += header.header_size + header.uncompressed_size
        at += length
    if crc != fields.crc:
        yield Finding(CHECKSUM, f"checksum {crc:#010x}, expected {fields.crc:#010x}", fields.offset, copy.label)
    sums = (entries, nulls, uncompressed)
    text = (fields.num_values, fields.null_count, fields.uncompressed_length)
    if sums != text:
        message = f"entries, nulls, decompressed bytes: the pages say {sums}, the block {text}"
        yield Finding(FACTS, message, fields.offset, copy.label)


def _check_header(copy: Copy, number: int, header, data: memoryview, at: int, label: str) -> Iterator[Finding]:
    fields = copy.facts
    size = header.header_size + header.compressed_size
    ours = (header.type, header.encoding, header.num_rows, size)
    text = (wire.PAGE_DATA_PAGE_V2, fields.encoding, copy.rows_of_page(number), len(data))
    if ours != text:
        message = f"page type, encoding, rows, bytes: the header says {ours}, the block {text}"
        yield Finding("copy-page", message, at, label)
    elif header.crc is None:
        yield Finding("copy-page", "its header has no checksum", at, label)
    elif (found := kernels.checksum.crc32(data[header.header_size :])) != header.crc:
        yield Finding("page-checksum", f"checksum {found:#010x}, expected {header.crc:#010x}", at, label)
