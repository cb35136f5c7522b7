"""Raise pyarrow's errors for reads that need the module `pyarrow.dataset`, which some builds lack."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["as_pyarrow_reports"]

MODULES = "pyarrow.dataset", "pyarrow._dataset"
MISSING = "when the pyarrow.dataset module is not available"


def as_pyarrow_reports(error: ImportError, filters: object, schema: pa.Schema | None) -> Exception:
    """Return the ValueError that `pyarrow.parquet.read_table` raises then; return other errors unchanged."""
    if error.name not in MODULES:
        return error
    if filters is not None:
        return ValueError(f"the 'filters' keyword is not supported {MISSING}")
    if schema is not None:
        return ValueError(f"the 'schema' argument is not supported {MISSING}")
    return ValueError(f"the 'source' argument should be an existing parquet file and not a directory {MISSING}")
