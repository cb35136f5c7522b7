"""Whole datasets on Spark: shipping the package to executors, jobs, a data source.

Public names are imported, and pyspark with them, when they are first used.
"""

from __future__ import annotations

import importlib

# Public names and the modules that they come from, which bear other names: a module would hide its function.
_HOMES = {
    "upgrade": "jobs",
    "encode": "jobs",
    "strip": "jobs",
    "finalize": "jobs",
    "restore": "jobs",
    "verify": "jobs",
    "build_sidecars": "jobs",
    "JobFailed": "jobs",
    "list_files": "listing",
    "watch": "watching",
    "read": "reading",
    "catalog": "cataloging",
    "session": "starting",
    "JavaNotFound": "java",
    "find_java_home": "java",
    "write": "writing",
    "recover": "writing",
    "ship": "shipping",
}

__all__ = [*_HOMES]


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
