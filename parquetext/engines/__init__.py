"""Read Parquet files with query engines by our footers. Each engine is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

_HOMES = {"register_duckdb": "duckdb_tables", "scan_polars": "polars_scan"}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .duckdb_tables import register_duckdb as register_duckdb
    from .polars_scan import scan_polars as scan_polars
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
