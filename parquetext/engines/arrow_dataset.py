"""A dataset of ours as a `pyarrow.dataset.Dataset`, for those who take nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.compute as pc
import pyarrow.dataset as ds

from ..arrow.datasets.dataset import Dataset
from ..arrow.datasets.scanner import Scanner

__all__ = ["ArrowDataset"]


class ArrowDataset(ds.FileSystemDataset):
    """A dataset that is scanned by our footers. Arrow's C++ reads the same files by their Thrift footers.

    Parameters
    ----------
    lake : Dataset
    """

    def __init__(self, lake: Dataset):
        fragments = [fragment.to_pyarrow() for fragment in lake.get_fragments()]
        super().__init__(fragments, lake.schema, lake.format, lake.filesystem)
        self._lake = lake

    def __reduce__(self):
        return ArrowDataset, (self._lake,)

    def scanner(
        self,
        columns: Sequence[str] | Mapping[str, pc.Expression] | None = None,
        filter: pc.Expression | None = None,
        *,
        batch_size: int = 1 << 17,
        use_threads: bool = True,
        fragment_scan_options: ds.FragmentScanOptions | None = None,
        **hints: Any,
    ) -> Scanner | ds.Scanner:
        """Return a scanner of some columns of the rows that meet a filter, like `parquetext.dataset`.

        `hints` are those of Arrow's read-ahead. With `fragment_scan_options`, which are about Arrow's own reader, Arrow
        reads.
        """
        if fragment_scan_options is not None:
            return super().scanner(
                columns=columns,
                filter=filter,
                batch_size=batch_size,
                use_threads=use_threads,
                fragment_scan_options=fragment_scan_options,
                **hints,
            )
        return self._lake.scanner(columns, filter, batch_size=batch_size, use_threads=use_threads)
