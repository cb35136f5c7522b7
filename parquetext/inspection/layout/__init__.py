"""Assign every byte of a file to its owner (not `layout/`: a package of that name would hide the function)."""

from __future__ import annotations

from .layout import Layout, layout

__all__ = ["Layout", "layout"]
