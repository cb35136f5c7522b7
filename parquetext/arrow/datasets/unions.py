"""Combine several datasets into one by concatenating their files."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.fs as pafs

from ...pruning import Predicate
from ..read_options import Reading
from .fragment_planning import FragmentPlanner
from .fragments import Fragment
from .partitioning import PartitionKeys

__all__ = ["UnionPlanner"]


class UnionPlanner:
    """Planners with one schema, with the interface of `FragmentPlanner`.

    Attributes
    ----------
    schema : pyarrow.Schema
    children : list of FragmentPlanner or UnionPlanner
    """

    def __init__(self, children: Sequence[FragmentPlanner | UnionPlanner], schema: pa.Schema):
        self.children, self.schema = [child.with_schema(schema) for child in children], schema

    @classmethod
    def of(cls, children: Sequence[FragmentPlanner | UnionPlanner], schema: pa.Schema | None) -> UnionPlanner:
        """Combine planners with different schemas; use `schema`, or all their columns.

        Raises
        ------
        pyarrow.ArrowTypeError
            If a column has different types.
        """
        return cls(children, pa.unify_schemas([child.schema for child in children]) if schema is None else schema)

    @property
    def paths(self) -> list[str]:
        return [path for child in self.children for path in child.paths]

    @property
    def filesystem(self) -> pafs.FileSystem:
        return self.children[0].filesystem

    @property
    def reading(self) -> Reading:
        return self.children[0].reading

    @property
    def keys(self) -> PartitionKeys:
        return self.children[0].keys

    def with_schema(self, schema: pa.Schema) -> UnionPlanner:
        """Return a planner of the same files with other columns."""
        return UnionPlanner(self.children, schema)

    def fragments(self, predicate: Predicate | None) -> list[Fragment]:
        """Return the fragments of all planners, with new numbers."""
        found, begin = [], 0
        for child in self.children:
            found += [fragment.numbered(begin + fragment.number) for fragment in child.fragments(predicate)]
            begin += len(child.paths)
        return found
