"""The demonstration: make a wide table, upgrade it, and read it with every installed reader."""

from .wide_table import COLUMNS, ROW_GROUPS, Step, run

__all__ = ["COLUMNS", "ROW_GROUPS", "Step", "run"]
