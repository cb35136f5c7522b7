"""Bloom filters for a file that is written anew: of the columns that had them, as large and as full as those were."""

from __future__ import annotations

import inspect
import math

import pyarrow.parquet as pq

from ...errors import ParquetextError
from ...footer.bloom_filters import ELSEWHERE
from ...pruning.bloom import LARGEST, find_bitset

__all__ = ["bloom_options"]

BITS_OF_A_VALUE = 8  # that it sets in its block: a value that is not there is found by chance where all of them are set
LEAST_FPP, MOST_FPP = 0.001, 0.5


def bloom_options(file, source, leaves: list[str], new_rows: int | None) -> tuple[dict[str, dict], list[str]]:
    """What pyarrow's writer is told, and the names of the columns whose filters it does not write.

    A filter gets as many bits as the old one, and where row groups get another size, as many for each row. The writer
    folds it while it finds no more by chance than the old one did.

    Parameters
    ----------
    file : File
    source : storage.Source
        The file's bytes.
    leaves : list of str
        The new file's leaves by their dotted paths, in order.
    new_rows : int or None
        Rows of a new row group; None where they stay as they are.
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
    """The bits of a column's largest filter, and how often it finds a value by chance; (0, 0) without a known kind."""
    found = 0, 0.0
    for offset, length, present in zip(
        column.bloom_filter_offset, column.bloom_filter_length, column.present, strict=True
    ):
        if offset <= 0 or present & ELSEWHERE:
            continue
        try:
            place = find_bitset(source.read, source.size, offset, length)
            if place.size * 8 > found[0]:
                bits = int.from_bytes(place.data or source.read(place.offset, place.size))
                full = (bits.bit_count() / place.size / 8) ** BITS_OF_A_VALUE
                found = place.size * 8, min(max(full, LEAST_FPP), MOST_FPP)
        except ParquetextError:
            continue
    return found


def _writes_filters() -> bool:
    """Whether this pyarrow can: older ones cannot."""
    return "bloom_filter_options" in inspect.signature(pq.ParquetWriter.__init__).parameters
