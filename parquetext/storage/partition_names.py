"""Columns whose values are in the names of directories, ``key=value``, as Hive and Spark have them."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import unquote

__all__ = ["directory_keys"]

NULL = "__HIVE_DEFAULT_PARTITION__"


@lru_cache(maxsize=1 << 10)
def directory_keys(folder: str) -> dict[str, str | None]:
    """Return the values in the names of a path's directories ``key=value``: text, or None for null."""
    pairs = (part.split("=", 1) for part in folder.split("/") if "=" in part)
    return {unquote(key): None if value == NULL else unquote(value) for key, value in pairs}
