"""Build, find and read the metadata sidecar `_pm` of a Parquet file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import homes_of, lazy_names

_HOMES = homes_of(
    """
    building: build Built
    plan: open Plan release_mappings
    comparison: compare
    following: follow exists
    foreign_sidecars: foreign_beside is_foreign
    naming: candidates sidecar_path
    updating: update compact Updated
    store: Store
    store_snapshot: Snapshot
    token: Token
    pruning: prune Pruned
    """
)

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .building import Built as Built
    from .building import build as build
    from .comparison import compare as compare
    from .following import exists as exists
    from .following import follow as follow
    from .foreign_sidecars import foreign_beside as foreign_beside
    from .foreign_sidecars import is_foreign as is_foreign
    from .naming import candidates as candidates
    from .naming import sidecar_path as sidecar_path
    from .plan import Plan as Plan
    from .plan import open as open
    from .plan import release_mappings as release_mappings
    from .pruning import Pruned as Pruned
    from .pruning import prune as prune
    from .store import Store as Store
    from .store_snapshot import Snapshot as Snapshot
    from .token import Token as Token
    from .updating import Updated as Updated
    from .updating import compact as compact
    from .updating import update as update
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
