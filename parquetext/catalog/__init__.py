"""A catalog: a table with one row per column chunk of many files, from which reads are planned."""

from __future__ import annotations

from .column_types import SCHEMA
from .file_batches import batches_of, names_of
from .planning import Planned, plan

__all__ = ["SCHEMA", "Planned", "batches_of", "names_of", "plan"]
