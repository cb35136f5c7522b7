"""Verification of a file at three depths: tail and checksums, pages, and everything."""

from __future__ import annotations

from .report import Report, deeper_than
from .verify import verify

__all__ = ["Report", "deeper_than", "verify"]
