"""Describe a file, its row groups and its columns by records with the names of DuckDB's `parquet_metadata`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from ...errors import ParquetextError
from ...footer.chunk_statistics import GeospatialStatistics, has_boxes, joined_statistics
from ...footer.columns import Column, bounds_or_nulls, extremes
from ...footer.format_version import version_of
from ...footer.model import INDEX_FIELDS, INDEX_LENGTHS
from ...footer.names import find_group_or_leaf, leaves_below
from ...footer.wire_names import name_of_codec, names_of_encodings, names_of_types
from .value_text import as_json

OF_CHUNKS = ("data_page_offset", "dictionary_page_offset", "index_page_offset", *INDEX_FIELDS)
SIZES = ("total_compressed_size", "total_uncompressed_size")


def meta(file, size: int) -> dict:
    """Return counts, sizes, writer and key-values of an open file of `size` bytes.

    Keys are those of DuckDB's parquet_file_metadata if it has them.
    """
    groups = file.row_groups
    return {
        "created_by": file.created_by,
        "format_version": file.version,
        "declared_version": _declared_version(file),
        "num_rows": file.num_rows,
        "num_row_groups": len(groups),
        "num_columns": file.num_columns,
        "file_size_bytes": size,
        "total_compressed_size": _sum(groups.total_compressed_size),
        "total_byte_size": _sum(groups.total_byte_size),
        "footer_form": file.form,
        "key_value_metadata": key_values(file),
    }


def _declared_version(file) -> str | None:
    """Return the version that the footer declares; None also if the Thrift footer cannot be read."""
    with suppress(ParquetextError):
        found = version_of(file)
        return None if found is None else str(found)
    return None


def key_values(file) -> dict[str, str | None]:
    """Return the file's key-values; bytes that are no UTF-8 as escapes of Python's surrogates."""
    return {_text(key): None if value is None else _text(value) for key, value in file.key_values.items()}


def row_groups(file) -> Iterator[dict]:
    """Yield the metadata of each row group, in file order."""
    for number, group in enumerate(file.row_groups):
        sorting = file._on_form(lambda form, number=number: _sorting(form, number))
        yield {
            "row_group_id": number,
            "row_group_num_rows": group.num_rows,
            "row_group_num_columns": file.num_columns,
            "row_group_bytes": _known(group.total_byte_size),
            "row_group_compressed_bytes": _known(group.total_compressed_size),
            "file_offset": _known(group.file_offset),
            "sorting_columns": sorting,
        }


def _sorting(form, number: int) -> list[dict]:
    """Return the sorting columns of a row group."""
    return [
        {"column": _leaf_name(form, leaf), "descending": bool(descending), "nulls_first": bool(nulls_first)}
        for leaf, descending, nulls_first in form.sorting_columns(number)
    ]


def _leaf_name(form, leaf: int) -> str:
    if 0 <= leaf < form.leaf_count:
        return _text(form.node(leaf).path.replace(b"\0", b"."))
    return f"column {leaf}, which does not exist"


def named_columns(file, names: Iterable[str] | None) -> list[Column]:
    """Return the columns of leaves and of groups, by name; all columns if there are no names.

    Raises
    ------
    ColumnError
        If a name matches no column, or more than one.
    """
    if not names:
        return file.columns()

    def found(form) -> list[Column]:
        leaves = dict.fromkeys(leaf for name in names for leaf in leaves_below(form, find_group_or_leaf(form, name)))
        return [Column(file, leaf, form.column(leaf)) for leaf in leaves]

    return file._on_form(found)


def columns_in_sum(columns: Iterable[Column]) -> Iterator[dict]:
    """Return one record per column, over all row groups."""
    encodings: dict[tuple[int, ...], list[str]] = {}  # most columns are alike
    for column in columns:
        least, greatest = extremes(column)
        masks = tuple(set(column.encodings))
        if masks not in encodings:
            encodings[masks] = names_of_encodings(masks)
        yield {
            **_identity(column),
            "num_values": sum(column.num_values),
            "stats_null_count": _sum(column.null_count),
            "stats_min": as_json(least),
            "stats_max": as_json(greatest),
            **_geospatial(column, joined_statistics(column.geospatial_statistics) if has_boxes(column.node) else None),
            "compression": sorted({name_of_codec(number) for number in column.codec}),
            "encodings": encodings[masks],
            **{name: _sum(getattr(column, name)) for name in SIZES},
            **{name: _sum_of_known(getattr(column, name)) for name in INDEX_LENGTHS},
        }


def column_chunks(columns: Iterable[Column]) -> Iterator[dict]:
    """Return one record per column chunk, column by column."""
    for column in columns:
        minima, maxima = bounds_or_nulls(column)
        identity, fields = _identity(column), {name: getattr(column, name) for name in (*OF_CHUNKS, *SIZES)}
        geospatial = column.geospatial_statistics
        for number in range(len(column)):
            yield {
                "row_group_id": number,
                **identity,
                "num_values": column.num_values[number],
                "stats_null_count": _known(column.null_count[number]),
                "stats_distinct_count": _known(column.distinct_count[number]),
                "stats_min": as_json(minima[number]),
                "stats_max": as_json(maxima[number]),
                **_geospatial(column, geospatial[number]),
                "compression": name_of_codec(column.codec[number]),
                "encodings": names_of_encodings([column.encodings[number]]),
                **{name: _known(numbers[number]) for name, numbers in fields.items()},
            }


def _geospatial(column: Column, found: GeospatialStatistics | None) -> dict:
    """Return the bounding box and the types of geometries; nothing for columns of other types."""
    if not has_boxes(column.node):
        return {}
    box = None if found is None or found.bbox is None else found.bbox._asdict()
    return {"geo_bbox": box, "geo_types": None if found is None else found.type_names}


def _identity(column: Column) -> dict:
    physical, logical = names_of_types(column.node.thrift)
    return {"column_id": column.leaf, "path_in_schema": column.name, "type": physical, "logical_type": logical}


def _sum(numbers: Sequence[int]) -> int | None:
    """Return the sum; None if one of the numbers is not known."""
    return None if min(numbers, default=0) < 0 else sum(numbers)


def _sum_of_known(numbers: Sequence[int]) -> int:
    return sum(numbers) if min(numbers, default=0) >= 0 else sum(max(number, 0) for number in numbers)


def _known(value: int) -> int | None:
    return None if value < 0 else value


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
