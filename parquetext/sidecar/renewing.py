"""Rebuild a sidecar after its file has changed."""

from __future__ import annotations

import contextlib

from .. import kernels, wire
from ..errors import ParquetextError
from ..storage.operations import OPERATIONS
from .building import build
from .foreign_sidecars import has_own_note
from .plan import read_sidecar


def renew(target, location) -> None:
    """Rebuild the sidecar at `place` if its newest commit is ours; remove it if that fails."""
    features = _features_of_ours(location)
    if features is None:
        return
    try:
        build(target, sidecar=location, external_blooms=bool(features & wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL))
    except (OSError, ParquetextError):
        if location.is_local:
            # If this user may not remove it, it remains; its note shows that it is stale.
            with contextlib.suppress(PermissionError):
                OPERATIONS.unlink(location.path)
        else:
            location.filesystem.delete_file(location.path)


def _features_of_ours(location) -> int | None:
    """Return the feature flags of our sidecar; None if it is foreign or cannot be read."""
    try:
        reader = kernels.sidecar.Reader(read_sidecar(location), verify=False)
        return reader.features if has_own_note(reader) else None
    except ParquetextError:
        return None
