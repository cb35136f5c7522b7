"""Options that operations share, options for writing a footer form, and the checks that callers may ignore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from .. import extension, wire
from ..errors import ParquetextError
from ..records import frozen
from ..storage import IGNORABLE as STORAGE_REFUSALS
from .slots import Changes, changed

IGNORABLE = {
    "table-format": "the log of a table, or another program's sidecar next to the file, records the file's size",
    "summary": "a _metadata file in a folder above records positions of the file's column chunks, which change",
    "free-form": "the extension contains another program's bytes without a block trailer: our block is stacked on them",
    "size": "the extension would be larger than pyarrow and Spark can read",
    "partition-columns": "columns whose values are only in the names of directories are not in the merged file",
    **STORAGE_REFUSALS,
}
STATS = ("full", "compact")
PLACEMENTS = (extension.ASIDE, *extension.PLACEMENTS)
SCAN, RANDOM_ACCESS, SIZE = "scan", "random_access", "size"
OPTIMIZED_FOR = (SCAN, RANDOM_ACCESS, SIZE)  # the uses of a file that a writer can optimize its layout for


def check_optimize_for(use: object) -> None:
    """Raise ParquetextError unless a writer can optimize files for this use."""
    if use not in OPTIMIZED_FOR:
        message = f"optimize_for {use!r}: one of {', '.join(OPTIMIZED_FOR)} expected"
        raise ParquetextError(message, code=wire.BAD_ARGUMENT)


class RewriteOptions(TypedDict, total=False):
    """Options of operations that write a file anew.

    Parameters
    ----------
    keep_mtime : bool
        Keep the modification time of the file.
    ignore : iterable of str
        Checks to ignore: keys of `edits.IGNORABLE`. The message of a refusal names the check.
    timeout : float
        Seconds to wait for another writer of the file; 0 by default.
    dry_run : bool
        Report the change without locking or writing anything.
    """

    keep_mtime: bool
    ignore: Iterable[str]
    timeout: float
    dry_run: bool


class ChangeOptions(RewriteOptions, total=False):
    """Options of operations that change the end of a file.

    Parameters
    ----------
    in_place : bool
        Change the end of the file, protected by a journal, instead of replacing the file.

    See Also
    --------
    RewriteOptions : the other options.
    """

    in_place: bool


@frozen
class Options:
    """The options for writing one of our blocks.

    Attributes
    ----------
    marker : str
        Marker of a new extension; an existing extension keeps its marker.
    placement : str
        The position of the block: ``"aside"``, ``"in-struct"`` or ``"after-stop"``.
    wrap : bool
        Make a block of another program's free-form bytes.
    stats : str
        ``"full"``, or ``"compact"``: long bounds are shortened in the flat form.
    extensions : mapping of UUID to bytes, or None
        The contents of extension slots; None for a UUID removes the slot.
    most_bytes : int or None
        The size of the largest payload to write; None without a limit.

    Raises
    ------
    ParquetextError
        If there is no such marker, placement or choice of statistics, or if the extensions are not bytes by UUID.
    """

    marker: str = "spec"
    placement: str = extension.ASIDE
    wrap: bool = False
    stats: str = "full"
    extensions: Changes | None = None
    most_bytes: int | None = None

    def __post_init__(self):
        for what, choice, known in (
            ("marker", self.marker, extension.MARKERS),
            ("placement", self.placement, PLACEMENTS),
            ("choice of statistics", self.stats, STATS),
        ):
            if choice not in known:
                raise ParquetextError(f"no such {what}: {choice!r} (known: {', '.join(known)})", code=wire.BAD_ARGUMENT)
        changed({}, self.extensions)
