"""Options for writing a footer form, used by upgrades and writers."""

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
        The contents of extension slots of a flat footer; None for a UUID removes the slot.

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

    def __post_init__(self):
        for what, choice, known in (
            ("marker", self.marker, extension.MARKERS),
            ("placement", self.placement, PLACEMENTS),
            ("choice of statistics", self.stats, STATS),
        ):
            if choice not in known:
                raise ParquetextError(f"no such {what}: {choice!r} (known: {', '.join(known)})", code=wire.BAD_ARGUMENT)
        changed({}, self.extensions)
