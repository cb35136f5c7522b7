"""Ranges in, safe commits out; nothing here knows Parquet."""

from __future__ import annotations

from .appending import Appender, appender
from .batched_reads import BatchedSource, open_batched
from .capabilities import can_gather, can_read_many, can_reopen, counts_requests, has_descriptor, is_remote
from .commit import Change, change, recover, remove_unfinished
from .create import NewFile, NewObject, NewStream, create
from .edit import TailEdit
from .file_rewrite import Rewriting, check_as_opened, rewriting
from .forcing import FORCEABLE
from .overlay import Overlay
from .paths import ChangedFile, SchemeError, SourceError, Target, resolve
from .pending import journals_beside, old_tail
from .readable import OpenSource, OpenTarget, filesystem_of, readable
from .same_bytes import Comparison, Different
from .scratch import Scratch
from .source import TICK_NS, LocalSource, RemoteSource, Version, open_source

__all__ = [
    "FORCEABLE",
    "TICK_NS",
    "Appender",
    "BatchedSource",
    "Change",
    "ChangedFile",
    "Comparison",
    "Different",
    "OpenSource",
    "OpenTarget",
    "LocalSource",
    "Target",
    "NewFile",
    "NewObject",
    "NewStream",
    "Overlay",
    "RemoteSource",
    "Rewriting",
    "Scratch",
    "SchemeError",
    "SourceError",
    "TailEdit",
    "Version",
    "appender",
    "can_gather",
    "can_read_many",
    "can_reopen",
    "change",
    "check_as_opened",
    "counts_requests",
    "create",
    "filesystem_of",
    "has_descriptor",
    "is_remote",
    "journals_beside",
    "old_tail",
    "open_batched",
    "open_source",
    "readable",
    "recover",
    "remove_unfinished",
    "resolve",
    "rewriting",
]
