"""Query engines that read Parquet files by our footers; each is imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

_HOMES = {"register_duckdb": "duckdb_tables", "scan_polars": "polars_scan"}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .duckdb_tables import register_duckdb as register_duckdb
    from .polars_scan import scan_polars as scan_polars
else:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
        return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
