"""Refusals that a caller may override with `force=`."""

from __future__ import annotations

from ..storage import FORCEABLE as STORAGE_REFUSALS

__all__ = ["FORCEABLE", "STORAGE_REFUSALS"]

FORCEABLE = {
    "table-format": "the file belongs to a table whose log records its size, or a sidecar of others beside it does",
    "summary": "a _metadata file in a folder above has the places of the file's column chunks, which change",
    "free-form": "the extension holds bytes of somebody else without a block trailer: ours is stacked on them",
    "size": "the extension would be larger than what pyarrow and Spark read",
    "partition-columns": "columns that only the names of directories have are not in the merged file",
    **STORAGE_REFUSALS,
}
