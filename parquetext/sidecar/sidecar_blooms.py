"""Probe the Bloom filters that a sidecar contains or locates, if bounds do not decide."""

from __future__ import annotations

from functools import partial

from ..footer.bloom_filters import BloomFilters
from ..pruning import Probe
from ..pruning.bloom import may_contain

__all__ = ["SidecarFilters"]


class SidecarFilters(BloomFilters):
    """`BloomFilters` of a plan: filters in the sidecar need no read of the file."""

    def __init__(self, plan, *parts):
        super().__init__(*parts)
        self._plan = plan

    def _question(self, probe: Probe, hashes: list[int]):
        leaf, *_ = self._column(probe.comparison.column)
        kind, offset, length = self._plan.bloom(probe.row_group, leaf)
        if kind == "inline":
            bitset = memoryview(self._plan.reader.data)[offset : offset + length]
            return partial(may_contain, bitset, hashes)
        return super()._question(probe, hashes) if kind == "external" else None

    def _has_filters(self, leaf: int) -> bool:
        return leaf in self._plan.reader.bloom_columns
