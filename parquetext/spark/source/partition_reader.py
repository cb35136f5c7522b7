"""The reader of a dataset: shares of files as Arrow batches, without the row groups that filters rule out."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
from pyspark.sql.types import StructType

from ... import wire
from ...arrow.datasets.dataset_plan import FileBounds, surviving
from ...arrow.datasets.discovery import Found, shared
from ...arrow.datasets.file_errors import naming
from ...arrow.datasets.file_plans import left_row_groups
from ...arrow.file import File
from ...arrow.file import open as open_file
from ...arrow.planned import open_planned
from ...footer.elements import parse_element
from ...footer.model import FooterReader
from ...pruning import Comparison, Predicate
from ...reading.request.selection import find_top_level
from .calendars import Calendar
from .catalogs import select_by_catalog
from .column_casts import conformed
from .keys import key_scalar
from .plans import Kept
from .prune import alternatives_of
from .read_shares import Piece, Portion, Share, list_files, shares
from .reader_options import Options
from .spark_schema import arrow_schema

_PLANS = Kept()


class Reader:
    """Read the columns of a schema. Plan from the listing only: the tasks read footers."""

    def __init__(self, options: Options, schema: StructType):
        self.options, self.schema = options, schema
        self.arrow = arrow_schema(schema)
        self.alternatives = alternatives_of(options.prune, schema, self.arrow)
        self.predicate = predicate_of(self.alternatives)

    def partitions(self) -> list[Share]:
        """Return shares of similar size of the files that their directories do not exclude."""
        files = list_files(self.options)
        asked = pickle.dumps((self.options, self.arrow, self.predicate))
        return _PLANS.of(asked, [files], lambda: shares(self._portions(files), self.options) or [Share([])])

    def read(self, share: Share) -> Iterator[pa.RecordBatch]:
        for piece in share.pieces:
            with naming(piece.file.target):
                yield from self._batches(piece)

    def _portions(self, files: list[Found]) -> list[Portion]:
        """Return the portions of files that directories, and then the catalog, if there is one, do not exclude."""
        left = self._left(files)
        if self.predicate is None or self.options.catalog is None:
            return [Portion.whole(file) for file in left]
        given = self._given(left)
        if given is None:
            return [Portion.whole(file) for file in left]
        catalog = self.options.target(self.options.catalog)
        kept, others = select_by_catalog(self.options, catalog, left, self.predicate, self._types(), given)
        portions = {number: Portion.whole(left[number]) for number in others}
        for number, (_, begins, share) in kept.items():
            portions[number] = Portion(left[number], int(left[number].size * share), begins)
        return [portions[number] for number in sorted(portions)]

    def _given(self, files: list[Found]) -> dict[str, pa.Array] | None:
        """Return the directories' values of the predicate's columns; None unless all directories have the same keys."""
        types = self._types()
        folders = {id(file.keys): file.keys for file in files}
        message = {
            position: {name: value for name, value in self._keys(keys).items() if name in types}
            for position, keys in folders.items()
        }
        names = {tuple(sorted(values)) for values in message.values()}
        if len(names) > 1:
            return None
        numbers = {position: number for number, position in enumerate(message)}
        of_file = pa.array([numbers[id(file.keys)] for file in files], pa.int64())
        return {
            name: pa.array([values[name] for values in message.values()], types[name]).take(of_file)
            for name in next(iter(names), ())
        }

    def _left(self, files: list[Found]) -> list[Found]:
        """Return the files that the keys of their directories do not exclude, decided for all directories at once."""
        predicate = self.predicate
        if predicate is None:
            return files
        types, folders = self._types(), list(shared(file.keys for file in files))
        known: dict[tuple[str, ...], list[tuple[int, list[pa.Scalar]]]] = {}  # numbers of folders, by names of keys
        for number, keys in enumerate(folders):
            values = {name: value for name, value in self._keys(keys).items() if name in types}
            known.setdefault(tuple(values), []).append((number, list(values.values())))
        left = {number for names, found in known.items() for number in _folders_left(predicate, names, found, types)}
        matching = {id(folders[number]) for number in left}
        return [file for file in files if id(file.keys) in matching]

    def _types(self) -> dict[str, pa.DataType]:
        """Return the types with which the predicate's columns are compared."""
        alternatives = self.predicate and self.predicate.alternatives
        return {part.column: self.arrow.field(part.column).type for group in alternatives or () for part in group}

    def _keys(self, values: Mapping[str, str | None]) -> dict[str, pa.Scalar]:
        """Return the directories' values of requested columns; names are compared without case."""
        keys = {key.lower(): value for key, value in values.items()}
        return {
            field.name: key_scalar(keys[field.name.lower()], field.type, field.name, self.options.time_zone)
            for field in self.arrow
            if field.name.lower() in keys
        }

    def _batches(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        given = self._keys(piece.file.keys)
        with (open_planned if self.options.sidecar else open_file)(piece.file.target) as file:
            content = _Content(file, [field for field in self.arrow if field.name not in given], self.options)
            row_groups = self._row_groups(file, piece, content, given)
            if not row_groups:
                return
            batches = file.iter_batches(
                [(name,) for name in content.names.values()],
                row_groups,
                batch_size=self.options.batch_rows,
                use_threads=False,
                key_values=False,
                arrow_extensions_enabled=False,
                coerce_int96_timestamp_unit="us",
            )
            for batch in batches:
                columns = [
                    pa.repeat(given[field.name], batch.num_rows)
                    if field.name in given
                    else content.column(batch, field)
                    for field in self.arrow
                ]
                yield _batch(columns, batch.num_rows, self.arrow)

    def _row_groups(self, file: File, piece: Piece, content: _Content, given: dict[str, pa.Scalar]) -> Sequence[int]:
        count = len(file.row_groups)
        left = range(count) if piece.is_whole else _beginning_in(file, piece, count)
        if self.predicate is None or not left or not content.calendar.is_plain or content.renamed:
            return left
        kept = set(left_row_groups(file, self.predicate, self._types(), given))
        return [row_group for row_group in left if row_group in kept]


def _folders_left(
    predicate: Predicate,
    names: tuple[str, ...],
    folders: list[tuple[int, list[pa.Scalar]]],
    types: dict[str, pa.DataType],
) -> list[int]:
    """Return the numbers of the folders that these keys do not exclude; their files' columns are unknown."""
    if not names:
        return [number for number, _ in folders]
    columns = zip(*(values for _, values in folders), strict=True)
    given = {name: pa.array(column, column[0].type) for name, column in zip(names, columns, strict=True)}
    found = surviving(predicate, [FileBounds(1, {}, frozenset())] * len(folders), types, given)
    return [number for (number, _), row_groups in zip(folders, found, strict=True) if row_groups]


def _batch(columns: list[pa.Array], rows: int, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch of these columns; without columns, it still has a number of rows."""
    if columns:
        return pa.RecordBatch.from_arrays(columns, schema=schema)
    return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))


def predicate_of(alternatives: list[list[Comparison]]) -> Predicate | None:
    """Return the predicate, or None if one of the alternatives excludes nothing."""
    return Predicate(None, alternatives) if alternatives and all(alternatives) else None


class _Content:
    """The requested columns that a file has, and their representation."""

    def __init__(self, file: File, fields: list[pa.Field], options: Options):
        self.names = file._on_form(lambda form: _names(form, fields))
        self.renamed = any(field != name for field, name in self.names.items())
        self.int96 = file._on_form(lambda form: _of_int96(form, self.names, fields))
        modes = {"datetime": options.rebase, "int96": options.int96_rebase}
        self.calendar = file._on_form(lambda form: Calendar(form, modes))
        self._places = {name: position for position, name in enumerate(self.names)}

    def column(self, batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
        """Return a column with Spark's type; it contains nulls if the file lacks it."""
        position = self._places.get(field.name)
        if position is None:
            return pa.nulls(batch.num_rows, field.type)
        return conformed(batch.column(position), field.type, field.name, self.calendar, field.name in self.int96)


def _names(form: FooterReader, fields: Iterable[pa.Field]) -> dict[str, str]:
    """Return the file's names of the fields that it has: the same name, or the only one that differs in case."""
    found = {field.name: field.name if find_top_level(form, field.name) is not None else None for field in fields}
    if None in found.values():
        by_case: dict[str, list[str]] = {}
        for name in _top_level_names(form):
            by_case.setdefault(name.lower(), []).append(name)
        for name in [name for name, there in found.items() if there is None]:
            alike = by_case.get(name.lower(), [])
            found[name] = alike[0] if len(alike) == 1 else None
    return {name: there for name, there in found.items() if there is not None}


def _top_level_names(form: FooterReader) -> list[str]:
    names = (form.node(leaf).path.split(b"\0", 1)[0] for leaf in range(form.leaf_count))
    return [name.decode("utf-8", "surrogateescape") for name in dict.fromkeys(names)]


def _of_int96(form: FooterReader, names: dict[str, str], fields: Iterable[pa.Field]) -> set[str]:
    """Return the columns that contain INT96."""
    moments = [field.name for field in fields if field.name in names and _has_moments(field.type)]
    return {
        name
        for name in moments
        for leaf in find_top_level(form, names[name]) or ()
        if parse_element(form.node(leaf).thrift).type == wire.PHYSICAL_INT96
    }


@functools.lru_cache(maxsize=1 << 10)
def _has_moments(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) or any(
        _has_moments(kind.field(position).type) for position in range(kind.num_fields)
    )


def _beginning_in(file: File, piece: Piece, count: int) -> list[int]:
    """Return the row groups whose first column begins in a part of the file."""
    if not file.num_columns:
        return list(range(count)) if piece.start < 0 else []
    begins = file._on_form(lambda form: form.column(0)).begins()
    return [row_group for row_group, begin in enumerate(begins) if piece.start <= begin < piece.end]
