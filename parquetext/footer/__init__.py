"""Footers: their forms, the model behind them, and the façade that falls back from one to the next."""

from __future__ import annotations

import importlib

_HOMES = {"File": "file", "open_file": "opening", "scan": "scanning"}

__all__ = list(_HOMES)


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    return value
