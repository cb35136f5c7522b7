"""Ranges in, safe commits out; nothing here knows Parquet."""

from __future__ import annotations

from .commit import Change, change, recover
from .edit import TailEdit
from .journal import old_tail
from .paths import LocalTarget, RemoteTarget, resolve
from .source import LocalSource, RemoteSource, Version, open_source
from .waivers import WAIVERS

__all__ = [
    "WAIVERS", "Change", "LocalSource", "LocalTarget", "RemoteSource", "RemoteTarget", "TailEdit", "Version",
    "change", "old_tail", "open_source", "recover", "resolve",
]
