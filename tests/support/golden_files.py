"""The golden files of `tests/conformance`, and the expected result of each."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["FOLDER", "expectation", "with_block"]

COPIED = ("templates", "areas")  # damage of parts that are read from their copy in the reference
FOLDER = Path(__file__).parents[1] / "conformance" / "files"


def expectation(path: Path) -> dict:
    """Return the content of a golden file's JSON."""
    return json.loads(path.with_suffix(".json").read_text())


def with_block() -> list[Path]:
    """Return the files that are read by a flat or packed footer or an index, without copies in a reference."""
    return [path for path in sorted(FOLDER.glob("*.parquet")) if _is_ours(expectation(path))]


def _is_ours(expected: dict) -> bool:
    return expected.get("form") in ("flat", "index", "packed", "par3") and expected["damage"] not in COPIED
