"""Add page indexes and Bloom filters to a file without moving its data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack
from uuid import UUID

from .. import kernels, wire
from ..errors import ParquetextError, names_memory
from ..footer.tail import LENGTH_AND_MAGIC
from ..footer.thrift_form import ThriftForm, refuse_encrypted
from ..indexing.chunk_index import ChunkIndex, Indexer
from ..indexing.footer_places import placed
from ..storage import Source, TailEdit
from ..threads import Pool
from .advice import leaves_named
from .decode_columns import unchanged_original
from .directories import takes_directories
from .footer import Footer, refuse_referring
from .options import ChangeOptions
from .original_footer import OriginalFooter, original_footer_of
from .renewal import kept_pieces, renewed_end
from .result import Result
from .run import Planned, change_footer
from .strip import OWN, without_blocks

MOST_REASONS = 3


@takes_directories()
@names_memory
def add_page_index(
    path: object,
    *,
    bloom: Iterable[str | tuple[str, ...]] | str = (),
    wrap: bool = False,
    **change: Unpack[ChangeOptions],
) -> Result:
    """Add the page index of parquet-format, and Bloom filters, to a Parquet file; no data moves.

    Every reader that supports page indexes then skips pages by their bounds. Bounds and counts are taken from the page
    headers, and the values are decoded only if the headers lack them. Chunks that have an index keep it. A chunk whose
    bounds cannot be determined gets only an offset index, and a chunk with a page that begins within a row gets none;
    the result's `message` lists these. Our footers are rewritten in their form and placement. `strip` restores the
    original file, byte for byte.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        See `upgrade`.
    bloom : str, or iterable of str or tuple
        Columns that get a Bloom filter in each row group that has none: leaves, or groups, which select all their
        leaves. Their values are decoded.
    wrap : bool
        See `upgrade`.
    **change
        `in_place`, `keep_mtime`, `ignore`, `timeout` and `dry_run`: see `ChangeOptions`. A dry run makes the indexes,
        and reports the size of the new file.

    Returns
    -------
    Result
        The outcome is ``"indexed"``, or ``"unchanged"`` if no chunk can get an index or a filter.

    Raises
    ------
    ColumnError
        If a name matches no column, or more than one.
    Refused
        If `upgrade` would refuse the file.
    Conflict
        If another program changes the file meanwhile.
    Malformed, Damaged
        If pages cannot be read, or if they contradict the footer or each other.
    Unsupported
        If a column with a Bloom filter has booleans, or values that cannot be decoded.

    Examples
    --------
    >>> parquetext.add_page_index("wide.parquet", bloom=["id"]).outcome
    'indexed'
    >>> parquetext.strip("wide.parquet").outcome
    'stripped'
    """
    columns = [bloom] if isinstance(bloom, str) else list(bloom)

    def plan(footer: Footer, ignored: frozenset[str], source: Source) -> Planned[TailEdit]:
        refuse_referring(footer)
        form = ThriftForm(footer.bare)
        refuse_encrypted(form.scan)
        indexer = Indexer(source, form, frozenset(leaves_named(form, columns)))
        wanted = indexer.wanted()
        if not wanted:
            return Planned(None, footer.form, reason="every column chunk with values has its indexes")
        try:
            with Pool(os.cpu_count() or 1) as pool:
                made = pool.map(indexer.make, wanted)
        except ParquetextError as error:
            raise error.at(source.name) from None
        added = [index for index in made if not index.is_empty]
        message = _message(form, made)
        if not added:
            return Planned(None, footer.form, reason=message)
        return Planned(_edit(source, footer, added, ignored, wrap), footer.form, reason=message)

    return change_footer(path, plan, "index", **change)


def _edit(source: Source, footer: Footer, added: Sequence[ChunkIndex], ignored: frozenset[str], wrap: bool) -> TailEdit:
    """Return the edit that keeps the original footer, and adds indexes and a new footer after it."""
    kept = kept_pieces(footer, ignored, wrap)
    record = original_footer_of(footer)
    if record is None:
        front, record = _original_end(source, footer)
    else:
        front = TailEdit(footer.start, b"")
    start = front.size
    new = placed(footer.bare, added, start)
    struct: Any = {"struct_length": len(new.footer), "struct_crc": kernels.checksum.crc32(new.footer)}
    records: dict[UUID, bytes] = {}
    if (original := unchanged_original(footer)) is not None:
        records[wire.UUID_ORIGINAL] = replace(original, **struct).to_payload()
    records[wire.UUID_ORIGINAL_FOOTER] = replace(record, **struct).to_payload()
    end = renewed_end(footer, new.footer, start + len(new.data), kept, records, ignored)
    return TailEdit(front.keep, b"".join((front.tail, new.data, end)))


def _original_end(source: Source, footer: Footer) -> tuple[TailEdit, OriginalFooter]:
    """Return the edit that leaves the file without our footers, and the record of its footer then."""
    edit = without_blocks(footer, OWN)
    if edit is None:
        end = source.size - LENGTH_AND_MAGIC
        edit = TailEdit(end, source.read(end, LENGTH_AND_MAGIC))
    begin = footer.start
    data = source.read(begin, edit.keep - begin) + bytes(edit.tail)
    return edit, OriginalFooter(begin, len(data), kernels.checksum.crc32(data), 0, 0)


def _message(form: ThriftForm, made: Sequence[ChunkIndex]) -> str:
    """Describe the indexes that were made, and the chunks that get none."""
    offsets = sum(index.offset_index is not None for index in made)
    bounds = sum(index.column_index is not None for index in made)
    blooms = sum(index.bloom is not None for index in made)
    decoded = sum(index.is_decoded for index in made)
    parts = [f"{offsets:,} offset indexes and {bounds:,} column indexes"]
    if blooms:
        parts.append(f"{blooms:,} Bloom filters")
    if decoded:
        parts.append(f"{decoded:,} column chunks were decoded")
    without = [index for index in made if index.reason]
    for index in without[:MOST_REASONS]:
        path = form.node(index.wanted.leaf).path.replace(b"\0", b".").decode("utf-8", "backslashreplace")
        parts.append(f"row group {index.wanted.row_group}, column {path} gets no index: {index.reason}")
    if len(without) > MOST_REASONS:
        parts.append(f"{len(without) - MOST_REASONS:,} more column chunks get no index")
    return "; ".join(parts)
