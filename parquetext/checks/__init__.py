"""Verification of a file in three tiers: tail and checksums, pages, and everything."""

from __future__ import annotations

from .report import Report
from .verify import verify

__all__ = ["Report", "verify"]
