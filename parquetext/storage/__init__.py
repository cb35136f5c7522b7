"""Read ranges of files and commit changes safely, on any storage. Nothing here depends on Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

_HOMES = {
    "Appender": "appending",
    "Backend": "backend",
    "BatchedSource": "batched_reads",
    "Capability": "backend",
    "Change": "commit",
    "ChangedFile": "paths",
    "Comparison": "appending",
    "Different": "appending",
    "Entry": "backend",
    "IGNORABLE": "refusals",
    "LocalSource": "source",
    "OpenTarget": "paths",
    "Overlay": "source",
    "RemoteSource": "source",
    "SchemeError": "paths",
    "Scratch": "new_file",
    "Source": "source",
    "TICK_NS": "source",
    "TailEdit": "source",
    "Target": "paths",
    "Version": "source",
    "appender": "appending",
    "can_gather": "capabilities",
    "can_read_many": "capabilities",
    "can_reopen": "capabilities",
    "change": "commit",
    "counts_requests": "capabilities",
    "create": "commit",
    "filesystem_of": "paths",
    "has_arrow_file": "capabilities",
    "has_descriptor": "capabilities",
    "is_remote": "capabilities",
    "journals_beside": "in_place",
    "old_tail": "in_place",
    "open_batched": "batched_reads",
    "open_source": "source",
    "readable": "paths",
    "recover": "commit",
    "register": "backend",
    "remove_unfinished": "backends.local",
    "resolve": "paths",
    "rewriting": "commit",
    "target_in": "paths",
}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .appending import Appender as Appender
    from .appending import Comparison as Comparison
    from .appending import Different as Different
    from .appending import appender as appender
    from .backend import Backend as Backend
    from .backend import Capability as Capability
    from .backend import Entry as Entry
    from .backend import register as register
    from .backends.local import remove_unfinished as remove_unfinished
    from .batched_reads import BatchedSource as BatchedSource
    from .batched_reads import open_batched as open_batched
    from .capabilities import can_gather as can_gather
    from .capabilities import can_read_many as can_read_many
    from .capabilities import can_reopen as can_reopen
    from .capabilities import counts_requests as counts_requests
    from .capabilities import has_arrow_file as has_arrow_file
    from .capabilities import has_descriptor as has_descriptor
    from .capabilities import is_remote as is_remote
    from .commit import Change as Change
    from .commit import change as change
    from .commit import create as create
    from .commit import recover as recover
    from .commit import rewriting as rewriting
    from .in_place import journals_beside as journals_beside
    from .in_place import old_tail as old_tail
    from .new_file import Scratch as Scratch
    from .paths import ChangedFile as ChangedFile
    from .paths import OpenTarget as OpenTarget
    from .paths import SchemeError as SchemeError
    from .paths import Target as Target
    from .paths import filesystem_of as filesystem_of
    from .paths import readable as readable
    from .paths import resolve as resolve
    from .paths import target_in as target_in
    from .refusals import IGNORABLE as IGNORABLE
    from .source import TICK_NS as TICK_NS
    from .source import LocalSource as LocalSource
    from .source import Overlay as Overlay
    from .source import RemoteSource as RemoteSource
    from .source import Source as Source
    from .source import TailEdit as TailEdit
    from .source import Version as Version
    from .source import open_source as open_source
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
