"""Show a layout in a prompt and a notebook: the file from its first byte to its last, and the kinds of its bytes."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ...masking import without_secrets
from ...tabular import Listing, Shown, chosen
from .part_kinds import GROUPS, KINDS, group_of

if TYPE_CHECKING:
    from .layout import Layout

CELLS = 500  # of the picture
WIDTH, HEIGHT = 720, 18  # of the picture, in pixels
MOST_LETTERS = 120  # of a finding
# The groups' colours on the page of HTML.
COLOURS = {
    "values": "#3a6ea8",
    "dictionary": "#7fb2d6",
    "levels": "#e0a93b",
    "copies": "#5a9e3d",
    "headers": "#c4622d",
    "indexes": "#2f8f7b",
    "bloom": "#8ac7b4",
    "footer": "#7a62a8",
    "extension": "#c08ab5",
    "unused": "#b6bac2",
}


def show_layout(layout: Layout) -> Shown:
    """Return the file's properties, the picture, the kinds of bytes, the largest columns, and the findings."""
    fields = [("bytes", layout.size), ("footer", layout.form), ("parts", layout.parts.num_rows)]
    listings = [_kinds(layout), _columns(layout), _findings(layout)]
    return Shown(f"parquetext.Layout {without_secrets(layout.path)}", fields, listings, _picture(layout))


def _kinds(layout: Layout) -> Listing:
    rows = [
        (KINDS[row["kind"]].title, row["bytes"], f"{row['bytes'] / layout.size:.1%}", row["parts"])
        for row in layout.kinds.to_pylist()
    ]
    return Listing(("what", "bytes", "share", "parts"), rows, len(rows), "kinds")


def _columns(layout: Layout) -> Listing:
    """Return the largest entries."""
    count = len(chosen(layout.columns.num_rows))
    found = layout.columns.select(["path", "type", "total"]).sort_by([("total", "descending")]).slice(0, count)
    rows = [(row["path"], row["type"], row["total"]) for row in found.to_pylist()]
    return Listing(("column", "type", "bytes"), rows, layout.columns.num_rows, "columns", first=count)


def _findings(layout: Layout) -> Listing:
    rows = [(str(layout.findings[number]),) for number in chosen(len(layout.findings))]
    return Listing(("finding",), rows, len(layout.findings), "findings", MOST_LETTERS)


def _picture(layout: Layout) -> str:
    """Return the strip of groups as SVG, with a legend."""
    strip = layout.strip(CELLS)
    if not strip:
        return ""
    bars, at = [], 0
    for group, run in groupby(strip):
        length = len(list(run))
        title = f"<title>{GROUPS[group]}</title>"
        bars.append(f'<rect x="{at}" width="{length}" height="1" fill="{COLOURS[group]}">{title}</rect>')
        at += length
    present = {group_of(kind) for kind in layout.kinds["kind"].to_pylist()}
    legend = "".join(
        f'<span style="margin-right:12px"><span style="color:{COLOURS[name]}">■</span> {title}</span>'
        for name, title in GROUPS.items()
        if name in present
    )
    return (
        f'<svg viewBox="0 0 {len(strip)} 1" width="{WIDTH}" height="{HEIGHT}" preserveAspectRatio="none" '
        f'shape-rendering="crispEdges" style="display:block;max-width:100%;margin:6px 0">{"".join(bars)}</svg>'
        f"<div>{legend}</div>"
    )
