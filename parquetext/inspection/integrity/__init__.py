"""Verification of a file in three tiers: tail and checksums, pages, and everything."""

from __future__ import annotations

from .report import Report, tiers_below
from .verify import verify

__all__ = ["Report", "tiers_below", "verify"]
