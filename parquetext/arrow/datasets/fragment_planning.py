"""Find the files of a dataset, and their row groups, that may contain rows that match a predicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.fs as pafs

from ...pruning import Predicate
from ...storage import Version
from ..read_options import Reading
from .dataset_plan import FileBounds, surviving, surviving_by_file
from .discovery import Files
from .file_plans import Plan
from .fragments import Fragment
from .partitioning import PartitionKeys, cast_keys
from .scan_columns import columns_looked_at
from .shape import Shape, has_column
from .sidecars import paths_of, plan_by_sidecars
from .small_files import bounds_of


class FragmentPlanner:
    """The files of a dataset, their keys, the schema of the rows, and the common read options.

    Attributes
    ----------
    files : Files
    keys : PartitionKeys
    schema : pyarrow.Schema
    reading : Reading
    """

    def __init__(self, files: Files, keys: PartitionKeys, schema: pa.Schema, reading: Reading):
        self.files, self.keys, self.schema, self.reading = files, keys, schema, reading
        types = {name: schema.field(name).type for name in keys.values if has_column(schema, name)}
        self._given = {
            name: values if (values := keys.values[name]).type == kind else cast_keys(values, kind)
            for name, kind in types.items()
        }

    @property
    def paths(self) -> list[str]:
        """The files' paths, in order."""
        return list(self.files.paths)

    @property
    def filesystem(self) -> pafs.FileSystem:
        """The filesystem of the first file."""
        first = self.files.filesystems[0] if len(self.files) else None
        return pafs.LocalFileSystem() if first is None else first

    def with_schema(self, schema: pa.Schema) -> FragmentPlanner:
        """Return a planner of the same files with other columns."""
        return FragmentPlanner(self.files, self.keys, schema, self.reading)

    def fragments(self, predicate: Predicate | None) -> list[Fragment]:
        """Return one fragment for each file that keys and bounds do not rule out, in the order of the files."""
        numbers = range(len(self.files))
        names = None if predicate is None else columns_looked_at(self.schema, predicate)
        if predicate is None or not names:
            return [self.fragment(number) for number in numbers]
        groups = [
            self._of_group(predicate, names, {name: self._given[name] for name in keys if name in self._given}, some)
            for keys, some in self.keys.groups()
        ]
        found = groups[0] if len(groups) == 1 else [fragment for group in groups for fragment in group]
        return found if len(groups) == 1 else sorted(found, key=lambda fragment: fragment.number)

    def fragment(self, number: int, *, blooms: bool = True) -> Fragment:
        """Return a fragment of a whole file."""
        names = self.keys.names[number]
        given = {name: values[number] for name, values in self._given.items() if name in names}
        shape = Shape(self.schema, given)
        return Fragment(self.files.target(number), number, shape, reading=self.reading, blooms=blooms)

    def _of_group(
        self, predicate: Predicate, names: Sequence[str], given: Mapping[str, pa.Array], numbers: Sequence[int]
    ) -> list[Fragment]:
        """Return the remaining fragments of files that have the same keys."""
        types = {name: self.schema.field(name).type for name in names}
        known = {name: values for name, values in given.items() if name in types}
        if known:
            chosen = {name: values.take(pa.array(numbers, pa.int64())) for name, values in known.items()}
            unopened = FileBounds(len(numbers), {}, frozenset())
            # Files that their directories rule out are not opened, even if their rows would raise an error.
            kept = surviving_by_file(predicate, [1] * len(numbers), [unopened], types, chosen, keeps_failing=False)
            numbers = [numbers[position] for position in kept]
            if len(known) == len(types):
                return [self.fragment(number) for number in numbers]
        left, others, filtered = self._left_by_sidecars(predicate, list(numbers), types, known)
        unfiltered = left.keys() - filtered
        versions = dict.fromkeys(left)
        for number, row_groups, version in self._left_by_footers(predicate, others, types, known):
            left[number], versions[number] = row_groups, version
        return [
            self.fragment(number, blooms=number not in unfiltered).with_row_groups(
                row_groups, Plan(predicate, versions[number])
            )
            for number, row_groups in sorted(left.items())
        ]

    def _left_by_sidecars(
        self, predicate: Predicate, numbers: list[int], types: Mapping[str, pa.DataType], known: Mapping[str, pa.Array]
    ) -> tuple[dict[int, list[int]], list[int], set[int]]:
        """Return the row groups left by sidecars of local files, the other files, and the files with Bloom filters."""
        paths, filesystems = self.files.paths, self.files.filesystems
        local, elsewhere = numbers, []
        if any(filesystems):
            local = [number for number in numbers if filesystems[number] is None]
            elsewhere = [number for number in numbers if filesystems[number] is not None]
        if not local or not self.reading.sidecar:
            return {}, numbers, set()
        given = {name: values.take(pa.array(local, pa.int64())) for name, values in known.items()}
        left, others, filtered = plan_by_sidecars(predicate, paths_of(paths, local), types, given)
        return (
            {local[number]: row_groups for number, row_groups in left.items()},
            sorted([local[number] for number in others] + elsewhere),
            {local[number] for number in filtered},
        )

    def _left_by_footers(
        self, predicate: Predicate, numbers: list[int], types: Mapping[str, pa.DataType], known: Mapping[str, pa.Array]
    ) -> list[tuple[int, list[int], Version | None]]:
        """Open files one by one, and return those with remaining row groups: number, row groups, planned version."""
        asked = [name for name in types if name not in known]
        fields = list(bounds_of([self.fragment(number) for number in numbers], asked))
        chosen = pa.array(numbers, pa.int64())
        kept = surviving(predicate, fields, types, {name: values.take(chosen) for name, values in known.items()})
        versions = [each.version for each in fields]
        return [found for found in zip(numbers, kept, versions, strict=True) if found[1]]


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
    def files(self) -> Files:
        return Files.joined(child.files for child in self.children)

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
