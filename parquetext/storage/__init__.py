"""Ranges in, safe commits out; nothing here knows Parquet."""

from __future__ import annotations

from .appending import Appender, appender
from .batched_reads import BatchedSource
from .commit import Change, change, recover, remove_unfinished
from .create import NewFile, NewObject, NewStream, create
from .edit import TailEdit
from .file_rewrite import Rewriting, check_as_opened, rewriting
from .overlay import Overlay
from .paths import ChangedFile, LocalTarget, RemoteTarget, SchemeError, SourceError, resolve
from .pending import journals_beside, old_tail
from .readable import HeldSource, HeldTarget, filesystem_of, readable
from .refusals import IGNORABLE
from .same_bytes import Comparison, Different
from .scratch import Scratch
from .source import TICK_NS, LocalSource, RemoteSource, Version, open_source

__all__ = [
    "IGNORABLE",
    "TICK_NS",
    "Appender",
    "BatchedSource",
    "Change",
    "ChangedFile",
    "Comparison",
    "Different",
    "HeldSource",
    "HeldTarget",
    "LocalSource",
    "LocalTarget",
    "NewFile",
    "NewObject",
    "NewStream",
    "Overlay",
    "RemoteSource",
    "RemoteTarget",
    "Rewriting",
    "Scratch",
    "SchemeError",
    "SourceError",
    "TailEdit",
    "Version",
    "appender",
    "change",
    "check_as_opened",
    "create",
    "filesystem_of",
    "journals_beside",
    "old_tail",
    "open_source",
    "readable",
    "recover",
    "remove_unfinished",
    "resolve",
    "rewriting",
]
