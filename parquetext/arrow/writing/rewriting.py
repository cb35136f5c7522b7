"""Rewrite a file with pyarrow's writer in another codec, order, encoding, or row group size."""

from __future__ import annotations

import inspect
import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from ... import storage, wire
from ...edits.options import IGNORABLE, SCAN, check_optimize_for
from ...edits.table_logs import refuse_stale_summary, refuse_table_files
from ...errors import ColumnError, Malformed, ParquetextError, Unsupported
from ...footer.bloom_filters import ELSEWHERE
from ...footer.elements import parse_element
from ...footer.forms import AUTO, THRIFT, Form, best_beside_thrift, check_writable, names_in
from ...footer.leaf_types import CODECS
from ...footer.locate import read_tail
from ...footer.model import GROUP, FooterReader
from ...footer.names import as_path
from ...logical_types import entry_of
from ...nearest import nearest
from ...pruning.bloom import LARGEST, find_bitset
from ...records import frozen
from ...storage.refusals import check
from ..file import open as open_file
from .dictionaries import leaf_paths
from .writer import WriterWithThrift

SortKey = tuple[str, str]  # a column name, and "ascending" or "descending"
ARROW_SCHEMA, DICTIONARY = b"ARROW:schema", "DICTIONARY"
WRITTEN_CODECS = {
    "UNCOMPRESSED": "none",
    "SNAPPY": "snappy",
    "GZIP": "gzip",
    "BROTLI": "brotli",
    "LZ4": "lz4",
    "LZ4_RAW": "lz4",
    "ZSTD": "zstd",
}
BATCH_ROWS = 1 << 16


@frozen
class WrittenFile:
    """A rewritten file.

    Attributes
    ----------
    path : str
        The path of the new file.
    rows, row_groups : int
    bytes_before, bytes_after : int
    form : str
        The form of the new footer.
    notes : tuple of str
        Features of the old file that the new one lacks.
    """

    path: str
    rows: int
    row_groups: int
    bytes_before: int
    bytes_after: int
    form: str
    notes: tuple[str, ...] = ()


def rewrite_file(
    path: object,
    out: object,
    *,
    codec: str | None = None,
    level: int | None = None,
    row_group_size: int | None = None,
    sort: Sequence[SortKey] = (),
    encodings: Mapping[str, str] | None = None,
    form: Form | str = AUTO,
    ignore: Iterable[str] = (),
    optimize_for: str = SCAN,
) -> WrittenFile:
    """Decode and rewrite a file; keep its key-values, and rebuild the Bloom filters of columns that have some.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
    out : str, os.PathLike or (filesystem, str)
        The new file, which may be the old one. The old file is replaced when the new one is complete.
    codec : str, optional
        The codec of all columns. By default, each column keeps its codec in the first row group if `optimize_for` is
        ``"scan"``; the other uses choose it.
    level : int, optional
        The compression level of the codec.
    row_group_size : int, optional
        Rows of a row group. By default, row groups stay unchanged; those of a sorted file have as many rows as the
        first.
    sort : sequence of (str, {"ascending", "descending"})
        Top-level columns by which rows are sorted, nulls last. All rows are in memory then. The new footer contains the
        order.
    encodings : mapping of str to str, optional
        Encodings of leaves, by their dotted paths, which replace dictionary encoding.
    form, ignore, optimize_for
        As in `ParquetWriter`.

    Raises
    ------
    ColumnError
        If there is no such column to sort by.
    ParquetextError
        If there is no such column or encoding.
    Unsupported
        If pyarrow cannot write a column's codec.
    Conflict
        If another program has changed the file meanwhile.

    Examples
    --------
    >>> from parquetext.arrow.rewriting import rewrite_file
    >>> rewrite_file("wide.parquet", "sorted.parquet", codec="zstd", sort=[("price", "descending")]).rows
    300
    """
    ignored = check(ignore, IGNORABLE)
    check_writable(form, THRIFT.name)
    check_optimize_for(optimize_for)
    _check_level(codec, level)
    refuse_table_files(out, ignored)
    refuse_stale_summary(out, ignored)
    with storage.open_source(path) as source, open_file(path) as file:
        size, schema = source.size, _schema_of(file)
        options = _writer_options(file, schema, codec, level, sort, encodings or {}, optimize_for)
        options["optimize_for"] = optimize_for
        if not sort and row_group_size is None:
            options["sorting_columns"] = _sorted_by(file)
        options["bloom_filter_options"], lost = _bloom_options(file, source, schema, row_group_size, sort)
        notes = tuple(_notes(file, lost))
        try:
            with WriterWithThrift(out, schema, form=form, ignore=ignored, **options) as writer:
                for table in _tables(file, row_group_size, sort):
                    writer.write_table(_as_schema(table, schema, file), max(table.num_rows, 1))
                source.check_unchanged()
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, ParquetextError) or getattr(error, "errno", None) is not None:
                raise
            asked = "".join(f"; you asked for {encoding} for {name!r}" for name, encoding in (encodings or {}).items())
            raise Unsupported(f"pyarrow cannot write it: {error}{asked}", file=source.name) from None
    with storage.open_source(out) as source, open_file(out) as made:
        groups = len(made.row_groups)
        name = best_beside_thrift({made.form, *names_in(read_tail(source))})
        return WrittenFile(source.name, made.num_rows, groups, size, source.size, name, notes)


