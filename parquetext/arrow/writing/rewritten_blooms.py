"""Choose the Bloom filters of a rewritten file: the same columns, sizes and fill ratios as in the old file."""

from __future__ import annotations

import inspect
import math

import pyarrow.parquet as pq

from ...errors import ParquetextError
from ...footer.bloom_filters import ELSEWHERE
from ...pruning.bloom import LARGEST, find_bitset

__all__ = ["bloom_options"]

BITS_OF_A_VALUE = 8  # that each value sets in its block; an absent value is a false positive if all of its bits are set
LEAST_FPP, MOST_FPP = 0.001, 0.5


def bloom_options(file, source, leaves: list[str], new_rows: int | None) -> tuple[dict[str, dict], list[str]]:
    """Return options of pyarrow's writer, and the names of the columns whose filters it cannot write.

    A filter gets as many bits as the old one, scaled if the size of row groups changes. The writer folds the filter as
    long as its false-positive rate does not exceed that of the old one.

    Parameters
    ----------
    file : File
    source : storage.Source
        The file's bytes.
    leaves : list of str
        The new file's leaves by their dotted paths, in order.
    new_rows : int or None
        Rows of a new row group; None if they do not change.
    """
    options, lost = {}, []
    scale = 1 if new_rows is None else new_rows / max([*file.row_groups.num_rows, 1])
    for name, column in zip(leaves, file.columns(), strict=True):
        if max(column.bloom_filter_offset, default=-1) <= 0:
            continue
        bits, fpp = _largest(source, column)
        bits = min(int(bits * scale), 8 * LARGEST)
        if bits and column.physical_type != "BOOLEAN" and _writes_filters():
            options[name] = {"ndv": max(1, int(bits * -math.log(1 - fpp ** (1 / 8)) / 8)), "fpp": fpp}
        else:
            lost.append(name)
    return options, lost


def _largest(source, column) -> tuple[int, float]:
    """Return the bits and false-positive rate of a column's largest filter; (0, 0) if no filter is of a known kind."""
    found = 0, 0.0
    for offset, length, present in zip(
        column.bloom_filter_offset, column.bloom_filter_length, column.present, strict=True
    ):
        if offset <= 0 or present & ELSEWHERE:
            continue
        try:
            position = find_bitset(source.read, source.size, offset, length)
            if position.size * 8 > found[0]:
                bits = int.from_bytes(position.data or source.read(position.offset, position.size))
                full = (bits.bit_count() / position.size / 8) ** BITS_OF_A_VALUE
                found = position.size * 8, min(max(full, LEAST_FPP), MOST_FPP)
        except ParquetextError:
            continue
    return found


def _writes_filters() -> bool:
    """Return True if this version of pyarrow can write Bloom filters."""
    return "bloom_filter_options" in inspect.signature(pq.ParquetWriter.__init__).parameters
