"""Find the row groups of one open file that a predicate leaves, and check if an earlier plan is still valid."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from ... import kernels
from ...footer.reopening import file_state
from ...pruning import Predicate
from ...storage import Version
from ..file import File
from .dataset_plan import file_bounds, surviving, surviving_after_blooms, undecided_by_bounds


def left_row_groups(
    file: File, predicate: Predicate, types: Mapping[str, pa.DataType], given: Mapping[str, pa.Scalar]
) -> list[int]:
    """Return the row groups of a file that may contain matching rows, by bounds and Bloom filters.

    `types` contains the types in which the predicate's columns are compared. `given` contains the columns from
    directories.
    """
    known = {name: pa.array([value], value.type) for name, value in given.items() if name in types}

    def left(form) -> list[int]:
        fields = file_bounds(form, [name for name in types if name not in known])
        kept = surviving(predicate, [fields], types, known)[0]
        if not kept or not undecided_by_bounds(predicate):
            return kept
        same = {name: rows for name, (_, rows) in fields.bounds.items() if rows == types[name]}
        return surviving_after_blooms(predicate, kept, fields, types, known, file._blooms(form, same))

    return file._on_form(left)


class Plan(NamedTuple):
    """The basis of a plan: the predicate, and the version of the file, if it is known."""

    predicate: Predicate
    version: Version | None

    def holds_for(self, predicate: Predicate, file: File) -> bool:
        """Return True if a new plan for the open file would not rule out more row groups."""
        if self.version is None or predicate is not self.predicate or undecided_by_bounds(predicate):
            return False
        return _version_of(file) == self.version


def settled_version(file: File, since: int) -> Version | None:
    """Return the version of a local file if any change after a time, in ns, is visible in it."""
    version = _version_of(file)
    settled_at = None if version is None else version.settled_at
    return version if settled_at is not None and settled_at < since else None


def version_or_none(file: File) -> tuple | None:
    """Return the state of a file by which another version of it is recognized, or None if it has no path."""
    try:
        return file_state(file, file._source)[2]
    except pickle.PicklingError:
        return None


def _version_of(file: File) -> Version | None:
    source = file._source
    return Version.of_stat(os.fstat(source.fd)) if isinstance(source, kernels.local.LocalFile) else None
