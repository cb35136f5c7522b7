"""The names of `pyarrow.compute`, which is imported when one of them is first used; importing it takes long."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pyarrow.compute

    value = globals()[name] = getattr(pyarrow.compute, name)
    return value
