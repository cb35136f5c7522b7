"""The column types of a catalog. Arrow and Spark share them, so there are no dictionaries and no unsigned integers."""

from __future__ import annotations

import pyarrow as pa

from ..footer.model import COUNTS, INDEX_LENGTHS, INDEX_OFFSETS

_TYPED = (
    ("integer", pa.int64()),
    ("double", pa.float64()),
    ("text", pa.string()),
    ("time", pa.timestamp("us", tz="UTC")),
)

SCHEMA = pa.schema(
    [
        ("file", pa.string()),
        ("file_size", pa.int64()),
        ("modified", pa.int64()),
        ("forms", pa.list_(pa.string())),
        ("row_group", pa.int32()),
        ("row_group_rows", pa.int64()),
        ("leaf", pa.int32()),
        ("column", pa.string()),
        ("depth", pa.int32()),
        ("max_repetition_level", pa.int32()),
        ("physical_type", pa.string()),
        ("type_length", pa.int32()),
        ("logical_type", pa.string()),
        ("codec", pa.string()),
        ("encodings", pa.list_(pa.string())),
        *((name, pa.int64()) for name in COUNTS),
        *((name, pa.int64()) for name in INDEX_OFFSETS),
        *((name, pa.int32()) for name in INDEX_LENGTHS),
        ("min", pa.binary()),
        ("max", pa.binary()),
        ("min_is_exact", pa.bool_()),
        ("max_is_exact", pa.bool_()),
        *((f"{end}_{name}", kind) for name, kind in _TYPED for end in ("min", "max")),
        ("error", pa.string()),
    ]
)
"""One row per column chunk.

* `file`, `file_size` (bytes).
* `modified` (ns since 1970). It is null if the time is unknown, or if the file is so young that a later change may have
  the same time.
* `forms`: the forms of the footer in the file.
* `row_group`, `row_group_rows`.
* `leaf`, `column` (the path with dots), `depth` (the number of names in the path: 1 is a top-level column),
  `max_repetition_level`.
* `physical_type`, `type_length`, `logical_type` (with its parameters), `codec`, `encodings`.
* Counts, sizes (bytes) and offsets (bytes from the file's start). They are null if the footer does not contain them; an
  impossible `null_count` is null, too.
* `min`, `max` (as stored; null if there is no bound that can be trusted), and whether they are exact.
* The same bounds as `…_integer` (integers, booleans, dates' days, times, unscaled decimals of 64 bits), `…_double`,
  `…_text` and `…_time` (dates and timestamps; microseconds that enclose the bound).
* `error`: the error of a file that could not be read. Then all columns but `file` may be null.
"""

_CODE = pa.int32()
_FEW = {"file", "forms", "column", "physical_type", "logical_type", "codec", "encodings"}


def _coded(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_list(kind):
        return pa.list_(pa.dictionary(_CODE, kind.value_type))
    return pa.dictionary(_CODE, kind)


CODED = pa.schema([field.with_type(_coded(field.type)) if field.name in _FEW else field for field in SCHEMA])
"""The same rows with texts as dictionaries. Parquet's writer writes dictionaries unchanged, in a third of the time."""
