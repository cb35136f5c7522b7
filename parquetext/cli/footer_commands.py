"""`parquetext schema`, `meta`, `columns`, `row-groups` and `count`: the contents of the footer."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from ..cells import is_whole
from .arguments import File, Files, Json
from .choices import SchemaFormat
from .completion import columns_of_path
from .each_file import ask_each, ask_one
from .fact_tables import print_fields, print_listing, short_type
from .output import counted, human_bytes, line_width, print_json, tell

_NO_FRACTION = re.compile(r"(?<=:\d\d)\.0+(?!\d)")  # of a second
MOST_OF_A_VALUE = 60  # letters of a key-value that are shown in a terminal


def schema(
    paths: Files,
    format: Annotated[
        SchemaFormat,
        typer.Option(
            "--format",
            "-f",
            help="Output format: Parquet's or Arrow's notation, or a CREATE TABLE statement of Spark or DuckDB.",
        ),
    ] = SchemaFormat.parquet,
    json: Json = False,
) -> None:
    """Print the schema of files."""
    from ..inspection.content.schema_text import schema_as_dict, schema_text

    def ask(path, file) -> None:
        if json:
            document = {"path": str(path), "schema": schema_as_dict(file)}
            if format != SchemaFormat.parquet:
                document |= {format.value: schema_text(file, format.value)}
            print_json(document)
            return
        text = schema_text(file, format.value)
        for line in text.split("\n"):
            tell(line)

    ask_each(paths, ask, json=json, heading=True)


def meta(
    paths: Files,
    full: Annotated[bool, typer.Option("--full", help="Print long key-values in full, in a terminal too.")] = False,
    json: Json = False,
) -> None:
    """Print writer, row count, sizes and key-values of files."""
    from ..inspection.content.footer_facts import meta as meta_of
    from ..storage import open_source

    rows, sizes = [], []

    def ask(path, file) -> None:
        with open_source(path) as source:
            size = source.size
        found = meta_of(file, size)
        rows.append(found["num_rows"])
        sizes.append(size)
        if json:
            print_json({"path": str(path), **found})
        else:
            print_fields(_fields_of(found, full or line_width() is None))

    def total(files: int) -> None:
        tell(f"{counted(files, 'file')}: {counted(sum(rows), 'row')}, {human_bytes(sum(sizes))}")

    ask_each(paths, ask, json=json, heading=True, total=total)


def _fields_of(found: dict, full: bool) -> list[tuple[str, object]]:
    def size(name: str) -> str:
        return "unknown" if found[name] is None else f"{human_bytes(found[name])} ({found[name]:,} B)"

    fields = [
        ("created by", found["created_by"] or "unknown"),
        ("version", str(found["format_version"])),
        *([("declares", f"format {found['declared_version']}")] if found["declared_version"] else []),
        ("rows", found["num_rows"]),
        ("row groups", found["num_row_groups"]),
        ("columns", found["num_columns"]),
        ("file", size("file_size_bytes")),
        ("data", f"{size('total_compressed_size')}, uncompressed {size('total_byte_size')}"),
        ("footer form", found["footer_form"]),
    ]
    for key, value in found["key_value_metadata"].items():
        shown = value or ""
        if not full and len(shown) > MOST_OF_A_VALUE:
            shown = f"{shown[:MOST_OF_A_VALUE]}… ({len(shown):,} letters)"
        fields.append((f"key {key}", shown))
    return fields


def columns(
    path: File,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Columns to show; the name of a group selects all its columns. Default: all.",
            show_default=False,
            autocompletion=columns_of_path,
        ),
    ] = None,
    per_row_group: Annotated[
        bool, typer.Option("--per-row-group", "-g", help="Print one line per column chunk, with its offsets.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document per column or column chunk.")] = False,
) -> None:
    """Print type, codec, encodings, nulls, minimum, maximum and sizes of columns, in total or per row group."""
    from ..inspection.content.footer_facts import column_chunks, columns_in_sum, named_columns

    def ask(path, file) -> None:
        found = named_columns(file, names)
        records = column_chunks(found) if per_row_group else columns_in_sum(found)
        if json:
            for record in records:
                print_json({"path": str(path), **record})
        else:
            (_print_chunks if per_row_group else _print_columns)([*records])

    ask_one(path, ask, json=json)


def _print_columns(records: list[dict]) -> None:
    rows = [
        (
            record["path_in_schema"],
            _type(record),
            "+".join(record["compression"]).lower(),
            ", ".join(record["encodings"]).lower(),
            record["stats_null_count"],
            *_bounds(record),
            record["total_compressed_size"],
            record["total_uncompressed_size"],
        )
        for record in records
    ]
    headings = ("column", "type", "codec", "encodings", "nulls", "min", "max", "bytes", "uncompressed")
    total = (
        counted(len(rows), "column"),
        *("",) * 6,
        *(_sum(record[name] for record in records) for name in ("total_compressed_size", "total_uncompressed_size")),
    )
    optional = ("encodings", "uncompressed", "codec", "bytes", ("min", "max"), "nulls", "type")
    print_listing(headings, rows, total, optional=optional)


def _print_chunks(records: list[dict]) -> None:
    rows = [
        (
            record["row_group_id"],
            record["path_in_schema"],
            record["num_values"],
            record["stats_null_count"],
            *_bounds(record),
            record["compression"].lower(),
            record["dictionary_page_offset"],
            record["data_page_offset"],
            record["total_compressed_size"],
        )
        for record in records
    ]
    headings = ("group", "column", "values", "nulls", "min", "max", "codec", "dictionary at", "data at", "bytes")
    total = ("", counted(len(rows), "chunk"), *("",) * 7, _sum(record["total_compressed_size"] for record in records))
    optional = ("dictionary at", "codec", "data at", "values", "bytes", ("min", "max"), "nulls")
    print_listing(headings, rows, total, optional=optional)


def _type(record: dict) -> str:
    return short_type((record["logical_type"] or record["type"]).lower())


def _bounds(record: dict) -> tuple[str, str]:
    """Return the minimum and the maximum; the corners of the bounding box of geometries."""
    box = record.get("geo_bbox")
    if box is None:
        return _bound(record["stats_min"]), _bound(record["stats_max"])
    return _corner(box, "min"), _corner(box, "max")


def _corner(box: dict, side: str) -> str:
    return " ".join(f"{axis} {box[axis + side]:.10g}" for axis in "xyzm" if box[axis + side] is not None)


def _bound(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return _NO_FRACTION.sub("", str(value)) if is_whole(str(value)) else str(value)


def _sum(values) -> int | None:
    values = list(values)
    return None if None in values else sum(values)


def row_groups(paths: Files, json: Json = False) -> None:
    """Print row count, sizes, offset and sort order of each row group."""
    from ..inspection.content.footer_facts import row_groups as row_groups_of

    counts = []

    def ask(path, file) -> None:
        records = [*row_groups_of(file)]
        counts.append(len(records))
        if json:
            print_json({"path": str(path), "row_groups": records})
            return
        _print_groups(records)

    def total(files: int) -> None:
        tell(f"{counted(files, 'file')}: {counted(sum(counts), 'row group')}")

    ask_each(paths, ask, json=json, heading=True, total=total)


def _print_groups(records: list[dict]) -> None:
    sizes = ("row_group_num_rows", "row_group_compressed_bytes", "row_group_bytes")
    rows = [
        (
            record["row_group_id"],
            *(record[name] for name in sizes),
            record["file_offset"],
            ", ".join(each["column"] + " desc" * each["descending"] for each in record["sorting_columns"]),
        )
        for record in records
    ]
    total = (counted(len(rows), "group"), *(_sum(record[name] for record in records) for name in sizes), "", "")
    headings = ("group", "rows", "bytes", "uncompressed", "at", "sorted by")
    print_listing(headings, rows, total, optional=("at", "uncompressed", "sorted by"))


def count(paths: Files, json: Json = False) -> None:
    """Print the number of rows of each file and their sum."""
    found = []

    def ask(path, file) -> None:
        found.append(file.num_rows)
        if json:
            print_json({"path": str(path), "num_rows": file.num_rows})
        else:
            tell(f"{file.num_rows:>12}  {path}")

    ask_each(paths, ask, json=json, total=lambda _: tell(f"{sum(found):>12}  total"))


rowcount = count  # as parquet-tools and pqrs call it
