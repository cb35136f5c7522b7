"""Render a layout as one HTML page that loads nothing and runs only its own script."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable
from importlib import resources

import pyarrow as pa

from ... import compute as pc
from ... import kernels
from ...escaping import escaped
from .layout import Layout
from .part_kinds import GROUPS, KINDS, group_of

SCRIPTS = "decode.js", "tables.js", "heatmap.js", "chunk.js", "main.js"
STRIP_CELLS = 1500
MOST_PAGES = 400_000  # more of them make a page that browsers are slow to open: then only chunks are in it
MOST_PARTS = 300
DATA_PAGES = "DATA_PAGE", "DATA_PAGE_V2"
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_MARKUP = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def as_html(layout: Layout) -> str:
    """Return the whole page; names in the file are shown as text only."""
    style, script = _text("page.css"), "\n".join(map(_text, SCRIPTS))
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'"
    parts = {
        "policy": policy,
        "title": html.escape(escaped(layout.path)),
        "style": style,
        "data": _json(_summary(layout)),
        "script": script,
    }
    return _PLACE.sub(lambda label: parts[label[1]], _text("page.html"))


def _text(name: str) -> str:
    return resources.files(__package__).joinpath("report", name).read_text("utf-8")


def _digest(text: str) -> str:
    """Return the digest by which a Content-Security-Policy allows an inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(fields: dict) -> str:
    """Return JSON that is safe inside of a script element."""
    return re.sub("[<>&]", lambda found: _MARKUP[found[0]], json.dumps(fields, separators=(",", ":")))


def _summary(layout: Layout) -> dict:
    groups = list(GROUPS)
    pages = layout.pages.slice(0, pc.sum(layout.chunks["pages"]).as_py() or 0)  # those of copies follow
    with_pages = pages.num_rows <= MOST_PAGES
    return {
        "path": escaped(layout.path),
        "size": layout.size,
        "form": layout.form,
        "rowGroups": (pc.max(layout.chunks["row_group"]).as_py() or 0) + 1 if layout.chunks.num_rows else 0,
        "groups": [{"name": name, "title": title} for name, title in GROUPS.items()],
        "kinds": [row | {"title": KINDS[row["kind"]].title} for row in layout.kinds.to_pylist()],
        "strip": "".join(_digit(groups.index(group)) for group in layout.strip(STRIP_CELLS)),
        "columns": [_column(row) for row in layout.columns.to_pylist()],
        "findings": [{"text": escaped(str(finding)), "is_note": finding.is_note} for finding in layout.findings],
        "parts": list(_parts(layout.parts)),
        "pageCount": pages.num_rows,
        **_chunks(layout),
        **_pages(pages if with_pages else pages.slice(0, 0)),
    }


def _digit(number: int) -> str:
    return "0123456789abcdefghijklmnopqrstuvwxyz"[number]


def _column(row: dict) -> dict:
    bytes_of = {name: row[name] for name in GROUPS if row[name]}
    return {"path": escaped(row["path"]), "type": row["type"] or "", "total": row["total"], **bytes_of}


def _parts(parts: pa.Table) -> Iterable[dict]:
    """Return the bytes that belong to no page of a chunk, summed by kind and name."""
    is_other = pc.or_(pc.is_null(parts["page"]), pc.is_valid(parts["name"]))
    others = parts.filter(is_other).combine_chunks()
    kinds, names = others["kind"].cast(pa.string()), others["name"].cast(pa.string())
    table = pa.table({"kind": kinds, "name": names, "offset": others["offset"], "length": others["length"]})
    found = table.group_by(["kind", "name"], use_threads=False).aggregate(
        [("offset", "min"), ("offset", "count"), ("length", "sum")]
    )
    for row in sorted(found.to_pylist(), key=lambda row: row["offset_min"])[:MOST_PARTS]:
        yield {
            "group": group_of(row["kind"]),
            "title": KINDS[row["kind"]].title,
            "name": escaped(row["name"] or ""),
            "offset": row["offset_min"],
            "parts": row["offset_count"],
            "bytes": row["length_sum"],
        }


def _chunks(layout: Layout) -> dict:
    chunks = layout.chunks
    codecs, codec = _numbered(chunks["codec"])
    encodings, encoding = _numbered(_encodings(layout))
    columns = {
        "rowGroup": chunks["row_group"].to_pylist(),
        "column": _known(chunks["column"]),
        "offset": chunks["offset"].fill_null(0).to_pylist(),
        "bytes": chunks["bytes"].fill_null(0).to_pylist(),
        "pages": chunks["pages"].to_pylist(),
        "uncompressed": _known(chunks["uncompressed_bytes"]),
        "values": _known(chunks["num_values"]),
        "nulls": _known(chunks["null_count"]),
        "codec": codec,
        "encoding": encoding,
    }
    return {"chunks": _packed(columns, chunks.num_rows), "codecs": codecs, "encodings": encodings}


def _encodings(layout: Layout) -> pa.Array:
    """Return the most frequent encoding of each chunk's data pages; null if it has none."""
    encodings, kinds = layout.pages["encoding"].to_pylist(), layout.pages["type"].to_pylist()
    found, at = [], 0
    for count in layout.chunks["pages"].to_pylist():
        pages = range(at, at + count)
        own = [encodings[page] for page in pages if kinds[page] in DATA_PAGES and encodings[page] is not None]
        found.append(max(set(own), key=own.count) if own else None)
        at += count
    return pa.array(found, pa.string())


def _pages(pages: pa.Table) -> dict:
    types, type = _numbered(pages["type"])
    encodings, encoding = _numbered(pages["encoding"])
    columns = {
        "header": pages["header_size"].to_pylist(),
        "compressed": pages["compressed_size"].to_pylist(),
        "type": type,
        "encoding": encoding,
        "uncompressed": _known(pages["uncompressed_size"]),
        "values": _known(pages["num_values"]),
        "nulls": _known(pages["num_nulls"]),
        "rows": _known(pages["num_rows"]),
        "repetition": _known(pages["repetition_size"]),
        "definition": _known(pages["definition_size"]),
        "crc": _known(pages["crc"]),
    }
    return {"pages": _packed(columns, pages.num_rows), "pageTypes": types, "pageEncodings": encodings}


def _known(values: pa.ChunkedArray) -> list[int]:
    """Return numbers plus one; 0 for null."""
    return pc.add(values.cast(pa.int64()), 1).fill_null(0).to_pylist()


def _numbered(values) -> tuple[list[str], list[int]]:
    """Return the distinct names, and for each value its index among them plus one; 0 for null."""
    plain = values.cast(pa.string())
    names = sorted(name for name in pc.unique(plain).to_pylist() if name is not None)
    return names, pc.add(pc.index_in(plain, value_set=pa.array(names, pa.string())), 1).fill_null(0).to_pylist()


def _packed(columns: dict[str, list[int]], length: int) -> dict:
    """Columns of numbers as varints in base64."""
    texts = {name: base64.b64encode(kernels.varint.encode_many(numbers)).decode() for name, numbers in columns.items()}
    return {"length": length, "columns": texts}
