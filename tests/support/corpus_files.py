"""The corpus as lists of files, for suites that go through all of it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["readable"]


def readable(corpus: Path, expected: list[dict]) -> list[Path]:
    """The files that pyarrow reads."""
    return [corpus / fields["file"] for fields in expected if fields["class"] == "readable"]
