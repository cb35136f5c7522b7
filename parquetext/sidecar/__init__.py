"""The metadata sidecar `_pm`: made from a Parquet file, found beside it, and read as a plan of what is where."""

from __future__ import annotations

import importlib

_HOMES = {
    "build": "building",
    "Built": "building",
    "open": "plan",
    "Plan": "plan",
    "compare": "comparison",
    "follow": "following",
    "foreign_beside": "foreign",
    "is_foreign": "foreign",
    "candidates": "naming",
    "sidecar_path": "naming",
    "update": "updating",
    "compact": "updating",
    "Updated": "updating",
    "Store": "store",
    "Snapshot": "store_snapshot",
    "Token": "token",
    "release_mappings": "plan",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value
