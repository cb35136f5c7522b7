"""Which rules of docs/parquet.dogma own the bytes that they match: those named like a kind of `parquetext layout`."""

from __future__ import annotations

from parquetext.account.kinds import KINDS

from .syntax import Grammar

__all__ = ["kinds_of"]

# Rules of other names, where a kind has parts that need names of their own.
OTHERS = {
    "file_meta_data": "footer-field",
    "schema_node": "schema",
    "schema_leaf": "schema",
    "row_groups": "row-group",
    "key_value_metadata": "key-value",
    "encryption_algorithm": "encryption",
    "footer_signing_key_metadata": "encryption",
    "encrypted_pages": "encrypted-data",
    "repetition_levels_v2": "repetition-levels",
    "definition_levels_v2": "definition-levels",
    "encrypted_column_index": "column-index",
    "encrypted_offset_index": "offset-index",
}
NOT_OWNERS = {"key_value"}  # within key_value_metadata, and within a chunk's metadata


def kinds_of(grammar: Grammar) -> dict[str, str]:
    """Of each rule that owns bytes its kind."""
    named = {name: name.replace("_", "-") for name in grammar.rules if name not in NOT_OWNERS}
    return {name: kind for name, kind in (named | OTHERS).items() if kind in KINDS and name in grammar.rules}
