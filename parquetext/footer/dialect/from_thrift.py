"""Convert a Thrift footer to a buffer of the dialect; omit fields that readers would read incorrectly."""

from __future__ import annotations

from typing import Any

from ... import wire
from ...errors import Refused, Unsupported
from ...escaping import is_utf8
from ...logical_types import entry_named, entry_of_converted
from .annotations import annotation_of, text, to_union, union_table
from .builder import Builder
from .framing import MAX_RAW_BYTES
from .packed_bounds import Column, pack
from .slots import LAYOUTS

LAYOUT = LAYOUTS["a77d277"]
MOST_INT32 = (1 << 31) - 1
DATA_PAGES = {wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2}
TYPE_ORDER: dict[Any, Any] = {"TYPE_ORDER": {}}


# Fields that have the same names in both formats.
ELEMENT = ("type", "repetition_type", "type_length", "num_children", "field_id")
ROW_GROUP = ("total_byte_size", "num_rows", "total_compressed_size", "ordinal")
METADATA = (
    "codec",
    "total_uncompressed_size",
    "total_compressed_size",
    "data_page_offset",
    "index_page_offset",
    "dictionary_page_offset",
)


def encode(footer: dict) -> bytes:
    """Return the buffer for a FileMetaData as `parquetext.thrift` reads it.

    Raises
    ------
    Refused
        If the footer is encrypted or signed.
    Malformed
        If it lacks a required field.
    Unsupported
        If the dialect cannot represent a field that readers need: an unknown logical type, a chunk in another file,
        text that is not UTF-8, or row groups that do not match the schema; or if the buffer is too large.
    """
    buffer = _encode(footer)
    if len(buffer) > MAX_RAW_BYTES:
        message = f"a buffer of {len(buffer)} bytes, the public C++ reader takes {MAX_RAW_BYTES}"
        raise Unsupported(message, expected=MAX_RAW_BYTES, found=len(buffer), code=wire.TOO_LARGE)
    return buffer


def _encode(footer: dict) -> bytes:
    if "encryption_algorithm" in footer or "footer_signing_key_metadata" in footer:
        raise Refused("the file is encrypted or signed", code=wire.ENCRYPTED)
    elements, created_by = footer["schema"], footer.get("created_by", "")
    leaves = [element for element in elements if "type" in element]
    orders = footer.get("column_orders") or []
    ordered = [leaf < len(orders) and orders[leaf] == TYPE_ORDER for leaf in range(len(leaves))]
    columns = [_column(element) for element in leaves]
    order_of = iter(ordered)
    schema = [
        _element(element, before, "type" in element and next(order_of))
        for before, element in zip([{}, *elements], elements, strict=False)
    ]
    return Builder(LAYOUT).finish(
        "FileMetaData",
        {
            "version": footer["version"],
            "schema": schema,
            "num_rows": footer["num_rows"],
            "row_groups": [_row_group(group, columns, ordered) for group in footer["row_groups"]],
            "kv": _key_values(footer),
            "created_by": text(created_by) if _is_encodable(created_by) else b"",
        },
    )


def _column(element: dict) -> Column:
    return Column(element["type"], element.get("type_length"), next(iter(annotation_of(element) or {None: None})))


def _element(element: dict, before: dict, ordered: bool) -> dict:
    # MAP_KEY_VALUE means nothing within a map; elsewhere it is an annotation.
    is_old_map = element.get("converted_type") in entry_of_converted(element.get("converted_type")).old_converted
    in_map = is_old_map and entry_named(next(iter(annotation_of(before) or {None: None}))).is_map
    found = None if in_map else to_union(element)
    tag, table = (None, None) if found is None else (found[0], {"": union_table(found[0]), **found[1]})
    return {name: element.get(name) for name in ELEMENT} | {
        "name": text(element["name"]),
        "logical_type_type": tag,
        "logical_type": table,
        "column_order_type": 1 if ordered else None,
        "column_order": {} if ordered else None,
    }


def _key_values(fields: dict) -> list[dict] | None:
    """Return the pairs that are text, in their order."""
    pairs = fields.get("key_value_metadata")
    if pairs is None:
        return None
    return [
        {"key": text(pair["key"]), "val": text(pair["value"]) if "value" in pair else None}
        for pair in pairs
        if _is_encodable(pair["key"]) and _is_encodable(pair.get("value", ""))
    ]


