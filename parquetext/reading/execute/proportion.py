"""Limit the memory that a few bytes of a file may expand to, and the number of rows of a batch.

All limits apply to memory beyond 64 times the stored bytes. Ordinary files are far below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from ... import kernels, wire
from ...encoding.chunk_reader import Chunk, Leaf
from ...encoding.pages import FEW_BYTES, VAST_BYTES
from ...errors import Malformed, OutOfProportion, Unsupported
from ...footer.model import FooterReader
from ..fields.assemble_plan import LeafPlan, ListPlan, Plan, StructPlan

MOST_PURE_VALUES = 1_000_000
MOST_BATCH_BYTES = 1 << 24  # of values, if a few bytes of pages expand to them
MOST_OF_BYTE = 64  # bytes of values per byte of pages that are accepted without a check
LEAST_OF_CHUNK = 1 << 21  # minimal bytes of a batch per column chunk, for any number of columns
LEAST_PAGE = 1 << 22
DECIMAL_BYTES, INSTANT_BYTES = 16, 8  # in Arrow, in addition to the stored value


def believed(chunks: Iterable[Chunk]) -> int:
    """Return how many bytes are decoded of chunks without a check."""
    return MOST_OF_BYTE * sum(chunk.size for chunk in chunks)


def claimed(chunk: Chunk) -> int:
    """Return the memory that a chunk needs according to its metadata, without the bytes of texts."""
    return chunk.num_values * _bytes_of_entry(chunk.leaf)


class Claims(NamedTuple):
    """The memory that chunks need according to their metadata, without texts, and the part accepted without a check."""

    claimed: int
    believed: int

    @property
    def are_believed(self) -> bool:
        return self.claimed <= max(MOST_BATCH_BYTES, self.believed)


def claims_of(form: FooterReader, leaves: Iterable[LeafPlan], file_size: int) -> Claims | None:
    """Return the claims of all chunks of leaves, or None if a count or a size is impossible."""
    entries, stored = 0, 0
    rows = form.row_groups("num_rows")
    if min(rows, default=0) < 0:
        return None
    for leaf in leaves:
        chunks = form.column(leaf.leaf)
        counts, sizes = chunks.array("num_values"), chunks.array("total_compressed_size")
        if counts and (min(counts) < 0 or min(sizes) < 0 or max(sizes) > file_size):
            return None
        read = map(max, counts, rows) if leaf.levels.repetition else rows
        entries += sum(read) * _bytes_of_entry(leaf)
        stored += sum(sizes)
    return Claims(entries, MOST_OF_BYTE * stored)


def most_page(chunks: Sequence[Chunk]) -> int:
    """Return how many bytes a small page may decompress to if one page per chunk is in memory at once."""
    return max(VAST_BYTES // max(len(chunks), 1), LEAST_PAGE)


def rows_at_once(chunks: Sequence[Chunk]) -> int:
    """Return the maximal number of rows of a batch whose memory is bounded even if few bytes expand to many values.

    Raises
    ------
    OutOfProportion
        If a single row may exceed the bound.
    """
    few = [chunk for chunk in chunks if claimed(chunk) > MOST_OF_BYTE * chunk.size]
    together = left = max(MOST_BATCH_BYTES, LEAST_OF_CHUNK * len(chunks))
    for chunk in (chunk for chunk in few if chunk.size < FEW_BYTES):
        left -= (1 + _long_rows(chunk)) * _bytes_of_entry(chunk.leaf)
        if left < 0:
            position = f"row group {chunk.row_group}, column {chunk.leaf.path}"
            values = f"up to {_long_rows(chunk) + 1} values, of {_bytes_of_entry(chunk.leaf)} bytes each in memory,"
            raise OutOfProportion(
                f"{position}: a row of {values} in {chunk.size} bytes of pages is read in a table alone"
            )
    alone = min(MOST_BATCH_BYTES // _bytes_of_entry(chunk.leaf) for chunk in chunks)
    return max(1, min(alone, together // max(sum(_bytes_of_entry(chunk.leaf) for chunk in few), 1)))


def _long_rows(chunk: Chunk) -> int:
    """Return how many values beyond one a row may have."""
    return chunk.num_values - chunk.num_rows if chunk.leaf.levels.repetition else 0


def _bytes_of_entry(leaf: Leaf) -> int:
    """Return the minimal memory of an entry: value width or offset, two 16-bit levels, and list offsets."""
    value = leaf.kind.width or (4 if leaf.kind.physical == wire.PHYSICAL_BYTE_ARRAY else 1)
    if pa.types.is_decimal(leaf.kind.arrow):
        value += DECIMAL_BYTES
    elif leaf.kind.physical == wire.PHYSICAL_INT96 or leaf.kind.is_long_timestamp:
        value += INSTANT_BYTES
    return value + (4 + 4 * leaf.levels.repetition if leaf.levels.repetition else 0)


def list_levels(plan: Plan, around: tuple[int, ...] = ()) -> dict[int, tuple[int, ...]]:
    """Return the definition levels of the lists around each leaf, the outermost first."""
    if isinstance(plan, LeafPlan):
        return {plan.leaf: around}
    if isinstance(plan, ListPlan):
        return list_levels(plan.child, (*around, plan.levels.definition))
    return {leaf: levels for child in plan.children for leaf, levels in list_levels(child, around).items()}


def compare_items(plan: Plan, items: Mapping[int, Sequence[int]]) -> None:
    """Raise Malformed if leaves disagree on the number of items of the lists around them."""
    if isinstance(plan, ListPlan):
        found = [items[leaf.leaf][plan.levels.repetition - 1] for leaf in plan.leaves if leaf.leaf in items]
        if len(set(found)) > 1:
            message = f"{max(found)} items by one leaf and {min(found)} by another"
            raise Malformed(f"the lists of {plan.name!r} hold {message}")
        compare_items(plan.child, items)
    elif isinstance(plan, StructPlan):
        for child in plan.children:
            compare_items(child, items)


def refuse_much_in_python(values: int) -> None:
    """Raise Unsupported for more than a million values without compiled kernels, unless pure Python is requested."""
    if kernels.implementation() == "native" or kernels.is_pure_asked_for() or values <= MOST_PURE_VALUES:
        return
    raise Unsupported(
        f"{values} values without compiled kernels; set {kernels.PURE_VARIABLE}=1 to decode them in Python",
        expected=MOST_PURE_VALUES,
        found=values,
    )
