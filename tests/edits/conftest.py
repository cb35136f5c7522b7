"""Fixtures of the tests of operations."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.parquet_bytes import parquet_bytes


@pytest.fixture
def path(tmp_path) -> Path:
    """A Parquet file of `parquet_bytes`."""
    file = tmp_path / "x.parquet"
    file.write_bytes(parquet_bytes())
    return file
