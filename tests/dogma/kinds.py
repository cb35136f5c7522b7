"""Which rules of docs/parquet.dogma own the bytes that they match: those named like a kind of `parquetext layout`."""

from __future__ import annotations

from parquetext.inspection.layout.part_kinds import KINDS

from .syntax import Grammar

__all__ = ["kinds_of"]

# Rules of other names, if a kind has parts that need separate names.
OTHERS = {
    "FileMetaData": "footer-field",
    "schema_node": "schema",
    "schema_leaf": "schema",
    "row_groups": "row-group",
    "key_value_metadata": "key-value",
    "encrypted_with": "encryption",
    "footer_signing_key_metadata": "encryption",
    "encrypted_pages": "encrypted-data",
    "repetition_levels_v2": "repetition-levels",
    "definition_levels_v2": "definition-levels",
    "extension_behind": "footer-field",
    "text_reference": "reference",
    "text_original": "original-block",
    "text_of_others": "block",
    "rest_of_original": "original-rest",
    "dialect_trailer": "block-trailer",
    "flat_column": "flat-footer",
    "flat_key_value": "key-value",
    "flat_length": "footer-length",
    "index_column": "footer-index",
    "encrypted_column_index": "column-index",
    "encrypted_offset_index": "offset-index",
}


def kinds_of(grammar: Grammar) -> dict[str, str]:
    """Of each rule that owns bytes its kind."""
    named = {name: name.replace("_", "-") for name in grammar.rules}
    return {name: kind for name, kind in (named | OTHERS).items() if kind in KINDS and name in grammar.rules}
