"""Read ranges of files and commit changes safely, on any storage. Nothing here depends on Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import homes_of, lazy_names

_HOMES = homes_of(
    """
    appending: Appender Comparison Different appender
    backend: Backend Capability Entry register
    batched_reads: BatchedSource open_batched
    commit: Change change create recover rewriting
    paths: ChangedFile OpenTarget SchemeError Target filesystem_of is_local_filesystem
    paths: is_path_or_filesystem readable resolve target_in
    ranged_file: OpenedFile
    refusals: IGNORABLE
    source: LocalSource Overlay RemoteSource Source TICK_NS TailEdit Version open_source
    new_file: Scratch
    capabilities: can_gather can_read_many can_reopen counts_requests has_arrow_file has_descriptor is_remote
    in_place: journals_beside old_tail
    backends.local: remove_unfinished
    """
)

__all__ = list(_HOMES)

if TYPE_CHECKING:
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
        is_local_filesystem,
        is_path_or_filesystem,
        readable,
        resolve,
        target_in,
    )
    from .ranged_file import OpenedFile
    from .refusals import IGNORABLE
    from .source import TICK_NS, LocalSource, Overlay, RemoteSource, Source, TailEdit, Version, open_source
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
