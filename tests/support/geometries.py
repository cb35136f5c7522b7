"""Well-known binary, and files of geometries with the statistics of parquet-format 2.11."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from support.changed_metadata import with_footer

__all__ = ["collection", "geometry_file", "line", "multi", "point", "polygon"]

Coordinates = Sequence[Sequence[float]]


def head(kind: int, coordinates: Coordinates, order: str) -> bytes:
    """Return the order of the bytes and the type, of which the thousands say how many coordinates there are."""
    more = {2: 0, 3: 1000, 4: 3000}[len(coordinates[0]) if coordinates else 2]
    return bytes([order == "<"]) + struct.pack(f"{order}I", kind + more)


def flat(coordinates: Coordinates, order: str) -> bytes:
    return b"".join(struct.pack(f"{order}{len(each)}d", *each) for each in coordinates)


def point(*numbers: float, order: str = "<") -> bytes:
    return head(1, [numbers], order) + flat([numbers], order)


def line(coordinates: Coordinates, order: str = "<") -> bytes:
    return head(2, coordinates, order) + struct.pack(f"{order}I", len(coordinates)) + flat(coordinates, order)


def polygon(*rings: Coordinates, order: str = "<") -> bytes:
    parts = [struct.pack(f"{order}I", len(ring)) + flat(ring, order) for ring in rings]
    return head(3, rings[0] if rings else [], order) + struct.pack(f"{order}I", len(rings)) + b"".join(parts)


def multi(kind: int, parts: Sequence[bytes], order: str = "<") -> bytes:
    return head(kind, [], order) + struct.pack(f"{order}I", len(parts)) + b"".join(parts)


def collection(*parts: bytes, order: str = "<") -> bytes:
    return multi(7, parts, order)


def geometry_file(
    path,
    groups: Sequence[Sequence[bytes | None]],
    statistics: Sequence[dict | None],
    annotation: Mapping[str, dict] | None = None,
) -> None:
    """Write columns `id` and `g`, with a row group and the GeospatialStatistics of each of `groups`."""
    schema = pa.schema([("id", pa.int64()), ("g", pa.binary())])
    with pq.ParquetWriter(path, schema, store_schema=False) as writer:
        first = 0
        for values in groups:
            ids = range(first, first + len(values))
            writer.write_table(pa.table({"id": ids, "g": pa.array(values, pa.binary())}, schema))
            first += len(values)

    def annotated(footer: dict) -> None:
        footer["schema"][2]["logicalType"] = dict(annotation or {"GEOMETRY": {}})
        for row_group, fields in zip(footer["row_groups"], statistics, strict=True):
            metadata = row_group["columns"][1]["meta_data"]
            metadata["statistics"] = {"null_count": metadata["statistics"]["null_count"]}
            if fields is not None:
                metadata["geospatial_statistics"] = fields

    with_footer(path, annotated)
