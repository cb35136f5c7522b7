"""Fast, extensible footers for Parquet files, readable by every reader of today."""

from __future__ import annotations

import importlib

__version__ = "0.1.0"

# Public names and the modules that they come from; imported when first used.
_HOMES = {
    "open": "arrow.file",
    "read_table": "arrow.file",
    "read_schema": "arrow.file",
    "File": "arrow.file",
    "dataset": "arrow.dataset",
    "write_table": "arrow.writing",
    "ParquetWriter": "arrow.writing",
    "upgrade": "edits",
    "encode": "edits",
    "advise": "edits",
    "strip": "edits",
    "finalize": "edits",
    "restore": "edits",
    "recover": "edits",
    "verify": "checks",
    "implementation": "kernels",
    "plan": "catalog",
    "layout": "account",
}
_MODULES = {
    "account",
    "arrow",
    "catalog",
    "edits",
    "encoding",
    "errors",
    "extension",
    "findings",
    "footer",
    "kernels",
    "pruning",
    "sidecar",
    "spark",
    "storage",
}

__all__ = [*_HOMES, "catalog", "encoding", "errors", "extension", "footer", "sidecar", "spark"]


def __getattr__(name: str):
    if name in _HOMES:
        value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    elif name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
