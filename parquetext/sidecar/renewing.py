"""One sidecar made anew after its file has changed."""

from __future__ import annotations

import contextlib

from .. import kernels, wire
from ..errors import ParquetextError
from ..storage import LocalTarget
from ..storage.operations import OPERATIONS
from .building import build
from .origin import CODE
from .plan import read_sidecar

__all__ = ["renew"]


def renew(target, place) -> None:
    """Make the sidecar at `place` anew if it is ours; remove it where that fails."""
    features = _features_of_ours(place)
    if features is None:
        return
    try:
        build(target, sidecar=place, external_blooms=bool(features & wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL))
    except (OSError, ParquetextError):
        if isinstance(place, LocalTarget):
            # Where others' files may not be removed it stays, and says itself that it is of another file.
            with contextlib.suppress(PermissionError):
                OPERATIONS.unlink(place.path)
        else:
            place.filesystem.delete_file(place.path)


def _features_of_ours(place) -> int | None:
    """The feature flags of a sidecar that has our note; None of any other."""
    try:
        reader = kernels.sidecar.Reader(read_sidecar(place), verify=False)
    except ParquetextError:
        return None
    return reader.features if CODE in reader.scratchpad else None
