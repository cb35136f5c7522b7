"""How a footer form is written into a file: what upgrades and writers share."""

from __future__ import annotations

from dataclasses import dataclass

from .. import extension, wire
from ..errors import ParquetextError
from .slots import Changes, changed

__all__ = ["Options"]

STATS = ("full", "compact")
PLACEMENTS = (extension.ASIDE, *extension.PLACEMENTS)


@dataclass(frozen=True, slots=True)
class Options:
    """How a block of ours is written.

    Attributes
    ----------
    marker : str
        Of a new extension; one that is there keeps its own.
    placement : str
        Where the block stands: ``"aside"``, ``"in-struct"`` or ``"after-stop"``.
    wrap : bool
        Make a block of somebody else's free-form bytes.
    stats : str
        ``"full"``, or ``"compact"``: long bounds are shortened in the flat form.
    extensions : mapping of UUID to bytes, or None
        What to put into extension slots of a flat footer; None takes a slot away.

    Raises
    ------
    ParquetextError
        There is no such marker, placement or choice of statistics, or the extensions are not bytes by UUID.
    """

    marker: str = "spec"
    placement: str = extension.ASIDE
    wrap: bool = False
    stats: str = "full"
    extensions: Changes | None = None

    def __post_init__(self):
        for what, choice, known in (
            ("marker", self.marker, extension.MARKERS),
            ("placement", self.placement, PLACEMENTS),
            ("choice of statistics", self.stats, STATS),
        ):
            if choice not in known:
                raise ParquetextError(f"no such {what}: {choice!r} (known: {', '.join(known)})", code=wire.BAD_ARGUMENT)
        changed({}, self.extensions)
