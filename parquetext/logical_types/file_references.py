"""FILE of parquet-format 2.14: a group that refers to bytes elsewhere, or contains them."""

from __future__ import annotations

from .. import wire
from .entry import Entry


class _File(Entry):
    name = "FILE"
    field_id = wire.LOGICAL_FILE
    is_written = False


ENTRIES = (_File(),)
