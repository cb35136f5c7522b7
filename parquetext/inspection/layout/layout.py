"""Assign every byte of a file to exactly one owner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ... import wire
from ...errors import ParquetextError, names_memory
from ...findings import Finding, is_sound
from ...footer.forms import MAGICS
from ...masking import without_secrets
from ...pruning.bloom import find_bitset
from ...storage import open_source
from ...storage.source import Source
from ...tabular import Shown, Tabular
from ..structure.structure import Structure
from .claims import Claims, Overlap
from .data import Data, claim_data
from .encoded_parts import claim_copies, claim_original, copy_table
from .gaps import claim_gaps
from .part_kinds import GROUPS, group_of
from .part_tables import by_column, by_kind, chunk_table, page_table
from .tail import claim_tail

if TYPE_CHECKING:
    from ... import kernels

INDEXES = ("column-index", "offset-index")


def claim_indexes(claims: Claims, source: Source, scan: kernels.scan.Scan, data: Data, data_end: int) -> None:
    """Claim the indexes and filters in the footer, as far as they are within the file."""
    names = ("column_index", "offset_index", "bloom_filter")
    positions = [scan.places(f"{name}_{end}") for name in names for end in ("offset", "length")]
    fields = zip(data.row_groups, data.leaves, scan.chunks("present"), *positions, strict=True)
    for row_group, leaf, present, *numbers, bloom, bloom_length in fields:
        if present & wire.PRESENT_FILE_PATH:
            continue
        owner = {"row_group": row_group, "column": leaf}
        for kind, offset, length in zip(INDEXES, numbers[::2], numbers[1::2], strict=True):
            if offset > 0 and length > 0 and claims.holds(offset, length):
                claims.add(offset, length, kind, **owner)
        if bloom > 0:
            _claim_bloom(claims, source, bloom, bloom_length, present & wire.PRESENT_CRYPTO, data_end, owner)


def _claim_bloom(
    claims: Claims, source: Source, offset: int, length: int, is_encrypted: int, data_end: int, owner: dict[str, Any]
) -> None:
    """Claim a Bloom filter: its header and its bitset; as a whole if it is encrypted or cannot be read."""
    if not is_encrypted:
        try:
            bitset = find_bitset(source.read, data_end, offset, length)
        except ParquetextError:
            pass
        else:
            claims.add(offset, bitset.offset - offset, "bloom-header", **owner)
            claims.add(bitset.offset, bitset.size, "bloom-bitset", **owner)
            return
    if length > 0 and claims.holds(offset, length):
        claims.add(offset, length, "bloom-filter", **owner)


MAGIC_BYTES = 4
MOST_FINDINGS = 100  # of one kind


@dataclass(slots=True, repr=False)
class Layout(Tabular):
    """The owner of every byte of a file.

    Attributes
    ----------
    path : str
    size : int
        Bytes of the file.
    form : str
        The form by which the footer was read: that of the whole file, ``"encrypted"``, or ``"none"``.
    parts : pyarrow.Table
        The file from its first byte to its last, without overlaps: `offset`, `length` (bytes), `kind` (see
        `parquetext.inspection.layout.part_kinds`), `row_group`, `column` (the leaf's number), `page` (its number in the
        chunk or copy) and `name` (of a block, cell, key-value or copy), null if there is none.
    pages : pyarrow.Table
        All pages in the order of the footer's chunks, then those of copies: `row_group`, `column`, `page`, `copy` (the
        row of `copies`; null of a chunk's own page), `offset`, `header_size`, `type`, `encoding`, `num_values`,
        `compressed_size`, `uncompressed_size`, `repetition_size`, `definition_size` (bytes of the stored body; null
        if the levels are compressed together with the values), `num_rows`, `num_nulls` (of version 2), `crc`,
        `plain_levels` (bytes of the levels in the decompressed body; null if it was not read).
    chunks : pyarrow.Table
        All column chunks: `row_group`, `column`, `offset` and `bytes` (null if the chunk is outside of this
        file), `pages`, `codec`, `encodings`, `num_values`, `null_count`, `uncompressed_bytes`.
    copies : pyarrow.Table
        All copies of chunks in other encodings: `row_group`, `column`, `encoding`, `codec`, `offset`, `bytes`, `pages`,
        `num_values`, `null_count`, `rows_per_page`, `uncompressed_bytes`, and `chunk_bytes` of the copied chunk.
    columns : pyarrow.Table
        One row for each leaf: `column`, `path`, `type`, then the bytes that go into it: one int64 column per group of
        kinds, and `total`; and the bytes of the decompressed pages: `plain_dictionary`, `plain_levels`,
        `plain_values` (the last two null if a page was not read).
    kinds : pyarrow.Table
        `group`, `kind`, `bytes`, `parts`: only kinds that the file has.
    findings : list of Finding
        Bytes that are claimed twice, by no part, or cannot be read.
    """

    path: str
    size: int
    form: str
    parts: pa.Table
    pages: pa.Table
    chunks: pa.Table
    copies: pa.Table
    columns: pa.Table
    kinds: pa.Table
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Return True if there are no findings except notes."""
        return is_sound(self.findings)

    def bytes_of(self, kind: str) -> int:
        """Return bytes of all parts of a kind."""
        found: dict[str, int] = dict(zip(self.kinds["kind"].to_pylist(), self.kinds["bytes"].to_pylist(), strict=True))
        return found.get(kind, 0)

    def strip(self, cells: int) -> list[str]:
        """Divide the file into equal pieces, front to back, and return the group with most bytes of each.

        A small file has fewer pieces.
        """
        size, groups, cells = self.size, list(GROUPS), min(cells, self.size)
        counts = [[0] * len(groups) for _ in range(cells)]
        kind = self.parts["kind"].combine_chunks()
        group_numbers = [groups.index(group_of(name)) for name in kind.dictionary.to_pylist()]
        columns = self.parts["offset"], self.parts["length"], kind.indices
        for offset, length, number in zip(*(column.to_pylist() for column in columns), strict=True):
            group, end = group_numbers[number], offset + length
            first, last = offset * cells // size, (end * cells - 1) // size
            for cell in range(first, last + 1):
                begins, ends = -(-cell * size // cells), -(-(cell + 1) * size // cells)
                counts[cell][group] += max(0, min(end, ends) - max(offset, begins))
        return [groups[max(range(len(groups)), key=count.__getitem__)] for count in counts]

    def _shown(self) -> Shown:
        from .layout_repr import show_layout

        return show_layout(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON takes it; parts and pages as one list for each of their columns."""
        return {
            "path": self.path,
            "size": self.size,
            "form": self.form,
            "kinds": self.kinds.to_pylist(),
            "columns": self.columns.to_pylist(),
            "chunks": self.chunks.to_pydict(),
            "copies": self.copies.to_pydict(),
            "pages": self.pages.to_pydict(),
            "parts": self.parts.to_pydict(),
            "findings": [asdict(finding) for finding in self.findings],
        }

    @property
    def unclaimed(self) -> int:
        """Bytes that belong to nothing that is known; zeros and dead footers are known."""
        return self.bytes_of("gap")


@names_memory
def layout(path: object, *, decompress: bool = False) -> Layout:
    """Find the owner of every byte of a file; the file is never changed.

    Parameters
    ----------
    path : str, PathLike, or (pyarrow.fs.FileSystem, str)
    decompress : bool
        Also decompress pages of version 1, to find the size of their levels: `plain_levels` is then known.

    Returns
    -------
    Layout

    Raises
    ------
    OSError
        The file cannot be read. Damage within the file is a finding.

    Notes
    -----
    Read are the footer, all page headers, the levels of pages of version 2 and the lengths in front of those in
    uncompressed pages of version 1, headers of Bloom filters, and bytes without an owner; values are not. Of pages of
    version 1 that are compressed, levels and values are one part.

    Examples
    --------
    >>> kinds = parquetext.layout("wide.parquet").kinds
    >>> sum(kinds["bytes"].to_pylist()) == os.path.getsize("wide.parquet")
    True
    """
    with open_source(path) as source:
        return layout_of(source, without_secrets(str(path)), decompress=decompress)


def layout_of(source: Source, name: str, *, decompress: bool = False) -> Layout:
    """Return the layout of a file that is open."""
    claims = Claims(source.size)
    fields = claim_tail(claims, source)
    data, copies, known, findings = Data(), [], [], fields.findings
    if source.size >= MAGIC_BYTES and (fields.data_end >= MAGIC_BYTES) and source.read(0, MAGIC_BYTES) in MAGICS:
        claims.add(0, MAGIC_BYTES, "magic")
    elif source.size:
        findings.append(Finding("magic", "the file does not begin with a magic", 0))
    if fields.scan is not None:
        structure = Structure(source, fields.scan, fields.data_end)
        data = claim_data(claims, source, structure, fields.data_end, decompress=decompress)
        copies = claim_copies(claims, source, fields.scan, structure, data, fields.data_end)
        findings += [*structure.findings, *data.findings]
        findings += claim_original(claims, source, fields.tail, fields.data_end)
        claim_indexes(claims, source, fields.scan, data, fields.data_end)
        known = structure.overlaps()
        findings += known
    claim_gaps(claims, source, data)
    parts, overlaps = claims.table()
    findings += [] if known else map(_claimed_twice, overlaps)
    findings += _unclaimed(parts)
    return Layout(
        name,
        claims.size,
        fields.form,
        parts,
        page_table(data, copies),
        chunk_table(fields.scan, data),
        copy_table(copies),
        by_column(fields.scan, parts, data),
        by_kind(parts),
        _shortened(findings),
    )


def _claimed_twice(overlap: Overlap) -> Finding:
    return Finding(
        "claimed-twice", f"{overlap.length} bytes belong to {overlap.first} and to {overlap.second}", overlap.offset
    )


def _unclaimed(parts: pa.Table) -> Iterable[Finding]:
    gaps = parts.filter(pa.compute.equal(parts["kind"], "gap"))
    for offset, length in zip(gaps["offset"].to_pylist(), gaps["length"].to_pylist(), strict=True):
        yield Finding("unclaimed", f"{length} bytes belong to nothing that is known", offset, is_note=True)


def _shortened(findings: Iterable[Finding]) -> list[Finding]:
    """Return the first findings of each kind, and the number of the others."""
    kept: list[Finding] = []
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.kind] = counts.get(finding.kind, 0) + 1
        if counts[finding.kind] <= MOST_FINDINGS:
            kept.append(finding)
    more = [(kind, count - MOST_FINDINGS) for kind, count in counts.items() if count > MOST_FINDINGS]
    return kept + [Finding(kind, f"{count} more of these", is_note=True) for kind, count in more]
