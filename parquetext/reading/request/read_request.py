"""The first stage of a read: check the arguments, and resolve names to leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa

from ...encoding.decoded_sizes import check_option
from ...errors import ColumnError, ParquetextError
from ...footer.facade import File
from ...footer.model import GROUP, FooterReader
from ...footer.pyarrow_footer import schema_of
from ...pruning import Predicate, predicate_of
from ..fields.arrow_fields import schema_or_ours
from .row_numbers import RowNumbers
from .selection import index_columns, is_part, leaves_of, select, top_level_leaves

PYARROW, OURS, AUTO = ENGINES = "pyarrow", "parquetext", "auto"
DEFAULTS = {  # of the options of pyarrow's reader
    "read_dictionary": None,
    "binary_type": None,
    "list_type": None,
    "buffer_size": 0,
    "pre_buffer": True,
    "coerce_int96_timestamp_unit": None,
    "thrift_string_size_limit": None,
    "thrift_container_size_limit": None,
    "schema_depth_limit": None,
    "page_checksum_verification": False,
    "arrow_extensions_enabled": True,
}
OF_TABLES = {"schema", "ignore_prefixes", "partitioning", "decryption_properties"}


class ReadOptions(NamedTuple):
    """The options of a read; `reader` contains options of pyarrow's reader, `limit` is the decoded size limit."""

    engine: str | None = None
    use_threads: bool = True
    memory_map: bool = False
    key_values: bool = True
    use_pandas_metadata: bool = False
    limit: int | None = None
    reader: Mapping[str, Any] = MappingProxyType({})

    @property
    def has_metadata(self) -> bool:
        """True if the metadata of the result contain the file's key-values."""
        return self.key_values or self.use_pandas_metadata

    def schema_of(self, footer: bytes) -> pa.Schema:
        """Return the Arrow schema of a Thrift footer, also if pyarrow refuses it but our decoder may be used."""
        return schema_of(footer) if self.engine in (None, PYARROW) else schema_or_ours(footer)


class Request(NamedTuple):
    """A read of one file, with names resolved.

    Attributes
    ----------
    leaves : sequence of int
        The leaves to return, in order.
    is_nested : bool
        True if a leaf may be requested without the rest of its top-level column.
    row_groups : sequence of int
    predicate : Predicate or None
    predicate_fields : mapping or None
        The leaves of each top-level column of the predicate; None if the predicate may refer to any column.
    options : ReadOptions
    rows : RowNumbers or None
        The rows to return; None for all rows.
    """

    leaves: Sequence[int]
    is_nested: bool
    row_groups: Sequence[int]
    predicate: Predicate | None
    predicate_fields: Mapping[str, range] | None
    options: ReadOptions
    rows: RowNumbers | None = None


def check_engine(engine: str | None) -> str | None:
    """Return the engine; raise ParquetextError if the name is unknown. None is the default."""
    if engine is not None and engine not in ENGINES:
        known = ", ".join(map(repr, ENGINES))
        raise ParquetextError(f"no engine is called {engine!r} (known: {known})")
    return engine


def check_arguments(options: Mapping[str, Any], engine: str | None, limit: int | None = None) -> None:
    """Raise an error for an unknown option or engine, or for a limit of decoded sizes that is not above 0."""
    check_options(options)
    check_engine(engine)
    check_option(limit)


def check_options(options: Mapping[str, Any]) -> None:
    """Raise TypeError for an option that pyarrow's reader does not have, or that we do not pass on."""
    check_types(options)
    for name in options.keys() - DEFAULTS.keys():
        if name in OF_TABLES:
            raise TypeError(f"{name}: parquetext.read_table takes it")
        if name == "row_groups":
            raise TypeError("row_groups: an open file's read takes it")
        raise TypeError(f"unexpected argument {name!r}")


def check_types(options: Mapping[str, Any]) -> None:
    """Raise TypeError for a `binary_type` that is not a type: pyarrow does not check it, and would end the process."""
    kind = options.get("binary_type")
    if kind is not None and not isinstance(kind, pa.DataType):
        raise TypeError(f"binary_type is a pyarrow.DataType, not {kind!r}")


def as_names(columns: Iterable | None) -> list | None:
    """Return the requested names as a list; raise TypeError if they are one string, or no names."""
    if isinstance(columns, str):
        raise TypeError("columns is a list of names, not one string")
    if columns is not None and not isinstance(columns, Iterable):
        raise TypeError(f"columns is a list of names, not {columns!r}")
    return None if columns is None else list(columns)


def resolve(
    form: FooterReader,
    columns: list | None,
    row_groups: Sequence[int] | None,
    filters: object,
    options: ReadOptions,
) -> Request:
    """Resolve the names of columns, filters and row groups in a file's footer; they are valid only for this form.

    Raises
    ------
    ColumnError
        If a name is unknown or ambiguous.
    IndexError
        If there is no such row group.
    """
    if columns is not None and options.use_pandas_metadata:
        columns = columns + index_columns(form)
    groups = _row_groups(form, row_groups)
    predicate = None if filters is None else predicate_of(filters)
    leaves = select(form, columns)
    is_nested = columns is not None and any(map(is_part, columns))
    fields = None if predicate is None else _predicate_fields(form, predicate, options)
    return Request(leaves, is_nested, groups, predicate, fields, options)


def _row_groups(form: FooterReader, row_groups: Sequence[int] | None) -> Sequence[int]:
    if row_groups is None:
        return range(form.row_group_count)
    row_groups = list(row_groups)
    for row_group in row_groups:
        if not 0 <= row_group < form.row_group_count:
            raise IndexError(f"row group {row_group}: the file has {form.row_group_count}")
    return row_groups


def _predicate_fields(form: FooterReader, predicate: Predicate, options: ReadOptions) -> dict[str, range] | None:
    """Return the leaves of the top-level columns of a predicate, or None if it may refer to any column."""

    def type_of(name: str) -> pa.DataType | None:
        try:
            leaves = top_level_leaves(form, name)
        except ColumnError:
            return None
        return options.schema_of(form.slice(list(leaves), [])).field(0).type

    names = predicate.columns(type_of)
    return None if names is None else {name: top_level_leaves(form, name) for name in names}


def fetch_cells(file: File, columns: list | None, row_groups: Sequence[int] | None) -> None:
    """Announce how many columns are looked up; fetch the cells of a remote footer for their slice in few rounds."""
    file._expect(file.num_columns if columns is None else len(columns))
    if not file._is_batched() or columns is None:
        return
    shared = [lambda form: form.row_groups("num_rows"), lambda form: form.created_by, lambda form: form.node(GROUP)]
    file._source.want_shared()
    found: Any = file._each([*(partial(leaves_of, name=name) for name in columns), *shared])
    leaves = {leaf for below in found[: len(columns)] for leaf in below}
    file._each(partial(_slice_of, leaf=leaf, row_groups=row_groups) for leaf in sorted(leaves))


def _slice_of(form: FooterReader, leaf: int, row_groups: Sequence[int] | None) -> bytes:
    return form.slice([leaf], range(form.row_group_count) if row_groups is None else row_groups)
