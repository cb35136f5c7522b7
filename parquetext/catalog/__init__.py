"""The catalog: every column chunk of many files as one row of a table, and what to read by it."""

from __future__ import annotations

from .column_types import SCHEMA
from .file_batches import batches_of, names_of
from .planning import Planned, plan

__all__ = ["SCHEMA", "Planned", "batches_of", "names_of", "plan"]
