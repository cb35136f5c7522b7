"""From a Thrift footer to a buffer of the dialect: what is carried, and what is left out lest it come out wrong."""

from __future__ import annotations

from ... import wire
from ...errors import Refused, Unsupported
from ...logical_types import entry_named, entry_of_converted
from .annotations import annotation_of, text, to_union, union_table
from .builder import Builder
from .framing import MAX_RAW_BYTES
from .packed_bounds import Column, pack
from .slots import LAYOUTS

__all__ = ["encode"]

LAYOUT = LAYOUTS["a77d277"]
MOST_INT32 = (1 << 31) - 1
DATA_PAGES = {wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2}
TYPE_ORDER = {"TYPE_ORDER": {}}


def encode(footer: dict) -> bytes:
    """The buffer for a FileMetaData as `parquetext.thrift` reads it.

    Raises
    ------
    Refused
        The footer is encrypted or signed.
    Malformed
        It lacks a required field.
    Unsupported
        It has what the dialect cannot say and readers cannot do without: a logical type that it does not know, a chunk
        in another file, text that is not UTF-8, row groups that do not fit the schema; or it becomes too large.
    """
    buffer = _encode(footer)
    if len(buffer) > MAX_RAW_BYTES:
        raise Unsupported(
            f"a buffer of {len(buffer)} bytes, the public C++ reader takes {MAX_RAW_BYTES}",
            expected=MAX_RAW_BYTES,
            found=len(buffer),
            code=wire.TOO_LARGE,
        )
    return buffer


def _encode(footer: dict) -> bytes:
    if "encryption_algorithm" in footer or "footer_signing_key_metadata" in footer:
        raise Refused("the file is encrypted or signed", code=wire.ENCRYPTED)
    elements = footer["schema"]
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
            "created_by": _created_by(footer),
        },
    )


def _column(element: dict) -> Column:
    return Column(element["type"], element.get("type_length"), next(iter(annotation_of(element) or {None: None})))


def _element(element: dict, before: dict, ordered: bool) -> dict:
    # MAP_KEY_VALUE means nothing within a map; elsewhere it is an annotation.
    is_old_map = element.get("converted_type") in entry_of_converted(element.get("converted_type")).old_converted
    in_map = is_old_map and entry_named(next(iter(annotation_of(before) or {None: None}))).is_map
    tag, table = (None, None) if in_map else to_union(element) or (None, None)
    if tag is not None:
        table = {"": union_table(tag), **table}
    return {
        "name": text(element["name"]),
        "type": element.get("type"),
        "repetition_type": element.get("repetition_type"),
        "logical_type_type": tag,
        "logical_type": table,
        "type_length": element.get("type_length"),
        "num_children": element.get("num_children"),
        "field_id": element.get("field_id"),
        "column_order_type": 1 if ordered else None,
        "column_order": {} if ordered else None,
    }


def _created_by(footer: dict) -> bytes:
    """Empty where it is unset, or no text."""
    name = footer.get("created_by", "")
    return text(name) if _is_text(name) else b""


def _key_values(fields: dict) -> list[dict] | None:
    """The pairs that are text, in their order."""
    pairs = fields.get("key_value_metadata")
    if pairs is None:
        return None
    return [
        {"key": text(pair["key"]), "val": text(pair["value"]) if "value" in pair else None}
        for pair in pairs
        if _is_text(pair["key"]) and _is_text(pair.get("value", ""))
    ]


def _row_group(group: dict, columns: list[Column], ordered: list[bool]) -> dict:
    chunks = group["columns"]
    if len(chunks) != len(columns):
        raise Unsupported(
            f"a row group has {len(chunks)} column chunks, the schema {len(columns)} leaves",
            expected=len(columns),
            found=len(chunks),
            code=wire.IRREGULAR,
        )
    rows = group["num_rows"]
    sorting = group.get("sorting_columns")
    # Where the C++ reader finds no data_page_offset (0 is none), it takes this one.
    has_pages = all(chunk.get("meta_data", {}).get("data_page_offset") for chunk in chunks)
    return {
        "columns": [_chunk(*chunk, rows) for chunk in zip(chunks, columns, ordered, strict=True)],
        "total_byte_size": group["total_byte_size"],
        "num_rows": rows,
        "sorting_columns": None if sorting is None else [_sorting_column(column) for column in sorting],
        "file_offset": group.get("file_offset") if has_pages else None,
        "total_compressed_size": group.get("total_compressed_size"),
        "ordinal": group.get("ordinal"),
    }


def _sorting_column(column: dict) -> dict:
    return {
        "column_idx": column["column_idx"],
        "descending": int(column["descending"]),
        "nulls_first": int(column["nulls_first"]),
    }


def _chunk(chunk: dict, column: Column, ordered: bool, rows: int) -> dict:
    if "crypto_metadata" in chunk or "encrypted_column_metadata" in chunk:
        raise Refused("a column chunk is encrypted", code=wire.ENCRYPTED)
    if chunk.get("file_path"):
        raise Unsupported(
            "a column chunk in another file, which the dialect has no place for", code=wire.UNSUPPORTED_VALUE
        )
    metadata = chunk.get("meta_data")
    if metadata is None:
        raise Unsupported("a column chunk has no metadata", code=wire.NO_METADATA)
    if metadata["type"] != column.type:
        raise Unsupported(
            "a column chunk is of another type than its column",
            expected=column.type,
            found=metadata["type"],
            code=wire.MISMATCH,
        )
    if not 0 <= metadata["codec"] <= 127:
        raise Unsupported(
            f"unknown codec {metadata['codec']}", expected=127, found=metadata["codec"], code=wire.UNSUPPORTED_VALUE
        )
    values, bloom = metadata["num_values"], metadata.get("bloom_filter_offset")
    return {
        "metadata": {
            "codec": metadata["codec"],
            "num_values": None if values == rows else values,
            "total_uncompressed_size": metadata["total_uncompressed_size"],
            "total_compressed_size": metadata["total_compressed_size"],
            "key_value_metadata": _key_values(metadata),
            # Always: the Rust reader does not know that the C++ writer leaves out a row group's own offset.
            "data_page_offset": metadata["data_page_offset"],
            "index_page_offset": metadata.get("index_page_offset"),
            "dictionary_page_offset": metadata.get("dictionary_page_offset"),
            "statistics": _statistics(metadata.get("statistics"), column, ordered),
            "is_fully_dict_encoded": int(is_fully_dictionary_encoded(metadata)),
            "bloom_filter": bloom and {"offset": bloom, "length": metadata.get("bloom_filter_length", 0)},
        }
    }


def is_fully_dictionary_encoded(metadata: dict) -> bool:
    """Whether no data page of a chunk is anything else, as far as its metadata say."""
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
    """What of a chunk's statistics comes out of the public readers as it was, or as a bound that holds."""
    if found is None:
        return None
    nulls = found.get("null_count")
    fields = {"null_count": nulls if nulls is not None and 0 <= nulls <= MOST_INT32 else None}
    # Readers take any column order for this one, and want both bounds or none.
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


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
