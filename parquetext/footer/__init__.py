"""Footers: their forms, the model behind them, and the façade that falls back from one to the next."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

_HOMES = {"File": "facade", "ParquetSchema": "schema", "open_file": "opening", "scan": "scanning"}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .facade import File as File
    from .opening import open_file as open_file
    from .scanning import scan as scan
    from .schema import ParquetSchema as ParquetSchema
else:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
        return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