def _check_level(codec: str | None, level: int | None) -> None:
    """Raise ParquetextError for a compression level that the codec lacks; pyarrow accepts any level for zstd."""
    if level is None:
        return
    if codec is None:
        raise ParquetextError("a compression level needs a codec: give both", code=wire.BAD_ARGUMENT)
    if codec == "none" or not pa.Codec.supports_compression_level(codec):
        raise ParquetextError(f"codec {codec!r} has no compression levels: omit the level", code=wire.BAD_ARGUMENT)
    least, greatest = pa.Codec.minimum_compression_level(codec), pa.Codec.maximum_compression_level(codec)
    if not least <= level <= greatest:
        message = f"compression level {level} is not valid for codec {codec!r}: use {least} to {greatest}"
        raise ParquetextError(message, code=wire.BAD_ARGUMENT)


def _as_schema(table: pa.Table, schema: pa.Schema, file) -> pa.Table:
    """Cast a table to the file's schema; raise Malformed if a footer that was read later names other columns."""
    if table.schema.names != schema.names:
        raise Malformed(f"the footers name different columns: {table.schema.names} and {schema.names}", file=file.path)
    return table.cast(schema)


def _schema_of(file) -> pa.Schema:
    """Return the schema with the file's key-values; the writer adds the key of the Arrow schema itself."""
    pairs = {key: value or b"" for key, value in file.key_values.items() if key != ARROW_SCHEMA}
    return file.schema.with_metadata(pairs or None)


def _writer_options(
    file,
    schema: pa.Schema,
    codec: str | None,
    level: int | None,
    sort: Sequence[SortKey],
    encodings: Mapping[str, str],
    use: str,
) -> dict:
    """Return the options of pyarrow's writer."""
    leaves = list(leaf_paths(schema))
    options: dict = {} if level is None else {"compression_level": level}
    if codec or use == SCAN:
        options["compression"] = codec or _codecs(file, leaves)
    _check_names(encodings, leaves, str(file.path))
    if encodings and use != SCAN:
        options["column_encoding"] = dict(encodings)
    elif encodings:
        kept = [leaf for leaf in leaves if encodings.get(leaf, DICTIONARY).upper() == DICTIONARY]
        options["use_dictionary"] = kept or False
        options["column_encoding"] = {name: encodings[name].upper() for name in encodings if name not in kept} or None
    if sort:
        options["sorting_columns"] = list(_new_order(file, schema, sort))
    return options


