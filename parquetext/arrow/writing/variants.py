"""Refuse columns of the extension type of VARIANT, on which pyarrow's writer ends the process.

pyarrow has no class for the type. If a program registers one of this name, VARIANT columns are read as it, but the
writer takes it for a class of Arrow's own.
"""

from __future__ import annotations

import pyarrow as pa

from ...errors import Unsupported

VARIANT = "arrow.parquet.variant"


def refuse_variants(schema: pa.Schema) -> None:
    """Raise Unsupported if a column has the extension type of VARIANT, or contains it."""
    for field in schema:
        if _has_variant(field.type):
            message = f"column {field.name!r}: pyarrow cannot write the type {VARIANT}; write its storage, a struct"
            raise Unsupported(message)


def _has_variant(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        return kind.extension_name == VARIANT or _has_variant(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _has_variant(kind.value_type)
    return any(_has_variant(kind.field(at).type) for at in range(kind.num_fields))
