"""A file's footer as JSON, as golden files expect it and as a reader under test must return it."""

from __future__ import annotations

import hashlib

import parquetext
from parquetext import errors
from parquetext.errors import ParquetextError
from parquetext.footer import model

__all__ = ["expected_of"]

COUNTS = (*model.COUNTS, "index_page_offset", *model.INDEX_FIELDS)
ROW_GROUP = ("num_rows", "total_byte_size", "file_offset", "total_compressed_size", "ordinal")


def expected_of(path: str, *, values: bool = True, deep: bool = True) -> dict:
    """Open a file and return the result: the whole footer, or the error.

    With `deep`, the findings are those of the deepest verification.

    Offsets and sizes are bytes, bounds are hex of Parquet's plain form, absent values null; values are a checksum.
    """
    try:
        with parquetext.open(path) as file:
            found = {
                "num_rows": file.num_rows,
                "version": file.version,
                "created_by": file.created_by,
                "key_values": {key.decode(): value.decode() for key, value in file.key_values.items()},
                "row_groups": [
                    {name: _absent(value, 0) for name, value in zip(ROW_GROUP, map(int, row), strict=True)}
                    for row in zip(*(getattr(file.row_groups, name) for name in ROW_GROUP), strict=True)
                ],
                "columns": [_column(column) for column in file.columns()],
                "names": {column.name: _found(file, column.name) for column in file.columns()},
            }
            if values:
                found["values"] = _checksum(file)
            return {"form": file.form, "findings": _kinds(file.findings), "verify": _verified(path, deep), **found}
    except ParquetextError as error:
        return {"error": _public_name(error), "offset": error.offset, "verify": _verified(path, deep)}


def _public_name(error: ParquetextError) -> str:
    """The class of `parquetext.errors`: other implementations have no errors that are also pyarrow's."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == errors.__name__)


def _kinds(findings) -> list[str]:
    return sorted({finding.kind for finding in findings})


def _verified(path: str, deep: bool) -> list[str]:
    """Return the kinds of the findings of a verification."""
    return _kinds(parquetext.verify(path, deep=deep).findings)


def _absent(value: int, least: int) -> int | None:
    return None if value < least else value


def _found(file, name: str) -> int | str:
    """The leaf that a dotted name leads to."""
    try:
        return file.column(name).leaf
    except ParquetextError as error:
        return _public_name(error)


def _column(column) -> dict:
    counts = {name: [_absent(value, 0) for value in getattr(column, name)] for name in COUNTS}
    return {
        "path": list(column.path),
        "type": column.physical_type,
        "field_id": column.field_id,
        "max_definition": column.node.max_definition,
        "max_repetition": column.node.max_repetition,
        "column_order": column.node.column_order,
        "codec": list(column.codec),
        **{name: values for name, values in counts.items() if any(value is not None for value in values)},
        "min": [None if bound is None else bound.hex() for bound in column.min_bytes.to_list()],
        "max": [None if bound is None else bound.hex() for bound in column.max_bytes.to_list()],
        "min_is_exact": column.min_is_exact.to_pylist(),
        "max_is_exact": column.max_is_exact.to_pylist(),
    }


def _checksum(file) -> str | None:
    """Return the SHA-256 of all rows as text; null if they cannot be read."""
    try:
        rows = file.read().to_pylist()
    except (OSError, ParquetextError):
        return None
    return hashlib.sha256(repr(rows).encode()).hexdigest()
