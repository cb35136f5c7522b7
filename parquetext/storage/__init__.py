"""Read ranges of files and commit changes safely, on any storage. Nothing here depends on Parquet."""

from __future__ import annotations

from .appending import Appender, Comparison, Different, appender
from .backend import Backend, Capability, Entry, register
from .backends.local import remove_unfinished
from .batched_reads import BatchedSource, open_batched
from .capabilities import (
    can_gather,
    can_read_many,
    can_reopen,
    counts_requests,
    has_arrow_file,
    has_descriptor,
    is_remote,
)
from .commit import Change, change, create, recover, rewriting
from .in_place import journals_beside, old_tail
from .new_file import Scratch
from .paths import (
    ChangedFile,
    OpenTarget,
    SchemeError,
    Target,
    filesystem_of,
    readable,
    resolve,
    target_in,
)
from .refusals import FORCEABLE
from .source import (
    TICK_NS,
    LocalSource,
    Overlay,
    RemoteSource,
    Source,
    TailEdit,
    Version,
    open_source,
)

__all__ = [
    "Appender",
    "Backend",
    "BatchedSource",
    "Capability",
    "Change",
    "ChangedFile",
    "Comparison",
    "Different",
    "Entry",
    "FORCEABLE",
    "LocalSource",
    "OpenTarget",
    "Overlay",
    "RemoteSource",
    "SchemeError",
    "Scratch",
    "Source",
    "TICK_NS",
    "TailEdit",
    "Target",
    "Version",
    "appender",
    "can_gather",
    "can_read_many",
    "can_reopen",
    "change",
    "counts_requests",
    "create",
    "filesystem_of",
    "has_arrow_file",
    "has_descriptor",
    "is_remote",
    "journals_beside",
    "old_tail",
    "open_batched",
    "open_source",
    "readable",
    "recover",
    "register",
    "remove_unfinished",
    "resolve",
    "rewriting",
    "target_in",
]
