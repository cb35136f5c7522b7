"""Names of our own files beside a target: hidden, and the same for every process."""

from __future__ import annotations

import hashlib
import os

__all__ = ["CHECKSUMS_NEW", "CHECKSUMS_OLD", "JOURNAL", "NEW", "STALE", "beside"]

JOURNAL = "parquetext-journal"
STALE = f"{JOURNAL}-stale"
NEW = "parquetext-new"
CHECKSUMS_NEW, CHECKSUMS_OLD = "parquetext-checksums-new", "parquetext-checksums-old"
_NAME_MAX = 255


def beside(path: str, kind: str) -> str:
    """The hidden name beside `path`: ``.NAME.KIND``, or by NAME's SHA-256 where that would be too long."""
    folder, name = os.path.split(path)
    hidden = f".{name}.{kind}"
    if len(os.fsencode(hidden)) > _NAME_MAX:
        hidden = f".{hashlib.sha256(os.fsencode(name)).hexdigest()}.{kind}"
    return os.path.join(folder, hidden)
