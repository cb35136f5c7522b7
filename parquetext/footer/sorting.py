"""By which columns row groups say that they are sorted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .. import kernels, wire
from ..errors import Malformed
from ..thrift import values
from .model import Form

__all__ = ["SortedBy", "sorting_of"]

SHORT_LIST = 15


class SortedBy(NamedTuple):
    """A leaf by which rows are sorted. What a footer says may be no leaf of its own."""

    leaf: int
    descending: bool
    nulls_first: bool


def sorting_of(form: Form, row_group: int) -> list[SortedBy]:
    """The leaves in the order in which they count; none where the row group does not say."""
    if hasattr(form, "sorting_columns"):
        return [SortedBy(leaf, bool(down), bool(first)) for leaf, down, first in form.sorting_columns(row_group)]
    scan = form.scan
    if not scan.row_groups("sorting_columns_length")[row_group]:
        return []
    return list(_listed(scan.data, scan.row_groups("sorting_columns_offset")[row_group]))


def _listed(data, at: int) -> Iterator[SortedBy]:
    if data[at] & SHORT_LIST != wire.TYPE_STRUCT:
        raise Malformed("sorting columns that are no structs", offset=at)
    count, at = (data[at] >> 4, at + 1) if data[at] >> 4 < SHORT_LIST else kernels.varint.decode32(data, at + 1)
    for _ in range(count):
        fields, at = values.read_at("SortingColumn", data, at)
        yield SortedBy(fields.get("column_idx", -1), bool(fields.get("descending")), bool(fields.get("nulls_first")))