def _row_group(group: dict, columns: list[Column], ordered: list[bool]) -> dict:
    chunks = group["columns"]
    if len(chunks) != len(columns):
        message = f"a row group has {len(chunks)} column chunks, the schema {len(columns)} leaves"
        raise Unsupported(message, expected=len(columns), found=len(chunks), code=wire.IRREGULAR)
    # If a chunk has no data_page_offset, or 0, the C++ reader uses that of the row group.
    has_pages = all(chunk.get("meta_data", {}).get("data_page_offset") for chunk in chunks)
    rows, sorting = group["num_rows"], group.get("sorting_columns")
    return {name: group.get(name) for name in ROW_GROUP} | {
        "columns": [_chunk(*chunk, rows) for chunk in zip(chunks, columns, ordered, strict=True)],
        "sorting_columns": None if sorting is None else [_sorting_column(column) for column in sorting],
        "file_offset": group.get("file_offset") if has_pages else None,
    }


def _sorting_column(column: dict) -> dict:
    return {name: int(column[name]) for name in ("column_idx", "descending", "nulls_first")}


def _chunk(chunk: dict, column: Column, ordered: bool, rows: int) -> dict:
    if "crypto_metadata" in chunk or "encrypted_column_metadata" in chunk:
        raise Refused("a column chunk is encrypted", code=wire.ENCRYPTED)
    if chunk.get("file_path"):
        message = "a column chunk in another file, which the dialect has no place for"
        raise Unsupported(message, code=wire.UNSUPPORTED_VALUE)
    metadata = chunk.get("meta_data")
    if metadata is None:
        raise Unsupported("a column chunk has no metadata", code=wire.NO_METADATA)
    physical, codec = metadata["type"], metadata["codec"]
    if physical != column.type:
        message = "the type of a column chunk differs from that of its column"
        raise Unsupported(message, expected=column.type, found=physical, code=wire.MISMATCH)
    if not 0 <= codec <= 127:
        raise Unsupported(f"unknown codec {codec}", expected=127, found=codec, code=wire.UNSUPPORTED_VALUE)
    values, bloom = metadata["num_values"], metadata.get("bloom_filter_offset")
    # The data page offset is always written: the Rust reader does not use the row group's offset instead.
    fields = {name: metadata.get(name) for name in METADATA} | {
        "num_values": None if values == rows else values,
        "key_value_metadata": _key_values(metadata),
        "statistics": _statistics(metadata.get("statistics"), column, ordered),
        "is_fully_dict_encoded": int(is_fully_dictionary_encoded(metadata)),
        "bloom_filter": bloom and {"offset": bloom, "length": metadata.get("bloom_filter_length", 0)},
    }
    return {"metadata": fields}


def is_fully_dictionary_encoded(metadata: dict) -> bool:
    """Return True if the metadata of a chunk show that all of its data pages use the dictionary."""
    stats = metadata.get("encoding_stats")
    if stats:
        pages = [page.get("encoding") for page in stats if page.get("page_type") in DATA_PAGES]
        return bool(pages) and set(pages) <= {wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY}
    encodings = set(metadata.get("encodings", ()))
    return wire.ENCODING_PLAIN_DICTIONARY in encodings and encodings <= {
        wire.ENCODING_PLAIN_DICTIONARY,
        wire.ENCODING_RLE,
        wire.ENCODING_BIT_PACKED,
    }


def _statistics(found: dict | None, column: Column, ordered: bool) -> dict | None:
    """Return the statistics that the public readers read unchanged, or as valid bounds."""
    if found is None:
        return None
    nulls = found.get("null_count")
    fields = {"null_count": nulls if nulls is not None and 0 <= nulls <= MOST_INT32 else None}
    # Readers treat every column order as this one, and require both bounds or none.
    if ordered and "min_value" in found and "max_value" in found:
        exact = bool(found.get("is_min_value_exact")), bool(found.get("is_max_value_exact"))
        packed = pack(column, found["min_value"], found["max_value"], exact)
        if packed is not None:
            least, most, prefix = packed
            for side, bound in (("min", least), ("max", most)):
                fields |= {f"{side}_{slot}": value or None for slot, value in bound._asdict().items()}
                fields[f"{side}_len"] = bound.len
            fields["prefix"] = (
                prefix if column.type in (wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY) else None
            )
    return fields if any(value is not None for value in fields.values()) else None


def _is_encodable(value: str) -> bool:
    return is_utf8(value.encode("utf-8", "surrogatepass"))