def _new_order(file, schema: pa.Schema, sort: Sequence[SortKey]) -> Iterator[pq.SortingColumn]:
    _check_names([name for name, _ in sort], schema.names, str(file.path))
    for name, order in sort:
        node = file.parquet_schema.find((name,))
        if node.physical_type is None or node.max_repetition:
            raise Unsupported(f"column {name!r} is nested, and rows are sorted by others alone", file=str(file.path))
        yield pq.SortingColumn(node.leaves[0], descending=order == "descending", nulls_first=False)


def _check_names(names: Iterable[str], leaves: list[str], path: str) -> None:
    for name in names:
        if name not in leaves:
            error = ColumnError(f"no column {name!r}", absent=name, file=path)
            error.suggest(nearest(name, leaves))
            raise error


def _codecs(file, leaves: list[str]) -> str | dict[str, str]:
    """Return the codec of each leaf in the first row group, or a single name if all are equal."""
    found = []
    for column in file.columns() if len(file.row_groups) else ():
        number = column.codec[0]
        name = CODECS[number] if 0 <= number < len(CODECS) else f"number {number}"
        if name not in WRITTEN_CODECS:
            message = f"column {column.name!r} is compressed by {name}, which pyarrow does not write: choose a codec"
            raise Unsupported(message, file=str(file.path))
        found.append(WRITTEN_CODECS[name])
    if len(set(found)) <= 1 or len(found) != len(leaves):
        return found[0] if found else "snappy"
    return dict(zip(leaves, found, strict=True))


def _sorted_by(file) -> list[pq.SortingColumn] | None:
    """Return the sort order if all row groups have the same."""
    orders = {tuple(file._on_form(lambda form, at=at: form.sorting_columns(at))) for at in range(len(file.row_groups))}
    order = orders.pop() if len(orders) == 1 else ()
    if not all(0 <= leaf < file.num_columns for leaf, _, _ in order):
        return None
    return [pq.SortingColumn(*each) for each in order] or None


def _bloom_options(
    file, source, schema: pa.Schema, row_group_size: int | None, sort: Sequence[SortKey]
) -> tuple[dict | None, list[str]]:
    """Return the filter options of the new file by leaf, and the columns whose filters are lost."""
    new_rows = row_group_size or (_rows_of_sorted(file) if sort else None)
    leaves = list(leaf_paths(schema))
    if len(leaves) != file.num_columns:
        return None, [column.name for column in file.columns() if max(column.bloom_filter_offset, default=-1) > 0]
    options, lost = bloom_options(file, source, leaves, new_rows)
    return options or None, lost


def _rows_of_sorted(file) -> int:
    """Return the default number of rows per row group of a sorted file: that of the first row group."""
    return max([*file.row_groups.num_rows[:1], 1])


def _notes(file, without_blooms: list[str]) -> Iterator[str]:
    columns = file.columns()
    if without_blooms:
        yield f"Bloom filters are not written again: {', '.join(without_blooms)}"
    if any(column.physical_type == "INT96" for column in columns):
        yield "INT96 timestamps become INT64"
    if file.may_have_copies and file._has_copies():
        yield "copies of columns in other encodings are not written again; encode makes them anew"
    extensions = {field.name for field in file.schema if isinstance(field.type, pa.BaseExtensionType)}
    if unwritten := file._on_form(lambda form: _unwritten(form, extensions)):
        yield f"pyarrow does not write annotations, so columns become plain ones: {', '.join(unwritten)}"
    if ordered := file._on_form(_totally_ordered):
        yield f"pyarrow does not write the order IEEE_754_TOTAL_ORDER and counts of NaN: {', '.join(ordered)}"
    if (declared := file.metadata.declared_version) is not None:
        yield f"the declared version of the format, {declared}, is not written again"


def _totally_ordered(form: FooterReader) -> list[str]:
    """Return the names of the leaves whose declared order pyarrow does not write."""
    nodes = [form.node(leaf) for leaf in range(form.leaf_count)]
    return [".".join(as_path(node.path)) for node in nodes if node.column_order == wire.ORDER_IEEE_754_TOTAL_ORDER]


