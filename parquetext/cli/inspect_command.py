"""`parquetext inspect`: forms, blocks, sizes and findings of files."""

from __future__ import annotations

from typing import Annotated

import typer

from ..findings import is_sound
from .arguments import Files, Json, Quiet
from .each_file import look_at_each
from .fact_tables import print_fields, short_type
from .layout_command import map_as_dict, print_map
from .outcomes import exit_code
from .output import all_counted, counted, human_bytes, print_json, tell

MOST_TYPES = 6  # that are named

Map = Annotated[
    bool, typer.Option("--map", help="Also draw the map of the file that `layout` draws. Reads all page headers.")
]


def inspect(paths: Files, map: Map = False, quiet: Quiet = False, json: Json = False) -> None:
    """Show the footers and extension blocks of files, their sizes, and faults in their structure.

    Use `verify` to compare checksums.
    """
    from ..inspection.integrity.inspection import inspect as inspect_file
    from ..inspection.layout import layout as layout_of

    found = 0

    def look(path: object) -> tuple:
        return inspect_file(path), layout_of(path) if map else None

    def show(_, looked: tuple) -> None:
        nonlocal found
        fields, picture = looked
        found += not is_sound(fields.findings)
        if json:
            print_json(fields.as_dict() | ({} if picture is None else map_as_dict(picture)))
            return
        tell((fields.path, "bold"))
        print_fields(_lines(fields))
        if picture is not None:
            print_map(picture)

    files, unreadable = look_at_each(paths, "inspected", look, show, json=json)
    if files > 1 and not json:
        tell(f"{files} files: {found} with findings, {unreadable} unreadable")
    raise typer.Exit(exit_code(files, unreadable, found + unreadable))


def _lines(fields) -> list[tuple[str, object]]:
    share = "" if not fields.footer_bytes else f"  ({fields.footer_bytes / fields.file_bytes:.1%} of the file)"
    lines = [("file", human_bytes(fields.file_bytes)), ("opens as", fields.form or "nothing")]
    if fields.footer_bytes is not None:
        lines.append(("footer", f"{human_bytes(fields.footer_bytes)} at offset {fields.footer_offset:,}{share}"))
    if fields.thrift_bytes is not None:
        lines.append(("Thrift", human_bytes(fields.thrift_bytes)))
    if fields.extension_bytes:
        lines.append(("extension", f"{human_bytes(fields.extension_bytes)}, {fields.marker} marker"))
        lines.append(("placement", _placement_of(fields)))
    lines += [
        ("block", f"{_kind_of(block)}: {human_bytes(block.bytes)} at offset {block.offset:,}")
        for block in fields.blocks
    ]
    lines += [("copy", _copy_of(copy)) for copy in fields.copies]
    if fields.original_bytes is not None:
        lines.append(("original", f"{human_bytes(fields.original_bytes)}, which strip gives back"))
    lines += [("extension slot", f"{slot.kind}: {human_bytes(slot.bytes)}") for slot in fields.slots]
    if fields.rows is not None:
        numbers = {"row": fields.rows, "row group": fields.row_groups, "column": fields.columns}
        lines.append(("table", all_counted(numbers)))
    lines += [("geometries", _geometries_of(column)) for column in fields.geospatial]
    lines += [("not stored", fact) for fact in fields.drops]
    if fields.auto:
        lines.append(("auto would add", fields.auto))
    if fields.declared_version:
        lines.append(("declares", f"format {fields.declared_version}"))
    if fields.created_by:
        lines.append(("created by", fields.created_by))
    lines += [("note" if finding.is_note else "finding", str(finding)) for finding in fields.findings]
    return lines


def _copy_of(copy) -> str:
    """Return the column, the encoding and the size of a copy."""
    sizes = f"{human_bytes(copy.bytes)} beside {human_bytes(copy.chunk_bytes)}"
    codec = "" if copy.codec == "uncompressed" else f", {copy.codec}"
    return f"{copy.column}: {copy.encoding}{codec}, {sizes} in {counted(copy.row_groups, 'row group')}"


def _geometries_of(column) -> str:
    """Return the name, the annotation, the box and the types of a column of geometries."""
    box = column.bbox or {}
    pairs = [(axis, box.get(f"{axis}min"), box.get(f"{axis}max")) for axis in "xyzm"]
    ranges = ", ".join(f"{axis} {low:.10g} to {high:.10g}" for axis, low, high in pairs if None not in (low, high))
    types = f"{len(column.types)} types" if len(column.types) > MOST_TYPES else ", ".join(column.types)
    described = short_type(column.logical_type)
    return "; ".join(filter(None, (f"{column.column}: {described}", ranges or "no bounding box", types)))


def _placement_of(fields) -> str:
    """Return the placement of the blocks in words."""
    if fields.aside_bytes:
        return f"aside: {human_bytes(fields.aside_bytes)} in front of the Thrift footer, to which the extension leads"
    return {"in-struct": "in-struct: within the Thrift footer", "after-stop": "after-stop: after its struct"}[
        fields.placement
    ]


def _kind_of(block) -> str:
    return f"{block.kind}, layout {block.layout}" if block.layout else block.kind
