"""Parquet files as datasets of PyTorch: rows by number, or shuffled batches, as tensors.

Public names are imported, and torch with them, when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engines.sources import import_optional
from ..lazy_names import lazy_names

_HOMES = {"MapDataset": "map_style", "ShuffledDataset": "shuffled", "ShuffledSampler": "sampler"}

__all__ = ["MapDataset", "ShuffledDataset", "ShuffledSampler"]

if TYPE_CHECKING:
    from .map_style import MapDataset as MapDataset
    from .sampler import ShuffledSampler as ShuffledSampler
    from .shuffled import ShuffledDataset as ShuffledDataset
else:
    _import, __dir__ = lazy_names(globals(), _HOMES)

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            import_optional("torch", "parquetext.torch")
        return _import(name)