def _unwritten(form: FooterReader, extensions: Container[str]) -> list[str]:
    """Return the names of the elements with annotations that pyarrow does not write, with the annotations.

    Those of columns with extension types are written.
    """
    found = []
    for identity in (*range(form.leaf_count), *(GROUP | number for number in range(form.node_count))):
        node = form.node(identity)
        logical, path = parse_element(node.thrift).logical, as_path(node.path)
        if logical is not None and not entry_of(logical).is_written and path[0] not in extensions:
            found.append(f"{'.'.join(path)} ({logical.name})")
    return found


def _tables(file, row_group_size: int | None, sort: Sequence[SortKey]) -> Iterator[pa.Table]:
    """Yield the rows of each new row group."""
    if sort:
        table = file.read(engine="auto").sort_by(list(sort))
        size = row_group_size or _rows_of_sorted(file)
        yield from (table.slice(at, size) for at in range(0, table.num_rows, size))
    elif row_group_size is None:
        for number in range(len(file.row_groups)):
            yield file.read(row_groups=[number], engine="auto")
    else:
        yield from _of_size(file, row_group_size)


def _of_size(file, size: int) -> Iterator[pa.Table]:
    """Yield all rows in tables of `size` rows."""
    rows = 0
    kept: list = []
    for batch in file.iter_batches(batch_size=min(size, BATCH_ROWS), engine="auto"):
        while rows + batch.num_rows >= size:
            yield pa.Table.from_batches([*kept, batch.slice(0, size - rows)])
            batch, kept, rows = batch.slice(size - rows), [], 0
        if batch.num_rows:
            kept.append(batch)
            rows += batch.num_rows
    if kept:
        yield pa.Table.from_batches(kept)


BITS_OF_A_VALUE = 8  # that each value sets in its block; an absent value is a false positive if all of its bits are set
LEAST_FPP, MOST_FPP = 0.001, 0.5


def bloom_options(file, source, leaves: list[str], new_rows: int | None) -> tuple[dict[str, dict], list[str]]:
    """Return options of pyarrow's writer, and the names of the columns whose filters it cannot write.

    A filter gets as many bits as the old one, scaled if the size of row groups changes. The writer folds the filter as
    long as its false-positive rate does not exceed that of the old one.

    Parameters
    ----------
    file : File
    source : storage.Source
        The file's bytes.
    leaves : list of str
        The new file's leaves by their dotted paths, in order.
    new_rows : int or None
        Rows of a new row group; None if they do not change.
    """
    options, lost = {}, []
    scale = 1 if new_rows is None else new_rows / max([*file.row_groups.num_rows, 1])
    for name, column in zip(leaves, file.columns(), strict=True):
        if max(column.bloom_filter_offset, default=-1) <= 0:
            continue
        bits, fpp = _largest(source, column)
        bits = min(int(bits * scale), 8 * LARGEST)
        if bits and column.physical_type != "BOOLEAN" and _writes_filters():
            options[name] = {"ndv": max(1, int(bits * -math.log(1 - fpp ** (1 / 8)) / 8)), "fpp": fpp}
        else:
            lost.append(name)
    return options, lost


def _largest(source, column) -> tuple[int, float]:
    """Return the bits and false-positive rate of a column's largest filter; (0, 0) if no filter is of a known kind."""
    found = 0, 0.0
    for offset, length, present in zip(
        column.bloom_filter_offset, column.bloom_filter_length, column.present, strict=True
    ):
        if offset <= 0 or present & ELSEWHERE:
            continue
        try:
            position = find_bitset(source.read, source.size, offset, length)
            if position.size * 8 > found[0]:
                bits = int.from_bytes(position.data or source.read(position.offset, position.size))
                full = (bits.bit_count() / position.size / 8) ** BITS_OF_A_VALUE
                found = position.size * 8, min(max(full, LEAST_FPP), MOST_FPP)
        except ParquetextError:
            continue
    return found


def _writes_filters() -> bool:
    """Return True if this version of pyarrow can write Bloom filters."""
    return "bloom_filter_options" in inspect.signature(pq.ParquetWriter.__init__).parameters
