"""Which row groups of one open file a predicate leaves, and whether an earlier answer still holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from ... import kernels
from ...pruning import Predicate
from ...storage import Version
from ..file import File
from .dataset_plan import asked_blooms, gather_facts, surviving, undecided_by_bounds

__all__ = ["Plan", "left_row_groups", "settled_version"]


def left_row_groups(
    file: File, predicate: Predicate, types: Mapping[str, pa.DataType], given: Mapping[str, pa.Scalar]
) -> list[int]:
    """The row groups of a file that may hold rows which meet a predicate, by bounds and Bloom filters.

    `types` has what the columns that it looks at are compared as, `given` those that directories give.
    """
    known = {name: pa.array([value], value.type) for name, value in given.items() if name in types}

    def left(form) -> list[int]:
        facts = gather_facts(form, [name for name in types if name not in known])
        kept = surviving(predicate, [facts], types, known)[0]
        if not kept or not undecided_by_bounds(predicate):
            return kept
        same = {name: rows for name, (_, rows) in facts.bounds.items() if rows == types[name]}
        return asked_blooms(predicate, kept, facts, types, known, file._blooms(form, same))

    return file._on_form(left)


class Plan(NamedTuple):
    """By what a file's row groups were left: the version that the file had, if it is known, and the predicate."""

    predicate: Predicate
    version: Version | None

    def holds_for(self, predicate: Predicate, file: File) -> bool:
        """Whether nothing would be left out of an open file besides."""
        if self.version is None or predicate is not self.predicate or undecided_by_bounds(predicate):
            return False
        return _version_of(file) == self.version


def settled_version(file: File, since: int) -> Version | None:
    """The version of a local file, if any change after a time, in ns, shows in it."""
    version = _version_of(file)
    settled_at = None if version is None else version.settled_at
    return version if settled_at is not None and settled_at < since else None


def _version_of(file: File) -> Version | None:
    source = file._source
    return Version.of_stat(os.fstat(source.fd)) if isinstance(source, kernels.local.LocalFile) else None
