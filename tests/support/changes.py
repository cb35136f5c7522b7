"""The verbs that change a file or write its rows to a new one, as functions of a path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import parquetext
from parquetext import edits

__all__ = ["changes_of"]


def changes_of(column: str) -> dict[str, Callable[[Path], object]]:
    """Return the verbs by name, for a file with this column."""
    return {
        "upgrade": edits.upgrade,
        "strip": edits.strip,
        "restore": edits.restore,
        "add_page_index": parquetext.add_page_index,
        "finalize": lambda path: edits.finalize(path, confirm=True),
        "encode": lambda path: parquetext.encode(path, {column: "plain"}),
        "merge": lambda path: edits.merge([path], path.with_name("new.parquet")),
    }
