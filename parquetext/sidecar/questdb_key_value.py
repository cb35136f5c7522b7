"""Parse QuestDB's key-value `questdb` of a Parquet file."""

from __future__ import annotations

import json

from ..errors import Malformed, Unsupported
from ..records import frozen

KEY = b"questdb"
VERSION = GLOBAL_KEYS = 1


@frozen
class DeclaredColumn:
    """A column's type code, id (-1: none), and the values that determine its flags."""

    code: int
    id: int
    has_global_keys: bool
    is_ascii: bool


@frozen
class Declared:
    """The parsed key-value: columns, dead bytes in the file, and the numbers of newer writers (-1: none)."""

    columns: tuple[DeclaredColumn, ...]
    unused_bytes: int
    squash_tracker: int
    seq_txn: int


def parse(text: bytes) -> Declared:
    """Parse the JSON.

    Raises
    ------
    Malformed
        If it is not JSON, or lacks a required field.
    Unsupported
        If the version or a column format is unknown.
    """
    try:
        said = json.loads(text)
        version, schema = said["version"], said["schema"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Malformed(f"the key-value 'questdb' cannot be read: {error!r}") from None
    if version != VERSION:
        raise Unsupported(f"unsupported questdb metadata version: {version}")
    columns = tuple(_column(column) for column in schema) if isinstance(schema, list) else None
    if columns is None:
        raise Malformed("the key-value 'questdb' has no list of columns")
    return Declared(
        columns,
        _number(said, "unused_bytes", 0, 0, (1 << 64) - 1),
        _number(said, "squash_tracker", -1),
        _number(said, "seq_txn", -1),
    )


def _column(said: object) -> DeclaredColumn:
    if not isinstance(said, dict):
        raise Malformed(f"a column of the key-value 'questdb' is {said!r}")
    form = said.get("format")
    if form not in (None, GLOBAL_KEYS):
        raise Unsupported(f"unsupported format: {form}")
    code = _number(said, "column_type", None, -(1 << 31), (1 << 31) - 1)
    return DeclaredColumn(
        code, _number(said, "id", -1, -(1 << 31), (1 << 31) - 1), form == GLOBAL_KEYS, said.get("ascii") is True
    )


def _number(said: dict, name: str, default: int | None, low: int = -(1 << 63), high: int = (1 << 63) - 1) -> int:
    value = said.get(name, default)
    if type(value) is not int or not low <= value <= high:
        raise Malformed(f"the key-value 'questdb' has {name} = {value!r}")
    return value
