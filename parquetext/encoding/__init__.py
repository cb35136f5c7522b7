"""Encode and decode the values and pages of column chunks, without files and footers."""

from __future__ import annotations

from . import experimental  # noqa: F401  (it registers encodings when it is imported)
from .registry import Encoding, find, register, registered

__all__ = ["Encoding", "find", "register", "registered"]
