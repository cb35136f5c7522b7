"""Footers: their forms, the model behind them, and the façade that falls back from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

_HOMES = {"File": "facade", "ParquetSchema": "schema", "open_file": "opening", "scan": "scanning"}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .facade import File as File
    from .opening import open_file as open_file
    from .scanning import scan as scan
    from .schema import ParquetSchema as ParquetSchema
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
