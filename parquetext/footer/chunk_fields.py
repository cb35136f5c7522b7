"""The fields of a column chunk in groups, which are requested from a form."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntFlag

from .model import INDEX_FIELDS


class Fields(IntFlag):
    """Groups of a chunk's fields; a form reads only those that are requested."""

    PLACEMENT = 1  # type, codec, encodings, offsets, sizes, number of values
    COUNTS = 2  # nulls, distinct values
    INDEXES = 4  # locations of page indexes and Bloom filters
    BOUNDS = 8
    ALL = 15


FIELD_NAMES: Mapping[Fields, tuple[str, ...]] = {
    Fields.PLACEMENT: (
        "type",
        "codec",
        "encodings",
        "num_values",
        "total_uncompressed_size",
        "total_compressed_size",
        "data_page_offset",
        "dictionary_page_offset",
        "index_page_offset",
    ),
    Fields.COUNTS: ("null_count", "distinct_count"),
    Fields.INDEXES: INDEX_FIELDS,
}


def names_of(fields: Fields) -> list[str]:
    """Return the names of the requested fields; bounds have none."""
    return [name for group, names in FIELD_NAMES.items() if group & fields for name in names]
