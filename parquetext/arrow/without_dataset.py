"""pyarrow without its module `dataset`, as some builds are: what then cannot be read, in pyarrow's own words."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["as_told_by_pyarrow"]

MODULES = "pyarrow.dataset", "pyarrow._dataset"
MISSING = "when the pyarrow.dataset module is not available"


def as_told_by_pyarrow(error: ImportError, filters: object, schema: pa.Schema | None) -> Exception:
    """The ValueError that `pyarrow.parquet.read_table` raises then; any other error as it is."""
    if error.name not in MODULES:
        return error
    if filters is not None:
        return ValueError(f"the 'filters' keyword is not supported {MISSING}")
    if schema is not None:
        return ValueError(f"the 'schema' argument is not supported {MISSING}")
    return ValueError(f"the 'source' argument should be an existing parquet file and not a directory {MISSING}")
